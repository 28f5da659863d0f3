"""Decide: what an event makes of the table.

Pure: a state and an event in, the next state and its outcomes out.  No clock (the time is in the
event), no chance (a draw would be an event), no I/O.  The same events always give the same table.
"""

from typing import Final

import msgspec

from controller.errors import NotAllowed
from controller.events import (
    Amend,
    AnswerAlarm,
    AnyEvent,
    Ask,
    Asked,
    CardOut,
    ChanceGiven,
    ClockStepped,
    ConfirmLayout,
    CopyFollows,
    CopyKept,
    CopyLost,
    CopySetBack,
    CuttingCardOut,
    CuttingCardSeen,
    Deal,
    DeclareFault,
    DeviceOnline,
    DiskEnough,
    DiskLow,
    EndRound,
    EnterCard,
    ErrorNext,
    ForNext,
    NewCards,
    NewShoe,
    NotBurned,
    OfOperator,
    OperatorsDiffer,
    Pressed,
    Read,
    Recovered,
    RefusalsCounted,
    Resume,
    SameAgain,
    SelfTested,
    Started,
    StateDue,
    Stopped,
    TakeBack,
    Use,
)
from controller.game.clauses import own_clause
from controller.game.house import AroundTheRound, AtBox, House
from controller.game.machine import machine_for
from controller.game.malfunction import ProcedureMove
from controller.game.moves import (
    Burn,
    CallDecisions,
    Cleared,
    Double,
    PressJackpot,
    Request,
    Split,
    Stand,
    Surrender,
    VoidRound,
    Wager,
)
from controller.game.play import Bet, Box, Play, RoundState
from controller.game.shuffle import ShuffleMove, ShuffleState
from controller.game.turns import hand_in_turn
from controller.outcomes import (
    Accepted,
    DrawDue,
    Outcome,
    Prompted,
    Refused,
    RoundOpened,
    StateKept,
    Undecided,
)
from controller.table.alarms import answer_alarm
from controller.table.attendance import clocked
from controller.table.boxes import at_box
from controller.table.cards import burn, card_out, cutting_card, enter, new_cards, shoe
from controller.table.commands import with_commands
from controller.table.controls import action_of, ask_of, keyed_box
from controller.table.counts import added_up
from controller.table.decision import Decision, doubt, make
from controller.table.devices import device
from controller.table.handwork import at_hand, before_play
from controller.table.house import around_the_round, beside
from controller.table.limits import new_sign
from controller.table.mending import mend
from controller.table.opening import open_round
from controller.table.operators_file import operators_differ
from controller.table.prizes import chance_given, draws_due
from controller.table.procedure import declare, kept_open, proceed
from controller.table.recovery import recovered
from controller.table.roles import SUPERVISORS
from controller.table.room import must_have_room, room_told
from controller.table.second_copy import copy_lost, copy_set_back
from controller.table.shuffling import NEW_GAME, due, out_of_cards, shuffle
from controller.table.state import Device, TableState
from controller.table.wagering import check_wager, remarks, with_seat
from controller.table.wallclock import clock_stepped

DECIDER: Final = 4
"""Counted up whenever the same events would give other outcomes than before."""


def decide(state: TableState | None, event: AnyEvent) -> Decision:
    """Return what ``event`` makes of ``state``; the first event of a table is ``Started``.

    A fault of this program loses nothing: the event is recorded as undecided and the round
    waits for the supervisor.
    """
    try:
        came_online = event.device if isinstance(event, DeviceOnline) else None
        decided = _decide(state if state is None else clocked(state, event), event)
        if state is not None:
            decided = out_of_cards(state, kept_open(state, decided))
            decided = added_up(state, beside(state, at_hand(state, decided)))
        return _carried_last(with_commands(decided, came_online))
    except Exception as fault:
        if state is None:
            raise
        error = f"{type(fault).__name__}: {fault}"
        suspended = msgspec.structs.replace(state, suspended=error)
        return Decision(suspended, (Undecided(error=error),))


def _carried_last(decision: Decision) -> Decision:
    """Let the row that carries the table's state come last and carry all of it: commands too."""
    carrying = [one for one in decision.outcomes if isinstance(one, RoundOpened | StateKept)]
    if not carrying:
        return decision
    others = [one for one in decision.outcomes if one not in carrying]
    return Decision(decision.state, (*others, type(carrying[0])(state=decision.state)))


