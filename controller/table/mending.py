"""Slips are mended by deciding again: nothing is erased, everything is played anew.

Each of these is an event of its own.  What was made in the round is put right, the round is
played again from it, and what was settled otherwise is told as a correction.  Past a payment, or
for more than the dealer's own last step, it needs a game supervisor.
"""

from collections.abc import Sequence

import msgspec

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.events import Amend, Deal, ForNext, Read, TakeBack
from controller.game.machine import machine_for
from controller.game.moves import (
    Burn,
    CardDealt,
    ErrorCard,
    GivenBack,
    Leave,
    Made,
    PressJackpot,
    PrizeDrawn,
    Stand,
    VoidRound,
    Wager,
    Withdraw,
)
from controller.game.redo import amended, face_of, faces_of, loose_cards, named, replay
from controller.game.turns import UNDUE, hand_for_card, next_place
from controller.outcomes import Accepted, Corrected, Dropped, Outcome
from controller.table.cards import check_pack, lay
from controller.table.decision import Decision, changes, settled_before
from controller.table.roles import SUPERVISORS
from controller.table.state import TableState

Moves = Sequence[Made]
Mend = TakeBack | ForNext | Amend | Read | Deal


def mend(state: TableState, ask: Mend, by: str) -> Decision:
    """Mend a slip; ``by`` is the role of who asks.

    Raises:
        NotAllowed: there is nothing of the kind to mend, or it needs a supervisor.
    """
    match ask:
        case TakeBack():
            return _take_back(state, ask, by)
        case ForNext():
            return _for_next(state, ask, by)
        case Amend():
            mended = _replay(
                state, ask, amended(state.play.game, state.history, ask.number, ask.card)
            )
            _need_supervisor_past_payment(mended, by)
            return _with_new_face(mended, state.history, ask.card)
        case Read():
            return _read(state, ask, by)
        case Deal():
            return _deal(state, ask, by)


def _read(state: TableState, ask: Read, by: str) -> Decision:
    """Name the oldest unread card: on the layout, else in the dealer's hand."""
    if UNREAD not in faces_of(state.history) and UNREAD in state.in_hand:
        at = state.in_hand.index(UNREAD)
        held = (*state.in_hand[:at], ask.card, *state.in_hand[at + 1 :])
        ledger = state.ledger.with_card(UNREAD, -1).with_card(ask.card)
        known = msgspec.structs.replace(state, in_hand=held, ledger=ledger)
        checked, alarms = check_pack(known, ask.card)
        return Decision(checked, (Accepted(what=msgspec.to_builtins(ask), rule="10.4"), *alarms))
    mended = _replay(state, ask, named(state.play.game, state.history, ask.card))
    _need_supervisor_past_payment(mended, by)
    return _with_new_face(mended, state.history, ask.card)


def last_step(state: TableState) -> Made | None:
    """Return what taking back would take back now: the last decision or card."""
    at = _last_step_at(state)
    return None if at is None else state.history[at]


def needs_supervisor(state: TableState) -> bool:
    """Tell whether taking back is past a payment, or more than the dealer's own last step."""
    return state.settled_something or state.taken_back > 0


def _last_step_at(state: TableState) -> int | None:
    """Return the place of the last decision or card; a card in the discard rack stays there."""
    burned = loose_cards(state.play.game, state.history).burned if state.play.burned else {}
    steps = [
        at
        for at, move in enumerate(state.history)
        if at not in burned and not isinstance(move, Wager | Withdraw | Burn)
    ]
    return steps[-1] if steps else None


def _take_back(state: TableState, ask: TakeBack, by: str) -> Decision:
    if state.error_is_next:  # the mark that the next card comes in error
        unmarked = msgspec.structs.replace(state, error_is_next=False)
        return Decision(unmarked, (Accepted(what=msgspec.to_builtins(ask), rule="16.2"),))
    at = _last_step_at(state)
    if at is None:
        raise NotAllowed("16.6", "nothing of this round can be taken back")
    if needs_supervisor(state) and by not in SUPERVISORS:
        raise _supervisor_needed()
    step = state.history[at]
    if isinstance(step, PrizeDrawn | PressJackpot):
        raise NotAllowed("18.14.6", "a prize that was drawn is not taken back")
    if isinstance(step, GivenBack):
        raise NotAllowed("17.1", "the steps of rule 17 are not taken back")
    if isinstance(step, VoidRound | Leave):
        raise NotAllowed(_clause(step), "wagers that were given back are not taken back")
    mended = _replay(state, ask, (*state.history[:at], *state.history[at + 1 :]))
    _need_supervisor_past_payment(mended, by)
    card = (step.card,) if isinstance(step, CardDealt | ErrorCard) else ()
    held = (*card, *state.in_hand)
    state = msgspec.structs.replace(mended.state, in_hand=held, taken_back=state.taken_back + 1)
    return Decision(state, mended.outcomes)


