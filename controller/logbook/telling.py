"""A round told for somebody who was not there: what happened, why, and what was paid."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from controller.eventlog import Row
from controller.events import AnyEvent, Asked, ChanceGiven, RefusalsCounted
from controller.game.exposure import face_down_at
from controller.game.settlement import pending, settlements
from controller.logbook.kinds import operator_of
from controller.logbook.layout import layout
from controller.logbook.payments import payments, settled
from controller.logbook.prize import derivation
from controller.logbook.reading import Gap
from controller.logbook.story import Step, Story
from controller.logbook.when import clock, local
from controller.logbook.words import event_words, outcome_words, person, rule_of, wager_words
from controller.money import to_the_cent
from controller.outcomes import (
    Accepted,
    Burned,
    Corrected,
    Dealt,
    Drawn,
    Outcome,
    Refused,
    RoundOpened,
)
from controller.rulebook.index import rule_index
from controller.rulebook.numbers import order
from controller.table.decide import DECIDER
from controller.table.decision import by_wager
from controller.table.record import EVENT_KINDS
from controller.table.roles import DEALER

MARGIN: Final = " " * 18
"""Under the time and number of an event stands what came of it."""


def told(story: Story) -> Iterator[str]:
    """Yield the story's lines: what it was, and then part by part whatever there is to tell."""
    yield from _head(story)
    for title, part in _PARTS.items():
        lines = [f"  {line}".rstrip() for line in part(story)]
        if lines:
            yield from ("", title, *lines)


def _head(story: Story) -> Iterator[str]:
    line, state = story.line, story.again.state
    here = local(line.started)
    day = here.strftime("%A %-d %B %Y") if here else "on an unreadable date"
    ended = f" to {clock(line.ended)}" if line.ended else ", not cleared yet"
    yield f"Round {story.number}, {line.game or 'unknown game'}, {day}: {line.status}"
    first, last = story.events
    yield (
        f"from {clock(line.started)}{ended}, {_zone(line.started)};"
        f" events {first} to {last} of the log"
    )
    if state is not None:
        yield (
            f"cards from {state.source}; shoe {state.ledger.shoe};"
            f" recorded by version {state.version}, decider {state.decider}"
        )
    money = [
        f"staked {to_the_cent(line.staked)}",
        *([f"of it vouchers {to_the_cent(line.vouchers)}"] if line.vouchers else []),
        f"paid {to_the_cent(line.paid)}",
        f"returned {to_the_cent(line.returned)}",
        f"the house {'lost' if line.house < 0 else 'won'} {to_the_cent(abs(line.house))}",
    ]
    yield "; ".join(money)
    if line.in_odds:
        yield "some boxes are followed without amounts: the sums are without them"
    if story.damaged:
        yield "!!! ROWS OF THIS ROUND WERE ALTERED OR DAMAGED: what is told here is incomplete !!!"


def _zone(at: str) -> str:
    """Name the time zone in which times are told."""
    here = local(at)
    if here is None:
        return "in an unknown time zone"
    offset = here.strftime("%z")
    name = here.tzname() or ""
    away = "" if name == "UTC" else f" (UTC{offset[:3]}:{offset[3:5]})"
    return f"{name}{away}"


def _happened(story: Story) -> Iterator[str]:
    state = story.again.state
    hidden = face_down_at(state.play) if state and not story.line.ended else frozenset()
    for step in story.steps:
        if isinstance(step, Gap):
            yield step.words()
        else:
            yield from _step_lines(step, hidden)


def _step_lines(step: Step, hidden: frozenset[tuple[int, int]]) -> Iterator[str]:
    start = f"{clock(step.row.at)}  #{step.row.seq:<7}"
    if step.event is None:
        if step.row.kind in EVENT_KINDS:
            yield f"{start} {_unreadable(step.row)}"
        for row, outcome in step.outcomes:
            said = outcome_words(outcome) if outcome else _unreadable(row)
            yield f"{start} {said}" if row is step.row else f"{MARGIN} {said}"
        return
    unseen = any(_is_unseen(one, hidden) for one in step.read())
    first = event_words(step.event, operator_of(step.row), hidden=unseen)
    rest = list(step.outcomes)
    if rest and (inline := _inline(step.event, rest[0][1], unseen=unseen)):
        first = f"{first} -> {inline}"
        rest = rest[1:]
    yield f"{start} {first}"
    for row, outcome in rest:
        if outcome is None:
            yield f"{MARGIN} {_unreadable(row)}"
        else:
            yield f"{MARGIN} {outcome_words(outcome, hidden=_is_unseen(outcome, hidden))}"


def _inline(event: AnyEvent, outcome: Outcome | None, *, unseen: bool) -> str:
    """Return what belongs on the event's own line: the answer, the meaning, the card's place."""
    if isinstance(event, Asked) and isinstance(outcome, Accepted):
        where = f" for box {outcome.box}, hand {outcome.hand}" if outcome.box else ""
        return f"accepted{where} ({outcome.rule})" if outcome.rule else f"accepted{where}"
    if isinstance(outcome, Refused | Accepted | Dealt | Burned | Drawn):
        return outcome_words(outcome, hidden=unseen)
    return ""


def _unreadable(row: Row) -> str:
    text = bytes(row.body).decode("utf-8", "replace")
    return (
        f"!!! {row.kind} of event {row.seq}: ALTERED, or of a version that is not known: {text} !!!"
    )


def _is_unseen(outcome: Outcome, hidden: frozenset[tuple[int, int]]) -> bool:
    """Tell whether a card must not be told: the burn card (4.7), and what lies face down."""
    if isinstance(outcome, Burned):
        return outcome.face_down
    return isinstance(outcome, Dealt) and (outcome.box, outcome.hand) in hidden


