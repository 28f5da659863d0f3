"""A look must not change a decision: views are made while the owner decides in its thread."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from controller.events import AnyEvent, Asked
from controller.game.machine import machine_for
from controller.game.moves import (
    AcceptCard,
    CardDealt,
    Double,
    Insure,
    RefuseCard,
    Split,
    Stand,
    Surrender,
)
from controller.table import owner
from controller.table.decide import decide
from controller.table.decision import Decision
from controller.table.state import TableState
from controller.table.view import view
from tests.controller.game.rounds import cards
from tests.controller.scripts.playing import WIRE_ONLY, play_file, scripts
from tests.controller.table.test_any_events import wander

DECISIONS = 20_000
LOOKERS = 3
SWITCH = 1e-6
"""Seconds between two switches of threads: five thousand times as often as usual."""
ASKED = (
    Stand(), Double(), Split(), AcceptCard(), RefuseCard(), Surrender(1), Insure(1, "ann", 500),
    CardDealt(cards("5C")[0]),
)  # fmt: skip


class Decided(NamedTuple):
    """One decision of a run in which nobody looked."""

    before: TableState | None
    event: AnyEvent
    decision: Decision


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> list[Decided]:
    """Every decision of every round script, and of tables at which anything happens."""
    made: list[Decided] = []

    def kept(state: TableState | None, event: AnyEvent) -> Decision:
        made.append(Decided(state, event, decide(state, event)))
        return made[-1].decision

    with monkeypatch.context() as patched:
        patched.setattr(owner, "decide", kept)
        for path in scripts():
            if not path.is_relative_to(WIRE_ONLY):
                play_file(path)
    for seed in range(1000):
        if len(made) >= DECISIONS:
            break
        made += [Decided(step.before, step.event, step.decision) for step in wander(seed)]
    return made


@contextlib.contextmanager
def switching_often() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def test_decisions_are_the_same_while_others_look_at_the_table(quiet: list[Decided]) -> None:
    shown: list[TableState] = [one.before for one in quiet if one.before is not None][:1]
    over = threading.Event()
    looks: list[int] = []
    failed: list[BaseException] = []

    def look() -> None:
        count = 0
        try:
            while not over.is_set():
                state = shown[0]
                view(state)
                machine = machine_for(state.play.game)
                for move in ASKED:
                    machine.allows(state.play, move)
                count += 1
        except BaseException as fault:  # noqa: BLE001 - told by the test's own thread
            failed.append(fault)
        looks.append(count)

    lookers = [threading.Thread(target=look) for _ in range(LOOKERS)]
    otherwise = []
    with switching_often():
        for looker in lookers:
            looker.start()
        try:
            for one in quiet:
                if one.before is not None:
                    shown[0] = one.before
                if decide(one.before, one.event) != one.decision:
                    otherwise.append(one.event)
        finally:
            over.set()
            for looker in lookers:
                looker.join()

    assert failed == []
    assert otherwise == []
    assert sum(looks) > len(quiet) / 50, "they looked all the time"
    kinds = {type(one.event) for one in quiet} | {
        type(one.event.ask) for one in quiet if isinstance(one.event, Asked)
    }
    assert len(kinds) > 60, "of nearly every kind of event"