def _clause(step: VoidRound | Leave) -> str:
    return step.rule if isinstance(step, VoidRound) else "17.5.1"


def _for_next(state: TableState, ask: ForNext, by: str) -> Decision:
    at = _last_step_at(state)
    if at is None or not isinstance(state.history[at], CardDealt):
        raise NotAllowed("10.1.3", "the last step was no card")
    before = replay(state.play.game, state.history[:at]).play
    machine_for(before.game).apply(before, Stand())  # 10.2: a hand that must draw had not stood
    if needs_supervisor(state) and by not in SUPERVISORS:
        raise _supervisor_needed()
    mended = _replay(state, ask, (*state.history[:at], Stand(), *state.history[at:]))
    _need_supervisor_past_payment(mended, by)
    return mended


def _deal(state: TableState, ask: Deal, by: str) -> Decision:
    """Deal a waiting card: those in the dealer's hand in their order, else an undue one.

    A card that the dealer says was dealt in error may be any of those in the hand (16.2).
    """
    before, in_error = state, state.error_is_next
    if state.in_hand and (ask.card in state.in_hand or not in_error):
        if ask.card != state.in_hand[0] and not in_error:
            raise NotAllowed("16.2", f"{state.in_hand[0]} is the card that comes first")
        held = list(state.in_hand)
        held.remove(ask.card)
        state = msgspec.structs.replace(state, in_hand=tuple(held))
        told: tuple[Outcome, ...] = (Accepted(what=msgspec.to_builtins(ask), rule="16.2"),)
    elif ask.card in state.play.undue:
        loose = loose_cards(state.play.game, state.history).undue
        at = next(one for one in loose if face_of(state.history[one]) == ask.card)
        picked_up = _replay(state, ask, (*state.history[:at], *state.history[at + 1 :]))
        _need_supervisor_past_payment(picked_up, by)
        state, told = picked_up.state, picked_up.outcomes
    else:
        raise NotAllowed("16.2", f"no {ask.card} waits for a word")
    if next_place(state.play) == UNDUE and not (in_error and hand_for_card(state.play)):
        if not in_error:
            raise NotAllowed("16.2", f"no card is due: {ask.card} can be burned (16.5)")
        held_on = msgspec.structs.replace(before, error_is_next=False)
        return Decision(held_on, (Accepted(what=msgspec.to_builtins(ask), rule="16.5"),))
    state = msgspec.structs.replace(state, error_is_next=False)
    state, laid = lay(state, ask.card, in_error=in_error)
    return Decision(state, (*told, *laid))


def _replay(state: TableState, ask: Mend, moves: Moves) -> Decision:
    """Play the round again from the moves, and tell what has become of it."""
    before = state.play
    replayed = replay(before.game, moves)
    told: list[Outcome] = [Accepted(what=msgspec.to_builtins(ask), rule="16.6")]
    # A prize that was drawn stays drawn: it is kept for when the hand is pontoon again (18.14.6).
    dropped = [one for one in replayed.dropped if not isinstance(one, PressJackpot | PrizeDrawn)]
    told += [Dropped(what=msgspec.to_builtins(move)) for move in dropped]
    told += changes(before, replayed.play)
    kept = _without(moves, dropped)
    state = msgspec.structs.replace(
        state,
        play=replayed.play,
        history=kept,
        settled_before=settled_before(state, told),
        settled_something=False,
    )
    return Decision(state, tuple(told))


def _without(moves: Moves, dropped: Sequence[object]) -> tuple[Made, ...]:
    gone = [id(move) for move in dropped]
    return tuple(move for move in moves if id(move) not in gone)


def _with_new_face(mended: Decision, before: Moves, card: Card) -> Decision:
    """Put the ledger right after one card has got another face."""
    changed = zip(faces_of(before), faces_of(mended.state.history), strict=True)
    old = next((was for was, now in changed if was != now), card)
    ledger = mended.state.ledger
    if ledger.out.get(old):  # not so for a card that was shuffled again in mid-round (16.7)
        ledger = ledger.with_card(old, -1).with_card(card)
    state, alarms = check_pack(msgspec.structs.replace(mended.state, ledger=ledger), card)
    return Decision(state, (*mended.outcomes, *alarms))


def _need_supervisor_past_payment(mended: Decision, by: str) -> None:
    if by not in SUPERVISORS and any(isinstance(one, Corrected) for one in mended.outcomes):
        raise _supervisor_needed()


def _supervisor_needed() -> NotAllowed:
    return NotAllowed("16.6", "past a payment, or more than your last step: a game supervisor must")


def unread(state: TableState) -> int:
    """Return how many cards of the round could not be read and were not entered yet."""
    return [*faces_of(state.history), *state.in_hand].count(UNREAD)
