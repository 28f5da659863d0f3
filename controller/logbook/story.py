"""A round put together from its rows: each event with what came of it, and what can't be read."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from controller.eventlog import Row
from controller.events import AnyEvent
from controller.game.settlement import pending
from controller.logbook.again import Again, decide_again
from controller.logbook.kinds import fact_of
from controller.logbook.reading import Gap
from controller.logbook.rounds import Counted, Line, line_of
from controller.logbook.tally import Tally
from controller.outcomes import Outcome
from controller.table.record import EVENT_KINDS, OPENING


class Step(NamedTuple):
    """One event of the round with what came of it; facts are None where they can't be read."""

    row: Row
    event: AnyEvent | None
    outcomes: tuple[tuple[Row, Outcome | None], ...]

    def read(self) -> Iterator[Outcome]:
        """Yield the outcomes that can be read."""
        return (outcome for _, outcome in self.outcomes if outcome is not None)


class Story(NamedTuple):
    """All that is known of a round."""

    number: int
    steps: tuple[Step | Gap, ...]
    again: Again
    line: Line
    events: tuple[int, int]
    """The first and the last event that belongs to it."""

    @property
    def damaged(self) -> bool:
        """Tell whether rows of it can't be read."""
        gaps = any(isinstance(step, Gap) for step in self.steps)
        return gaps or any(None in (step.event, *_facts(step)) for step in self.happened())

    def happened(self) -> Iterator[Step]:
        """Yield the events, without the gaps."""
        return (step for step in self.steps if isinstance(step, Step))

    def outcomes(self) -> Iterator[Outcome]:
        """Yield every outcome that can be read."""
        return (outcome for step in self.happened() for outcome in step.read())


def _facts(step: Step) -> list[Outcome | None]:
    return [outcome for _, outcome in step.outcomes]


def story_of(number: int, items: Sequence[Row | Gap]) -> Story:
    """Put together what the rows of a round tell."""
    rows = [item for item in items if isinstance(item, Row)]
    tally = Tally(number, rows[0].at)
    for row in rows:
        if row.round == number:
            tally.take(row)
    again = decide_again(items, number)
    over = tally.cleared_at
    if again.state is not None and not over:
        tally.pending = pending(again.state.play)
    line = line_of(Counted(tally, None if over else again.state))
    return Story(number, tuple(_steps(items)), again, line, (rows[0].seq, rows[-1].seq))


def _steps(items: Sequence[Row | Gap]) -> Iterator[Step | Gap]:
    """Put each event together with its outcomes; the row that opens the round tells nothing."""
    opening = next((row for row in items if isinstance(row, Row) and row.kind == OPENING), None)
    event: Row | None = None
    outcomes: list[tuple[Row, Outcome | None]] = []
    for item in items:
        if isinstance(item, Row) and (
            item is opening or (opening and event is None and item.cause == opening.cause)
        ):
            continue
        if isinstance(item, Row) and event is not None and item.cause == event.seq:
            outcomes.append((item, _outcome(item)))
            continue
        if event is not None:
            yield Step(event, _event(event), tuple(outcomes))
            event, outcomes = None, []
        if isinstance(item, Gap):
            yield item
        elif item.kind in EVENT_KINDS or item.cause is None:
            event = item
        else:  # an outcome whose event can't be read
            yield Step(item, None, ((item, _outcome(item)),))
    if event is not None:
        yield Step(event, _event(event), tuple(outcomes))


def _event(row: Row) -> AnyEvent | None:
    try:
        fact = fact_of(row)
    except ValueError:
        return None
    return None if isinstance(fact, Outcome) else fact


def _outcome(row: Row) -> Outcome | None:
    try:
        fact = fact_of(row)
    except ValueError:
        return None
    return fact if isinstance(fact, Outcome) else None
