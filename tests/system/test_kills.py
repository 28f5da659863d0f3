"""Power cuts at any moment of a demo: every round ends as it would have without them.

``KILLS=20`` in the environment makes it more cuts than usual.
"""

import json
import os
import random
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system.demo import Demo, decided, demo, played
from tests.system.processes import kill, tablekeeper
from tests.system.table import rows_of
from tests.system.talk import Row

KILLS = int(os.environ.get("KILLS", "6"))
ROUNDS = 3
LONGEST_WAIT = 0.02
"""Seconds after a printed line in which the cut comes: about as long as one event takes."""


APART = 8
"""Rows between two cuts at least, so that the table runs again by then."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], list[Row]]:
    """Return the rows of a demo of that seed to which nothing happened."""
    known: dict[int, list[Row]] = {}

    def rows(seed: int) -> list[Row]:
        if seed not in known:
            state = tmp_path_factory.mktemp("undisturbed") / "state"
            known[seed] = played(state, "--rounds", ROUNDS, "--seed", seed)
        return known[seed]

    return rows


def first_rounds(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["round"] <= ROUNDS]


def spread(count: int, rows: int, luck: random.Random) -> list[int]:
    """Return so many moments of a log, each in a part of its own."""
    part = rows // count
    return [at * part + luck.randint(2, part - APART) for at in range(count)]


def print_and_cut(it: Demo, moments: list[int], luck: random.Random) -> list[bytes]:
    """Read what is printed; kill the controller a little after each line of ``moments``."""
    printed: list[bytes] = []
    while line := it.line():
        printed.append(line)
        if len(printed) in moments:
            controller = it.child("controller run")
            select.select([], [], [], luck.uniform(0, LONGEST_WAIT))
            kill(controller)
    return printed


def assert_printed(printed: list[bytes], state: Path) -> None:
    """Every line is a row of the log, and every row was printed once, in order."""
    lines = [json.loads(line) for line in printed]
    assert [(line["seq"], line["hash"]) for line in lines] == [
        (row["seq"], row["hash"]) for row in rows_of(state)
    ]


@pytest.mark.parametrize("seed", [11, 12])
def test_the_controller_is_killed_and_every_round_ends_as_it_would_have(
    folder: Path, undisturbed: Callable[[int], list[Row]], seed: int
) -> None:
    luck = random.Random(seed)
    rows = undisturbed(seed)
    moments = spread(KILLS // 2, len(first_rounds(rows)), luck)
    state = folder / "state"
    with demo(state, "--rounds", ROUNDS, "--seed", seed, "--json") as it:
        printed = print_and_cut(it, moments, luck)
        assert it.ended() == 0, it.errors.read_text()
        assert it.errors.read_text().count("it is started again") == len(moments)
    assert_printed(printed, state)
    assert decided(first_rounds(rows_of(state))) == decided(first_rounds(rows)), moments
    assert tablekeeper("log", "verify", state).returncode == 0


@pytest.mark.parametrize("part", ["all", "demo"])
def test_a_demo_that_is_killed_goes_on_with_the_round_that_was_cut_off(
    folder: Path, undisturbed: Callable[[int], list[Row]], part: str
) -> None:
    luck = random.Random(part)
    rows = undisturbed(13)
    state = folder / "state"
    for _ in range(3):
        with demo(state, "--seed", 13, "--json") as it:
            for _ in range(luck.randint(15, 45)):
                it.line()
            if part == "demo":
                kill(it.process.pid)
                it.ended()
            else:
                it.kill_all()
                assert tablekeeper("log", "verify", state).returncode == 3
            cut_off = rows_of(state)[-1]["round"]
    with demo(state, "--rounds", ROUNDS, "--seed", 13, "--json") as it:
        assert json.loads(it.line())["round"] == cut_off
        it.lines()
        assert it.ended() == 0, it.errors.read_text()

    again = rows_of(state)
    assert decided(first_rounds(again)) == decided(first_rounds(rows))
    assert tablekeeper("log", "verify", state).returncode == 0


def test_the_devices_of_a_demo_that_are_killed_end_it_in_plain_words(folder: Path) -> None:
    state = folder / "state"
    with demo(state, "--seed", 1, "--json") as it:
        for _ in range(20):
            it.line()
        kill(it.child("drivers.simulated"))
        it.lines()
        status = it.ended()

        assert status not in {0, 1}
        assert "simulated devices" in it.errors.read_text()
        assert "Traceback" not in it.errors.read_text()
        assert it.left_running() == {}
    assert tablekeeper("log", "verify", state).returncode == 0
