"""Events and outcomes as an auditor reads them: who or what, what was done, by which clause."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from controller import events, outcomes
from controller.events import AnyEvent
from controller.game.malfunction import ProcedureState
from controller.game.settlement import Settlement
from controller.logbook.asks import ask_words
from controller.logbook.layout import UNSEEN
from controller.money import to_the_cent
from controller.outcomes import Outcome, told_so_often


def event_words(event: AnyEvent, who: str, *, hidden: bool = False) -> str:
    """Say what happened or was asked; ``who`` is the person signed in, if the row names one.

    A card that still lies face down is ``hidden``.
    """
    if isinstance(event, events.Asked):
        return f"{person(event.by, who)}: {ask_words(msgspec.to_builtins(event.ask))}"
    if isinstance(event, events.CardOut):
        card = UNSEEN if hidden else face(event.card)
        entered = ", entered by the dealer" if event.by == "dealer" else ""
        return f"{event.device}: {card}{entered}"
    words = _EVENTS.get(type(event))
    return words(event) if words else _by_fields(event)


def person(by: str, who: str) -> str:
    """Name who asked: the role, and the person where it is known."""
    return f"{by.replace('-', ' ')} {who}".rstrip()


def face(card: str) -> str:
    """Return the card, or say that it could not be read."""
    return "a card that could not be read" if card == "??" else card


def outcome_words(outcome: Outcome, *, hidden: bool = False) -> str:
    """Say what came of it, with the clause that gave it."""
    if hidden and isinstance(outcome, outcomes.Dealt):
        return f"to {_place(outcome)}, face down ({outcome.rule})"
    words = _OUTCOMES.get(type(outcome))
    said = words(outcome) if words else _by_fields(outcome)
    rule = rule_of(outcome)
    return f"{said} ({rule})" if rule else said


def rule_of(outcome: Outcome) -> str:
    """Return the clause that an outcome cites, or nothing."""
    if isinstance(outcome, outcomes.Settled):
        return outcome.row.rule
    if isinstance(outcome, outcomes.Corrected):
        return outcome.now.rule if outcome.now else ""
    return str(getattr(outcome, "rule", ""))


def settled_words(row: Settlement) -> str:
    """Say how a wager ended and what it is paid, without naming it."""
    odds = f" at {row.odds}" if row.odds else ""
    if row.stake is None:
        return f"{row.result}{odds}"
    pays = f", pays {to_the_cent(row.pays)}" if row.pays else ""
    returns = f", returns {to_the_cent(row.returns)}" if row.returns else ""
    return f"{row.result}{odds}{pays}{returns}"


def wager_words(row: Settlement) -> str:
    """Name a wager: box, player, which, and the hand if it is not the first."""
    place = "" if row.box is None else f"box {row.box} "
    hand = f", hand {row.hand}" if (row.hand or 1) > 1 else ""
    return f"{place}{row.player}, {row.wager.replace('-', ' ')} wager{hand}"


def _by_fields(fact: msgspec.Struct) -> str:
    """Tell what has no words of its own."""
    plain = msgspec.to_builtins(fact)
    fields = [f"{key} {value}" for key, value in plain.items() if key not in _NOT_TOLD]
    return ", ".join([str(plain["kind"]), *fields])


_NOT_TOLD: Final = {"kind", "mono", "rule"}


def _place(dealt: outcomes.Dealt) -> str:
    if dealt.to == "box":
        return f"box {dealt.box}{f', hand {dealt.hand}' if (dealt.hand or 1) > 1 else ''}"
    return {
        "dealer": "the dealer's hand",
        "offered": "the hand in turn, on offer",
        "undue": "nowhere: no card was due",
    }[dealt.to]


def _dealt(dealt: outcomes.Dealt) -> str:
    total = f", total {dealt.total}" if dealt.total else ""
    return f"to {_place(dealt)}{total}"


def _accepted(accepted: outcomes.Accepted) -> str:
    hand = f", hand {accepted.hand}" if (accepted.hand or 1) > 1 else ""
    place = f"box {accepted.box}{hand}: " if accepted.box else ""
    return f"{place}{ask_words(accepted.what)}"


def _corrected(corrected: outcomes.Corrected) -> str:
    now = settled_words(corrected.now) if corrected.now else "not decided any more"
    was = settled_words(corrected.was)
    return f"CORRECTION: {wager_words(corrected.was)}: was {was}; is {now}"


def _told(what: Mapping[str, Any]) -> str:
    said = [_value(value) for key, value in what.items() if key != "do"]
    return " ".join([str(what.get("do", "?")), *said])


def _value(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "off"
    return "off" if value is None else str(value)


def _drawn(drawn: outcomes.Drawn) -> str:
    prize = to_the_cent(drawn.prize * 100)
    return f"the prize of box {drawn.box} is {prize} for each dollar wagered"


def _started(event: events.Started) -> str:
    return (
        f"the controller starts: version {event.version}, {event.game.name}, cards from"
        f" {event.source}"
    )


def _reports(event: events.DeviceReports) -> str:
    inside = "" if event.cards_inside is None else f", {event.cards_inside} cards inside"
    detail = f" ({event.detail})" if event.detail else ""
    return f"{event.device} reports {event.state}{detail}{inside}"


def _refusals_counted(event: events.RefusalsCounted) -> str:
    what = {
        "requests refused": event.refused,
        "presses that mean nothing": event.meaningless,
        "sign-ins refused": event.sign_ins,
    }
    said = ", ".join(f"{count} {words}" for words, count in what.items() if count)
    last = f"; the last: {event.why} ({event.rule})" if event.refused else ""
    return f"user {event.uid} asked too fast for a row each: {said}{last}"


_EVENTS: Final[Mapping[type, Callable[[Any], str]]] = {
    events.Started: _started,
    events.Stopped: lambda _: "the controller stops in good order",
    events.CuttingCardOut: lambda event: f"{event.device}: the cutting card",
    events.Pressed: lambda event: (
        f"{event.device}: {event.control} {'held' if event.held else 'pressed'}"
    ),
    events.DeviceOnline: lambda event: f"{event.device} is there (port {event.port})",
    events.DeviceLost: lambda event: f"{event.device} is gone: {event.why}",
    events.DeviceFault: lambda event: f"{event.device} has a fault: {event.text} ({event.code})",
    events.DeviceCleared: lambda event: f"{event.device} is well again",
    events.DeviceReports: _reports,
    events.DeviceRestarted: lambda event: f"{event.device} started anew",
    events.CardsInDoubt: lambda event: f"{event.device}: a card may be missing: {event.why}",
    events.CommandDone: lambda event: f"{event.device} has done command {event.id}",
    events.CommandFailed: lambda event: (
        f"{event.device} has not done command {event.id}: {event.why}"
    ),
    events.RefusalsCounted: _refusals_counted,
    events.ChanceGiven: lambda event: (
        f"the operating system's generator gives {len(event.bytes) // 2} random bytes"
        f" for box {event.box}"
    ),
}

_PROCEDURE: Final[Mapping[str, str]] = {
    ProcedureState.ASKED.value: "the round is suspended, four questions are put",
    ProcedureState.TRANSFER.value: "nothing is damaged, the cards go to another device",
    ProcedureState.REPLACE.value: "damaged cards are replaced, the others go to another device",
    ProcedureState.SHOE.value: "players may leave, the others finish from a dealing shoe",
    ProcedureState.RESUMED.value: "the round goes on",
    ProcedureState.ENDED.value: "the round is over",
}

_OUTCOMES: Final[Mapping[type, Callable[[Any], str]]] = {
    outcomes.Refused: lambda one: f"REFUSED: {one.why}",
    outcomes.Accepted: _accepted,
    outcomes.Dealt: _dealt,
    outcomes.Burned: lambda one: "burned, face down" if one.face_down else f"{one.card} is burned",
    outcomes.Commanded: lambda one: f"{one.device} is told: {_told(one.what)} (command {one.id})",
    outcomes.Prompted: lambda one: f"the dealer is told: {one.what}",
    outcomes.DrawDue: lambda one: f"chance is asked for the prize of box {one.box}",
    outcomes.Drawn: _drawn,
    outcomes.Reached: lambda one: f"--- {one.state} ---",
    outcomes.Settled: lambda one: f"{wager_words(one.row)}: {settled_words(one.row)}",
    outcomes.Corrected: _corrected,
    outcomes.Flagged: lambda one: f"NOTED: {one.what}",
    outcomes.Alarm: lambda one: f"ALARM: {told_so_often(one.what, one.times)}",
    outcomes.AlarmAnswered: lambda one: f"answered: {told_so_often(one.what, one.times)}",
    outcomes.LayoutInDoubt: lambda one: f"the dealer is asked: is the layout as shown? {one.why}",
    outcomes.Dropped: lambda one: f"DROPPED, it fits no more: {ask_words(one.what)}",
    outcomes.ProcedureReached: lambda one: (
        f"RULE 17, {one.device} ({one.text}): {_PROCEDURE.get(one.state, one.state)}"
    ),
    outcomes.Undecided: lambda one: f"NOT DECIDED, the round is suspended: {one.error}",
    outcomes.RoundOpened: lambda one: f"round {one.state.get('round', '?')} is opened",
}
