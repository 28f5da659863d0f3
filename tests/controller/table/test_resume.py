"""After a cut at any event the table is the same; an outcome that differs is a loud stop."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import pytest

from controller.cards import Card
from controller.errors import OutcomesDiffer
from controller.eventlog.chain import START, Head
from controller.eventlog.memory import MemoryLog
from controller.eventlog.row import Entry, Row, canonical
from controller.events import (
    AnyEvent,
    Asked,
    CardOut,
    CardsInDoubt,
    ChanceGiven,
    ConfirmLayout,
    Deal,
    DeviceLost,
    DeviceOnline,
    NewShoe,
    Pressed,
    Read,
    SameAgain,
    TakeBack,
)
from controller.game.moves import (
    Cleared,
    Double,
    Insure,
    NoMoreBets,
    PressJackpot,
    Stand,
    Wager,
)
from controller.game.options import build
from controller.game.prizes import BYTES, PRIZES
from controller.table.owner import Table
from controller.table.record import OPENING
from controller.table.resume import resume
from controller.table.state import TableState
from tests.controller.table.fitted import BUTTONS, coming_up
from tests.controller.table.tale import SUPERVISOR, cards, opening

AT = "2026-05-09T07:35:25.123456Z"
GAME = build("blackjack-nsw", {"resplit": True})
PONTOON = build("pontoon-nsw", {"prizes": {str(one): int(one < 50) for one in PRIZES}})


def asked(ask: object, by: str = "dealer") -> Asked:
    return Asked(ask=ask, by=by)  # type: ignore[arg-type]


def out(words: str) -> list[CardOut]:
    return [CardOut(device="shoe", card=card) for card in cards(words)]


STORY: list[AnyEvent] = [
    *opening(GAME),
    asked(NewShoe()),
    *out("2H"),
    asked(Wager(box=1, player="ann", main=1000, super_sevens=500)),
    asked(Wager(box=1, player="bob", main=2000)),
    asked(Wager(box=4, player="cam", main=1550)),
    Pressed(device="pedal", control="middle"),
    *out("7S 6H AD 7H ??"),
    asked(Read(Card("5H"))),
    asked(Insure(1, "bob", 1000)),
    asked(Insure(1, "bob", 1000)),  # refused
    Pressed(device="keys", control="P"),
    *out("7C"),
    Pressed(device="keys", control="P"),
    *out("KS"),
    asked(Stand()),
    *out("4C 9C"),
    asked(TakeBack(), SUPERVISOR),
    CardsInDoubt(device="shoe", why="messages of the shoe were lost"),
    asked(ConfirmLayout()),
    asked(Deal(Card("9C"))),
    asked(Stand()),
    *out("TC"),
    Pressed(device="pedal", control="middle"),
    asked(Double()),
    DeviceLost(device="shoe", why="unplugged"),
    DeviceOnline(device="shoe", port="test"),
    asked(ConfirmLayout()),
    *out("9H 6D"),
    Pressed(device="pedal", control="middle"),
    asked(SameAgain()),
    Pressed(device="keys", control="2"),
    Pressed(device="pedal", control="middle"),
    *out("TS 9S 8D"),
]
"""Two rounds with nearly everything in them, the second not finished."""


class Rows:
    """A log of rows as they are given: what an altered log looks like from inside."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = list(rows)

    @property
    def head(self) -> Head:
        return START

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        return iter([row for row in self._rows if row.seq > since])

    def last_of(self, kind: str) -> Row | None:
        return next((row for row in reversed(self._rows) if row.kind == kind), None)

    def append(
        self, at: str, event: Entry, outcomes: Sequence[Entry] = (), cause: int | None = None
    ) -> tuple[Row, ...]:
        raise AssertionError("resuming writes nothing")

    def close(self) -> None:
        pass


def _told() -> tuple[list[Row], list[tuple[int, TableState]]]:
    """Return the rows of the story, and the state after each event with its last row's number."""
    log = MemoryLog()
    table = Table(log, lambda: AT)
    after = []
    for event in STORY:
        taken = table.take(event)
        after.append((taken.rows[-1].seq, taken.state))
    return list(log.rows()), after


ROWS, AFTER = _told()
LAST_OPENING = max(row.seq for row in ROWS if row.kind == OPENING)
OUTCOMES = [row for row in ROWS if row.cause is not None]