def _decide(state: TableState | None, event: AnyEvent) -> Decision:
    if isinstance(event, Started):
        return _start(state, event)
    if isinstance(event, Recovered):
        return recovered(event)
    if state is None:
        raise ValueError("a table begins with Started")
    try:
        match event:
            case SelfTested() | CopyKept() | CopyFollows() | RefusalsCounted():
                return Decision(state, ())
            case DiskLow() | DiskEnough():
                return room_told(state, event)
            case CopyLost():
                return copy_lost(state, event)
            case CopySetBack():
                return copy_set_back(state, event)
            case OperatorsDiffer():
                return operators_differ(state, event)
            case ClockStepped():
                return clock_stepped(state, event)
            case Pressed():
                return _press(state, event)
            case Asked(ask=ask, by=by, mono=mono):
                return _ask(state, ask, by, mono)
            case CardOut():
                return card_out(state, event)
            case CuttingCardOut():
                return cutting_card(state)
            case ChanceGiven():
                return chance_given(state, event)
            case Stopped() | OfOperator():
                return Decision(state, ())
            case StateDue():
                return Decision(state, (StateKept(state=state),))
            case _:
                return device(state, event)
    except NotAllowed as refusal:
        if isinstance(event, Pressed):
            state = _unkeyed(state, event)
        rule = own_clause(state.play.game, refusal.rule)
        return Decision(state, (Refused(rule=rule, why=refusal.why),))


AT_THE_START: Final = "the game begins"


# --- the controller -------------------------------------------------------------------------------


def _start(state: TableState | None, event: Started) -> Decision:
    known = state.devices if state else {}
    # What a device reported is not forgotten: told again after a cut, it is nothing new.
    devices = {
        name: msgspec.structs.replace(known.get(name, Device(role=role)), role=role, online=False)
        for name, role in event.devices.items()
    }
    if state is None:
        first = tuple(before_play(event.game, cards_ready=event.cards_ready))
        fresh = TableState(
            version=event.version,
            decider=event.decider,
            config=event.config,
            game=event.game,
            controls=event.controls,
            play=Play(game=event.game),
            source=event.source,
            devices=devices,
            house=House(boot=event.boot),
            note=". ".join(one.what for one in first),
        )
        begun = Decision(fresh, ()) if event.cards_ready else due(fresh, AT_THE_START, NEW_GAME)
        opened = open_round(begun.state)
        return Decision(opened.state, (*first, *begun.outcomes, *opened.outcomes))
    signed = new_sign(state, event.game)
    offered = tuple(before_play(event.game, before=state.game))
    state = msgspec.structs.replace(
        signed.state,
        version=event.version,
        decider=event.decider,
        config=event.config,
        game=event.game,
        controls=event.controls,
        devices=devices,
        keyed=(),
    )
    doubted = doubt(state, "the controller was started again")
    told = (*signed.outcomes, *offered, *doubted.outcomes, *draws_due(state))
    return Decision(doubted.state, told)


# --- presses and requests -------------------------------------------------------------------------


def _press(state: TableState, event: Pressed) -> Decision:
    action = action_of(state, event)
    if action is None:
        return Decision(state, ())
    if keyed := keyed_box(state, action):
        return Decision(keyed, (Accepted(what={"do": action}),))
    return _ask(_unkeyed(state, event), ask_of(state, action), by=event.by, mono=event.mono)


def _unkeyed(state: TableState, press: Pressed) -> TableState:
    """Forget the box that was keyed; a player's button says nothing of the dealer's keys."""
    device = state.devices.get(press.device)
    if device is not None and device.role == "buttons":
        return state
    return msgspec.structs.replace(state, keyed=())


def _ask(state: TableState, ask: Ask, by: str, mono: int) -> Decision:
    if isinstance(ask, Resume):
        return _resume(state, ask, by)
    if state.suspended:
        raise NotAllowed("16.6", "the round is suspended: a supervisor must let it go on")
    match ask:
        case ConfirmLayout():
            return _confirm(state, ask)
        case EnterCard():
            return enter(state, ask.card)
        case NewShoe() | NotBurned() | Use():
            return shoe(state, ask)
        case CuttingCardSeen():
            return cutting_card(state)
        case ErrorNext():  # what happens: it is never refused
            expecting = msgspec.structs.replace(state, error_is_next=True)
            return Decision(expecting, (Accepted(what=msgspec.to_builtins(ask), rule="16.2"),))
        case Burn():
            return burn(state, ask)
        case Read():
            return mend(state, ask, by)
    if isinstance(ask, AnswerAlarm):
        return answer_alarm(state, ask, by)
    if isinstance(ask, AroundTheRound):
        return around_the_round(state, ask, by, mono)
    if isinstance(ask, EndRound):
        return _end_round(state, ask, by)
    if isinstance(ask, ProcedureMove):
        return proceed(state, ask, by)
    if state.malfunction is not None:
        raise NotAllowed("17.1", f"the round is suspended: {state.malfunction.text}")
    if isinstance(ask, DeclareFault):
        return declare(state, ask)
    if state.in_doubt:
        raise NotAllowed("16.6", f"is the layout as shown? {state.in_doubt}: confirm it first")
    must_have_room(state, ask)
    if isinstance(ask, TakeBack | ForNext | Amend | Deal):
        return mend(state, ask, by)
    if isinstance(ask, ShuffleMove):
        return _shuffle(state, ask, by)
    if isinstance(ask, NewCards):
        return new_cards(state, ask, by)
    if isinstance(ask, SameAgain):
        return _same_again(state, ask)
    if isinstance(ask, AtBox):
        return at_box(state, ask)
    return _move(state, ask)