def _layout(story: Story) -> Iterator[str]:
    state = story.again.state
    if state is None:
        yield "they can't be worked out: the round can't be decided again (see CHECKED)"
        return
    if story.again.fault:
        yield "only as far as the round could be decided again (see CHECKED):"
    yield from layout(state)


# --- the money ------------------------------------------------------------------------------------


def _payments(story: Story) -> Iterator[str]:
    state = story.again.state
    order_ = [by_wager(row) for row in settlements(state.play)] if state else []
    waiting = () if state is None or story.line.ended else pending(state.play)
    return payments(settled(story.outcomes(), order_), waiting)


def _corrections(story: Story) -> Iterator[str]:
    for step in story.happened():
        for outcome in step.read():
            if isinstance(outcome, Corrected):
                said = outcome_words(outcome).removeprefix("CORRECTION: ")
                yield f"{clock(step.row.at)}  #{step.row.seq} {said}"
                if outcome.now is not None:
                    yield f"    {_difference(outcome)}"


def _difference(corrected: Corrected) -> str:
    assert corrected.now is not None
    was, now = (_worth(row.pays, row.returns) for row in (corrected.was, corrected.now))
    if None in (was, now):
        return "no amounts: only the odds differ"
    more = (now or 0) - (was or 0)
    if not more:
        return f"{wager_words(corrected.now)}: the same amount"
    way = "more to the player" if more > 0 else "back from the player"
    return f"{to_the_cent(abs(more))} {way}"


def _worth(pays: int | None, returns: int | None) -> int | None:
    return None if pays is None or returns is None else pays + returns


# --- the people -----------------------------------------------------------------------------------


def _refusals(story: Story) -> Iterator[str]:
    for step in story.happened():
        if isinstance(step.event, RefusalsCounted):
            yield f"{clock(step.row.at)}  #{step.row.seq} {event_words(step.event, '')}"
        for outcome in step.read():
            if isinstance(outcome, Refused) and step.event is not None:
                asked = event_words(step.event, operator_of(step.row))
                yield f"{clock(step.row.at)}  #{step.row.seq} {asked}"
                yield f"    by {outcome.rule}: {outcome.why}"


def _authorised(story: Story) -> Iterator[str]:
    for step in story.happened():
        who = operator_of(step.row)
        if not isinstance(step.event, Asked) or (step.event.by == DEALER and not who):
            continue
        refused = any(isinstance(outcome, Refused) for outcome in step.read())
        asked = event_words(step.event, who).removeprefix(f"{person(step.event.by, who)}: ")
        yield (
            f"{clock(step.row.at)}  #{step.row.seq} {person(step.event.by, who)}: {asked}"
            f" ({'refused' if refused else 'accepted'})"
        )


# --- the prize ------------------------------------------------------------------------------------


def _draws(story: Story) -> Iterator[str]:
    state = story.again.state
    weights = state.play.game.prizes if state else ()
    for step in story.happened():
        if not isinstance(step.event, ChanceGiven):
            continue
        drawn = next((one.prize for one in step.read() if isinstance(one, Drawn)), None)
        yield f"{clock(step.row.at)}  #{step.row.seq} box {step.event.box}"
        yield from (f"  {line}" for line in derivation(weights, step.event.bytes, drawn))


# --- the rules ------------------------------------------------------------------------------------


def _clauses(story: Story) -> Iterator[str]:
    index = rule_index()
    cited = {
        part.strip()
        for outcome in story.outcomes()
        if not isinstance(outcome, RoundOpened)
        for part in rule_of(outcome).split(",")
        if part.strip()
    }
    known = sorted((number for number in cited if number in index), key=order)
    wide = max((len(number) for number in cited), default=0)
    for number in known:
        yield f"{number:<{wide}}  {index[number].says}"
    for number in sorted(cited - set(known)):
        yield f"{number:<{wide}}  (not in the rule index of this version)"


def _checked(story: Story) -> Iterator[str]:
    again = story.again
    if again.fault:
        if again.differs:
            yield "!!! The round was decided again, and WHAT IS RECORDED DID NOT COME OUT: !!!"
        else:
            yield "!!! The round can't be decided again to its end: !!!"
        if again.state is not None and again.state.decider != DECIDER:
            yield (
                f"it was recorded by decider {again.state.decider}, this version is {DECIDER}:"
                " ask the version that recorded it"
            )
        yield f"{again.fault}"
        yield f"{again.events} events before that come to what was recorded"
    else:
        yield (
            f"The round was decided again by this version (decider {DECIDER}):"
            f" all {again.events} events come to what was recorded, payments included."
        )
        yield from _compared(story)
    yield "Whether rows of the log were altered is another question: tablekeeper log verify"


def _compared(story: Story) -> Iterator[str]:
    """Compare the payments above with those that the cards on the layout give."""
    state = story.again.state
    assert state is not None
    recorded = settled(story.outcomes())
    derived = list(settlements(state.play))
    if sorted(map(repr, recorded)) != sorted(map(repr, derived)):
        yield "!!! The payments above ARE NOT what the cards at the end give !!!"


_PARTS: Final[Mapping[str, Callable[[Story], Iterator[str]]]] = {
    "WHAT HAPPENED  (#event: what was done or asked; below it what came of it)": _happened,
    "CARDS AT THE END  (T ten; S spades, H hearts, D diamonds, C clubs)": _layout,
    "PAYMENTS  (pays: added by the house; returns: of the stake)": _payments,
    "CORRECTIONS": _corrections,
    "REFUSED": _refusals,
    "BY A SUPERVISOR OR SOMEBODY SIGNED IN": _authorised,
    "PRIZE DRAW": _draws,
    "WHY  (the clauses cited above, in our words)": _clauses,
    "CHECKED": _checked,
}
