"""A whole log decided again: nothing differs, or the event that does is named."""

from collections.abc import Iterable

import msgspec
import pytest

from controller.errors import OutcomesDiffer
from controller.eventlog.memory import MemoryLog
from controller.eventlog.row import Row, canonical
from controller.events import StateDue
from controller.table.decide import DECIDER
from controller.table.owner import KEEP_STATE_AFTER, Table
from controller.table.redecide import decide_again
from controller.table.resume import resume
from tests.controller.table.test_resume import AT, ROWS, STORY, Rows


def changed(row: Row, /, **body: object) -> Row:
    plain = msgspec.json.decode(row.body) | body
    return msgspec.structs.replace(row, body=msgspec.Raw(canonical(plain)))


def with_row(rows: Iterable[Row], other: Row) -> list[Row]:
    return [other if row.seq == other.seq else row for row in rows]


def by_decider(number: int, rows: Iterable[Row]) -> list[Row]:
    """Return the rows as if that decider had decided them."""
    result = []
    for row in rows:
        if row.kind == "started":
            result.append(changed(row, decider=number))
        elif row.kind == "round-opened":
            state = msgspec.json.decode(row.body)["state"] | {"decider": number}
            result.append(changed(row, state=state))
        else:
            result.append(row)
    return result


OLDER = by_decider(DECIDER - 1, ROWS)
EVENTS = sum(row.cause is None for row in ROWS)


def settled() -> Row:
    return next(row for row in ROWS if row.kind == "settled")


def test_a_log_is_decided_as_it_was_recorded() -> None:
    found = decide_again(ROWS)

    assert (found.events, found.rounds, found.differences, found.older) == (EVENTS, 2, (), {})


@pytest.mark.parametrize("kind", ["settled", "dealt", "accepted", "refused"])
def test_an_outcome_that_differs_is_named_with_its_event(kind: str) -> None:
    row = next(row for row in ROWS if row.kind == kind)
    other = changed(row, rule="99.9") if kind != "settled" else changed(row, row={"rule": "99.9"})

    found = decide_again(with_row(ROWS, other))

    assert [one.seq for one in found.differences] == [row.cause]
    assert f"event {row.cause} (" in found.differences[0].what


def test_after_a_difference_it_goes_on_with_the_next_round() -> None:
    last = [row for row in ROWS if row.kind == "dealt"][-1]
    one, other = changed(settled(), row={}), changed(last, total="99")

    found = decide_again(with_row(with_row(ROWS, one), other))

    assert [each.seq for each in found.differences] == [settled().cause, last.cause]


def test_a_state_that_a_round_carries_and_the_events_do_not_give_is_found() -> None:
    opening = [row for row in ROWS if row.kind == "round-opened"][-1]
    state = msgspec.json.decode(opening.body)["state"] | {"round": 9}

    found = decide_again(with_row(ROWS, changed(opening, state=state)))

    assert found.differences[0].seq == opening.cause


# Rounds that an older decider decided


def test_rounds_of_an_older_decider_are_settled_again_and_reported_as_such() -> None:
    dealt = next(row for row in OLDER if row.kind == "dealt")

    found = decide_again(with_row(OLDER, changed(dealt, rule="99.9")))

    assert found.differences == ()  # the rows are that decider's own
    assert found.older == {DECIDER - 1: 1}  # the second round is not over


def test_a_wager_that_an_older_decider_settled_otherwise_is_named() -> None:
    row = settled()
    paid = msgspec.json.decode(row.body)["row"] | {"pays": 77700, "result": "win"}

    found = decide_again(with_row(OLDER, changed(row, row=paid)))

    assert found.differences == (), "a note, no alteration"
    (note,) = found.otherwise
    assert f"settled otherwise by decider {DECIDER - 1}: win, pays 77700" in note.what
    assert found.older == {DECIDER - 1: 1}


def test_a_round_that_an_older_decider_began_is_gone_on_with_by_what_it_settled() -> None:
    """After an upgrade the rows between are the older decider's own; what was paid must hold."""
    opening = next(row for row in OLDER if row.kind == "round-opened")
    dealt, row = next(row for row in OLDER if row.kind == "dealt"), settled()
    end = next(row for row in OLDER if row.kind == "round-opened" and row.seq > opening.seq)
    open_round = [one for one in OLDER if one.seq < (end.cause or 0)]

    otherwise_told = with_row(open_round, changed(dealt, rule="99.9"))
    assert resume(Rows(otherwise_told)) == resume(Rows(open_round)) is not None

    paid = msgspec.json.decode(row.body)["row"] | {"pays": 77700, "result": "win"}
    with pytest.raises(OutcomesDiffer, match=f"settled otherwise by decider {DECIDER - 1}"):
        resume(Rows(with_row(open_round, changed(row, row=paid))))


# The state that is kept now and then


def test_the_state_is_due_after_many_rows_and_a_start_reads_from_there() -> None:
    log = MemoryLog()
    table = Table(log, lambda: AT)
    for event in STORY[:10]:
        table.take(event)
    while not table.state_is_due:
        table.take(STORY[9])
    assert log.head.seq > KEEP_STATE_AFTER
    table.take(StateDue())
    assert not table.state_is_due

    kept = log.last_of("state-kept")
    assert kept is not None
    rows = [row for row in log.rows() if row.seq >= kept.seq]
    assert resume(Rows(rows)) == resume(log) == table.state
    assert decide_again(log.rows()).differences == ()


def test_a_day_carries_the_state_over_and_a_start_reads_from_there() -> None:
    log = MemoryLog()
    table = Table(log, lambda: AT)
    for number, event in enumerate(STORY):
        if number in (0, 20, 40):
            table.begin_day({"date": "2026-05-09"})
        table.take(event)
    assert resume(log) == table.state
    assert decide_again(log.rows()).differences == ()

    opened = [row for row in log.rows() if row.kind == "day-opened"][1]
    state = msgspec.json.decode(opened.body)["state"] | {"round": 9}
    found = decide_again(with_row(log.rows(), changed(opened, state=state)))
    assert found.differences[0].seq == opened.seq
    assert "the day carries over another state" in found.differences[0].what