def test_the_story_has_nearly_every_kind_of_row_in_it() -> None:
    assert {row.kind for row in ROWS} >= {
        "accepted", "asked", "burned", "card-out", "cards-in-doubt", "dealt", "device-lost",
        "layout-in-doubt", "pressed", "reached", "refused", "round-opened", "settled", "started",
    }  # fmt: skip
    assert AFTER[-1][1].round == 2
    assert "undecided" not in {row.kind for row in ROWS}


@pytest.mark.parametrize("events", range(1, len(STORY) + 1))
def test_after_a_cut_at_any_event_the_table_is_the_same(events: int) -> None:
    last, state = AFTER[events - 1]
    assert resume(Rows(row for row in ROWS if row.seq <= last)) == state


PRIZE_CLEARED: list[AnyEvent] = [
    *coming_up(PONTOON, BUTTONS),
    asked(Wager(box=1, player="ann", main=1000, pandemonium=500)),
    asked(NoMoreBets()),
    *out("AS 7D KS"),
    asked(PressJackpot(1)),
    ChanceGiven(box=1, bytes=bytes(BYTES).hex()),
    asked(Cleared()),
    asked(Wager(box=2, player="bob", main=1000)),
]
"""A round whose clearing tells a device something: the prize is taken off the meter."""


def test_after_a_cut_in_the_round_after_a_prize_the_table_is_the_same() -> None:
    log = MemoryLog()
    table = Table(log, lambda: AT)
    for event in PRIZE_CLEARED:
        taken = table.take(event)
        assert taken.refused is None
        if event == asked(Cleared()):
            assert [row.kind for row in taken.rows][-2:] == ["command", OPENING]
            assert resume(log) == table.state
    assert resume(log) == table.state


def test_an_empty_log_is_no_table() -> None:
    assert resume(MemoryLog()) is None


def _altered(seq: int, kind: str | None = None, **body: object) -> Rows:
    changed = []
    for row in ROWS:
        if row.seq == seq:
            plain = msgspec.json.decode(row.body) | body
            raw = msgspec.Raw(canonical(plain))
            row = msgspec.structs.replace(row, kind=kind or row.kind, body=raw)
        changed.append(row)
    return Rows(changed)


SINCE = [row for row in OUTCOMES if row.seq > LAST_OPENING]


@pytest.mark.parametrize("row", SINCE, ids=lambda row: f"{row.seq}-{row.kind}")
def test_an_outcome_that_differs_stops_and_names_its_event(row: Row) -> None:
    with pytest.raises(OutcomesDiffer, match=f"^event {row.cause} "):
        resume(_altered(row.seq, rule="99.9"))


@pytest.mark.parametrize("row", SINCE, ids=lambda row: f"{row.seq}-{row.kind}")
def test_an_outcome_that_is_missing_stops(row: Row) -> None:
    with pytest.raises(OutcomesDiffer, match=f"^event {row.cause} "):
        resume(Rows(one for one in ROWS if one.seq != row.seq))


@pytest.mark.parametrize("row", SINCE, ids=lambda row: f"{row.seq}-{row.kind}")
def test_an_outcome_of_another_kind_stops(row: Row) -> None:
    with pytest.raises(OutcomesDiffer, match=f"^event {row.cause} "):
        resume(_altered(row.seq, kind="alarm"))


def test_an_event_that_was_another_card_stops() -> None:
    card = next(row for row in ROWS if row.kind == "card-out" and row.seq > LAST_OPENING)
    with pytest.raises(OutcomesDiffer, match=f"^event {card.seq} .*was decided otherwise"):
        resume(_altered(card.seq, card="2D"))


def test_an_event_that_this_version_does_not_know_stops() -> None:
    card = next(row for row in ROWS if row.kind == "card-out" and row.seq > LAST_OPENING)
    with pytest.raises(OutcomesDiffer, match=f"^event {card.seq}"):
        resume(_altered(card.seq, kind="card-shown"))
    with pytest.raises(OutcomesDiffer, match=f"^event {card.seq}: this version cannot read it"):
        resume(_altered(card.seq, card=7))


def test_a_state_that_this_version_does_not_know_stops() -> None:
    with pytest.raises(OutcomesDiffer, match=f"^event {LAST_OPENING}: .* the table's state"):
        resume(_altered(LAST_OPENING, state={"round": "two"}))


def test_what_is_before_the_last_opening_is_not_decided_again() -> None:
    early = next(row for row in OUTCOMES if row.kind == "settled")
    assert early.seq < LAST_OPENING
    assert resume(_altered(early.seq, rule="99.9")) == AFTER[-1][1]