def _move(state: TableState, ask: Request) -> Decision:
    if isinstance(ask, Cleared) and state.in_hand:
        raise NotAllowed("16.2", f"{state.in_hand[0]} is in your hand: deal it or burn it first")
    if isinstance(ask, Wager):
        check_wager(state, ask)
    before, was = state.play, state
    state, rule, follows = make(state, ask)
    if not isinstance(ask, PressJackpot | Surrender):  # a player's, whatever the dealer keys
        state = msgspec.structs.replace(state, keyed=())
    told: list[Outcome] = [_accepted(before, ask, rule)]
    if isinstance(ask, Wager):
        state = with_seat(state, ask.player)
        told += remarks(was, state, ask)
    told += follows
    if isinstance(ask, PressJackpot):
        told.append(DrawDue(box=ask.box))
    if isinstance(ask, Surrender):  # 18.3.1.5
        state = msgspec.structs.replace(state, note=f"Lay the surrender marker on box {ask.box}")
        told.append(Prompted(rule="18.6.2", what=state.note))
    if isinstance(ask, Cleared):
        opened = open_round(state)
        return Decision(opened.state, (*told, *opened.outcomes))
    return Decision(state, tuple(told))


def _shuffle(state: TableState, ask: ShuffleMove, by: str) -> Decision:
    """Take a step of the shuffle; with the last one the cards are loaded."""
    stepped = shuffle(state, ask, by)
    assert stepped.state.shuffle is not None
    if stepped.state.shuffle.state is not ShuffleState.LOADED:
        return stepped
    loaded = shoe(stepped.state, NewShoe())
    return Decision(loaded.state, (*stepped.outcomes, *loaded.outcomes))


def _end_round(state: TableState, ask: EndRound, by: str) -> Decision:
    """16.6: a casino supervisor may declare the round void; an inspector may not."""
    if by not in SUPERVISORS:
        raise NotAllowed("16.6", f"a casino supervisor declares a round void, not the {by}")
    state, rule, follows = make(state, VoidRound(rule="16.6"))
    state = msgspec.structs.replace(state, malfunction=None)
    return Decision(state, (Accepted(what=msgspec.to_builtins(ask), rule=rule), *follows))


def _accepted(play: Play, ask: Request, rule: str) -> Accepted:
    turn = hand_in_turn(play) if isinstance(ask, Stand | Double | Split) else None
    return Accepted(
        what=msgspec.to_builtins(ask),
        rule=rule,
        box=turn[0].number if turn else None,
        hand=turn[1].number if turn else None,
    )


def _resume(state: TableState, ask: Resume, by: str) -> Decision:
    if not state.suspended:
        raise NotAllowed("16.6", "the round is not suspended")
    if by not in SUPERVISORS:
        raise NotAllowed("16.6", f"a supervisor lets the round go on, not the {by}")
    going = msgspec.structs.replace(state, suspended="")
    doubted = doubt(going, "an event could not be decided")
    return Decision(doubted.state, (Accepted(what=msgspec.to_builtins(ask)), *doubted.outcomes))


def _confirm(state: TableState, ask: ConfirmLayout) -> Decision:
    if not state.in_doubt:
        raise NotAllowed("16.6", "the layout is not in doubt")
    sure = msgspec.structs.replace(state, in_doubt="")
    return Decision(sure, (Accepted(what=msgspec.to_builtins(ask)),))


def _same_again(state: TableState, ask: SameAgain) -> Decision:
    if state.play.state is not RoundState.WAGERS or not state.last_boxes:
        raise NotAllowed("5.2", "there is no last round to repeat, or the wagers are closed")
    told: list[Outcome] = [Accepted(what=msgspec.to_builtins(ask), rule="5.2")]
    for box in state.last_boxes:
        for bet in box.bets:
            wager, was = _again(box, bet), state
            check_wager(state, wager)
            state, _, _ = make(state, wager)
            state = with_seat(state, wager.player)
            told += remarks(was, state, wager)
        said = CallDecisions(box.number, box.said, box.because)
        if box.because != "seated" and machine_for(state.play.game).allows(state.play, said):
            state, _, _ = make(state, said)
    return Decision(state, tuple(told))


def _again(box: Box, bet: Bet) -> Wager:
    """Return the wager once more; what was not there is left out, and so are vouchers (1.1)."""
    return Wager(
        box=box.number,
        player=bet.player,
        main=bet.main,
        super_sevens=bet.super_sevens or None,
        perfect_pairs=bet.perfect_pairs or None,
        pandemonium=bet.pandemonium or None,
        controls=bet.player == box.said and box.because == "seated",
    )
