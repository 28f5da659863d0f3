"""``tablekeeper demo``: rounds by seed, what is printed, and how it ends."""

import contextlib
import json
from pathlib import Path

import pytest

from controller.eventlog import as_json_line
from controller.eventlog.read import LogReader
from tests.system.demo import DECIDED, decided, demo, played
from tests.system.processes import tablekeeper
from tests.system.table import rows_of
from tests.system.talk import Talk


def log_lines(state: Path) -> list[bytes]:
    with contextlib.closing(LogReader.open(state)) as reader:
        return [as_json_line(row) + b"\n" for row in reader.rows()]


def test_two_rounds_by_seed_and_again_the_same(folder: Path) -> None:
    one = played(folder / "one", "--rounds", 2, "--seed", 1)
    same = played(folder / "same", "--rounds", 2, "--seed", 1)
    other = played(folder / "other", "--rounds", 2, "--seed", 2)

    assert {row["kind"] for row in one} >= set(DECIDED)
    assert decided(one) == decided(same) != decided(other)
    assert {row["round"] for row in one if row["kind"] == "settled"} == {1, 2}
    for state in ("one", "same", "other"):
        assert tablekeeper("log", "verify", folder / state).returncode == 0


def test_it_goes_on_where_it_ended_with_the_same_seed_and_with_another(folder: Path) -> None:
    state = folder / "state"
    played(state, "--rounds", 1, "--seed", 1)
    played(state, "--rounds", 1, "--seed", 1)
    rows = played(state, "--rounds", 1, "--seed", 2)

    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["round"] for row in rows if row["kind"] == "settled"} == {1, 2, 3}
    without_a_break = played(folder / "whole", "--rounds", 2, "--seed", 1)
    assert decided([row for row in rows if row["round"] < 3]) == decided(without_a_break)
    assert tablekeeper("log", "verify", state).returncode == 0


def test_json_is_the_log_and_nothing_else(folder: Path) -> None:
    state = folder / "state"
    with demo(state, "--rounds", 1, "--seed", 1, "--json") as first:
        before = first.lines()
        assert first.ended() == 0
    assert before == log_lines(state)
    with demo(state, "--rounds", 1, "--seed", 1, "--json") as second:
        after = second.lines()
        assert second.ended() == 0

    assert before + after == log_lines(state)
    for line in before + after:
        assert json.loads(line).keys() == {"seq", "at", "round", "kind", "cause", "body", "hash"}


def test_json_tells_of_a_table_that_plays_no_round_as_well(folder: Path) -> None:
    with demo(folder / "state", "--rounds", 0, "--json") as it:
        printed = it.lines()
        assert it.ended() == 0

    assert printed == log_lines(folder / "state")
    assert [json.loads(line)["kind"] for line in printed][-1] == "stopped"


def test_each_line_is_on_disk_when_it_is_printed(folder: Path) -> None:
    state = folder / "state"
    with demo(state, "--rounds", 1, "--seed", 3, "--json") as it:
        line = it.line()
        with contextlib.closing(LogReader.open(state)) as reader:
            while line:
                seq = json.loads(line)["seq"]
                (row,) = reader.rows(since=seq - 1, until=seq)
                assert as_json_line(row) + b"\n" == line
                line = it.line()


def test_people_are_told_where_the_state_is_and_what_happens(folder: Path) -> None:
    with demo(folder / "state", "--rounds", 1, "--seed", 1) as it:
        said = b"".join(it.lines()).decode()
        assert it.ended() == 0

    first, *rest = said.splitlines()
    assert str(folder / "state") in first
    assert "seed: 1" in first
    assert any("wagers $" in line for line in rest)
    assert any("pay $" in line or "lose" in line for line in rest)


def test_whoever_watches_finds_the_table_beside_its_state_while_it_runs(folder: Path) -> None:
    state = folder / "state"
    with demo(state, "--seed", 1, "--json") as it:
        it.line()
        with Talk(state / "control.sock") as talk:
            assert talk.look()["table"] == "Demo"
        assert it.interrupt() == 0

    assert not (state / "control.sock").is_symlink()


@pytest.mark.parametrize("lines", [1, 40])
def test_ctrl_c_ends_it_cleanly(folder: Path, lines: int) -> None:
    state = folder / "state"
    with demo(state, "--seed", 1, "--json") as it:
        printed = [it.line() for _ in range(lines)]
        assert it.interrupt() == 0
        printed += it.lines()

        assert it.left_running() == {}
        assert it.left_lying() == []
        assert it.errors.read_text() == ""
    assert printed == log_lines(state)
    assert json.loads(printed[-1])["kind"] == "stopped"
    assert tablekeeper("log", "verify", state).returncode == 0


def test_when_it_ends_nothing_of_it_is_left(folder: Path) -> None:
    with demo(folder / "state", "--rounds", 1, "--seed", 1) as it:
        it.lines()
        assert it.ended() == 0

        assert it.left_running() == {}
        assert it.left_lying() == []


def test_whoever_reads_it_may_go(folder: Path) -> None:
    with demo(folder / "state", "--seed", 1, "--json") as it:
        it.line()
        it.leave()
        assert it.ended() == 0

        assert it.left_running() == {}
        assert "Traceback" not in it.errors.read_text()
    assert tablekeeper("log", "verify", folder / "state").returncode == 0


@pytest.mark.parametrize("where", ["/dev/null", "/dev/null/x", "/proc"])
def test_a_state_that_cannot_be_used_is_told_in_plain_words(where: str) -> None:
    done = tablekeeper("demo", "--rounds", 1, "--fast", "--state", where)

    assert done.returncode == 2
    assert done.stderr.startswith(f"tablekeeper: --state {where}: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--rounds", "-1"], "-1"),
        (["--rounds", "many"], "many"),
        (["--seed", "x"], "--seed"),
        (["--speed", "2"], "--speed"),
    ],
)
def test_a_bad_option_is_told_in_plain_words(options: list[str], word: str) -> None:
    done = tablekeeper("demo", *options)

    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_pack_is_told_in_plain_words(folder: Path) -> None:
    (folder / "state").mkdir()
    (folder / "state" / "pack.json").write_text("no pack")
    done = tablekeeper("demo", "--rounds", 1, "--fast", "--state", folder / "state")

    assert done.returncode not in {0, 1}
    assert "pack.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_second_demo_on_the_same_state_is_refused_and_the_first_plays_on(folder: Path) -> None:
    state = folder / "state"
    with demo(state, "--seed", 1, "--json") as first:
        first.line()
        holder = first.child("controller run")
        with demo(state, "--rounds", 1, "--seed", 1) as second:
            second.lines()
            assert second.ended() == 69
            assert f"process {holder}" in second.errors.read_text()
        assert (state / "control.sock").is_symlink()
        with Talk(state / "control.sock") as talk:
            assert talk.look()["table"] == "Demo"
        seen = len(rows_of(state))
        while json.loads(first.line())["seq"] <= seen:
            pass  # it plays on: what was not there before is printed
        assert first.interrupt() == 0
    assert tablekeeper("log", "verify", state).returncode == 0
