"""A table at which clients ask for views without a pause: it records what it does undisturbed.

The service runs in this process, the clients in threads of it that are switched all the time.  A
view that fails ends neither a client nor the table.
"""

import contextlib
import itertools
import os
import signal
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from controller.cli import main
from controller.eventlog import LogReader
from controller.service import run as service
from controller.service.claim import Claim
from controller.service.control import CANNOT_SHOW, Control
from controller.settings import read_settings
from controller.table.state import TableState
from controller.table.view import view
from tests.controller.table.test_looks import switching_often
from tests.system.folder import short_folder
from tests.system.processes import PATIENCE
from tests.system.talk import Answer, Talk
from tests.torture.extent import extent

ROUNDS = extent(40, 200)
LOOKERS = 2
WHEN = ("mono", "after", "at", "boot", "before", "config")
"""What tells the time in a row's body, or where it was."""
NOT_COMPARED = ("day-opened", "self-tested")
"""Rows that come when they come, or hold the log's own key."""

CONFIG = """\
[table]
name = "looked at"
game = "blackjack-nsw"
state = "{folder}"
source = "shoe"
cards_ready = true
[devices.shoe]
driver = "bee-tek"
port = "{folder}/no-shoe"
"""


def play_rounds(talk: Talk, luck: Random) -> None:
    """Play rounds in which much is put right and some are void; cards are entered by hand."""
    supervisor: dict[str, Any] = {"by": "game-supervisor"}

    def ask(do: str, by: dict[str, Any] | None = None, **fields: object) -> Answer:
        return talk.request(ask={"do": do, **fields}, **(by or {}))

    def look() -> dict[str, Any]:
        """Look until what is shown does not say itself that it is old."""
        while CANNOT_SHOW in (seen := talk.look())["trouble"]:
            pass
        return seen

    def card() -> str:
        return luck.choice("A23456789TJQK") + luck.choice("SHDC")

    for number in range(ROUNDS):
        for box, player in ((1, "ann"), (2, "bob")):
            ask("wager", box=box, player=player, main=luck.choice((500, 1000, 2500)))
        ask("no-more-bets")
        for _ in range(5):
            ask("enter-card", card=card())
        ask("amend", supervisor, number=luck.randint(1, 5), card=card())
        if number % 10 == 9:
            ask("end-round", supervisor)
        for word in luck.choices(("stand", "double", "split", "card", "take-back"), k=6):
            if word == "card":
                ask("enter-card", card=card())
            else:
                ask(word, supervisor)
        for _ in range(20):
            seen = look()
            if seen["state"] == "wagers":
                break
            for held in seen["undue"]:
                ask("burn", card=held)
            if seen["allowed"]:
                ask(seen["allowed"][0])
            elif seen["state"] in {"final settlement", "void"}:
                ask("cleared")
            if seen["next_card"]:
                ask("enter-card", card=card())
        else:
            ask("end-round", supervisor)
            ask("cleared")
        if number % 20 == 19:
            ask("new-shoe")
            ask("enter-card", card=card())  # burned


def table_of(folder: Path, lookers: int) -> list[tuple[str, bytes]]:
    """Run a table through the rounds with clients that only look; return what it recorded."""
    folder.mkdir()
    config = folder / "table.toml"
    config.write_text(CONFIG.format(folder=folder))
    over = threading.Event()
    failed: list[BaseException] = []
    looks: list[int] = []

    def connected() -> Talk:
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError):
                return Talk(folder / "control.sock")
            assert time.monotonic() < deadline, "the table does not open"
            time.sleep(0.01)

    def look() -> None:
        with connected() as talk:
            while not over.is_set():
                assert talk.look()["round"]
                looks.append(1)

    def deal() -> None:
        with connected() as talk:
            play_rounds(talk, Random(13))

    def kept(work: Any, *, last: bool) -> None:
        try:
            work()
        except BaseException as fault:  # noqa: BLE001 - told by the test's own thread
            failed.append(fault)
        finally:
            if last:
                over.set()
                for looker in looking:
                    looker.join()
                os.kill(os.getpid(), signal.SIGTERM)

    looking = [
        threading.Thread(target=kept, args=(look,), kwargs={"last": False}) for _ in range(lookers)
    ]
    dealing = threading.Thread(target=kept, args=(deal,), kwargs={"last": True})
    for thread in (*looking, dealing):
        thread.start()
    service.run(read_settings(config), rehearsal=True)
    dealing.join()
    assert failed == []
    assert len(looks) >= lookers * ROUNDS
    with contextlib.closing(LogReader.open(folder)) as log:
        return [
            (row.kind, _timeless(bytes(row.body)))
            for row in log.rows()
            if row.kind not in NOT_COMPARED
        ]


def first_difference(some: list[tuple[str, bytes]], others: list[tuple[str, bytes]]) -> Any:
    """Return the first two rows that differ, or None; a list of thousands says nothing."""
    pairs = itertools.zip_longest(some, others)
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def _timeless(body: bytes) -> bytes:
    plain = msgspec.json.decode(body)
    return msgspec.json.encode(_without_times(plain), order="sorted")


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(one) for key, one in value.items() if key not in WHEN}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def quiet() -> list[tuple[str, bytes]]:
    """What a table records at which nobody looks."""
    with short_folder() as path:
        return table_of(path / "quiet", lookers=0)


def test_two_clients_that_look_without_a_pause_change_no_row(
    folder: Path, quiet: list[tuple[str, bytes]]
) -> None:
    with switching_often():
        looked_at = table_of(folder / "looked-at", lookers=LOOKERS)

    assert {"corrected", "refused", "asked"} <= {kind for kind, _ in quiet}
    assert first_difference(looked_at, quiet) is None
    assert main(["log", "verify", "--decide", str(folder / "looked-at")]) == 0


def test_a_view_that_fails_ends_neither_a_client_nor_the_table(
    folder: Path, quiet: list[tuple[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(10**9))

    def failing(state: TableState) -> dict[str, Any]:
        if next(calls) % 7 == 3:
            raise ZeroDivisionError("a fault of ours")
        return view(state)

    monkeypatch.setattr(service, "view", failing)
    failed = table_of(folder / "failing", lookers=LOOKERS)
    assert first_difference(failed, quiet) is None


def test_what_is_shown_says_that_it_is_old_when_no_view_can_be_made() -> None:
    def broken() -> dict[str, Any]:
        raise ZeroDivisionError("a fault of ours")

    control = Control(Claim(Path("unused")), {}, None, None, broken, ())  # type: ignore[arg-type]
    assert control._seen() == {"trouble": f"{CANNOT_SHOW} (ZeroDivisionError: a fault of ours)"}
