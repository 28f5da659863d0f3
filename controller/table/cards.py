"""Cards that come out, are burned, entered by hand or read late, and the shoe they come from."""

import msgspec

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.events import AnswerAlarm, CardOut, NewCards, NewShoe, NotBurned, Use
from controller.game.hands import low_aces, said
from controller.game.moves import Burn, CardDealt, CardHeld, ErrorCard, Made
from controller.game.play import Play, RoundState, find_hand
from controller.game.redo import face_of, loose_cards
from controller.game.shuffle import ShuffleState
from controller.game.turns import Place, next_place
from controller.game.wagers import cards_are_out
from controller.outcomes import Accepted, Alarm, Burned, Dealt, Flagged, Outcome, Prompted
from controller.table.decision import Decision, make
from controller.table.handwork import CHECK
from controller.table.roles import SUPERVISORS
from controller.table.shuffling import due, place_of_cutting_card
from controller.table.state import Ledger, TableState, cards_in_pack, cards_on_table, copies_in_pack


def card_out(state: TableState, event: CardOut) -> Decision:
    """Take a card that came out: the burn card, or the next card of the round."""
    in_error = state.error_is_next
    state = msgspec.structs.replace(state, error_is_next=False)
    ledger = state.ledger.with_card(event.card)
    burned = ledger.burn_is_due and event.device == state.source
    told: list[Outcome] = []
    if burned:
        ledger = msgspec.structs.replace(ledger, burn_is_due=False)
        state = msgspec.structs.replace(state, ledger=ledger)
        told.append(Burned(card=event.card, rule="4.7", face_down=True))
    elif rule := _is_undue(state, event):
        waiting = (*state.in_hand, event.card)
        state = msgspec.structs.replace(state, ledger=ledger, in_hand=waiting)
        told.append(Dealt(card=event.card, to="undue", rule=rule))
    else:
        state = msgspec.structs.replace(state, ledger=ledger)
        state, laid = lay(state, event.card, in_error=in_error)
        told.extend(laid)
    state, alarms = check_pack(state, event.card, face_down=burned)
    return Decision(state, (*told, *alarms))


def _is_undue(state: TableState, event: CardOut) -> str | None:
    """Return the clause by which a card must wait for the dealer's word, or None."""
    if event.device != state.source:
        return "3.5"  # it came from a device that is not in use
    if state.malfunction is not None:
        return "17.1"
    # Behind the cards that the dealer holds: their place comes first.
    return "16.2" if state.in_hand else None


def lay(
    state: TableState, card: Card, *, in_error: bool = False
) -> tuple[TableState, list[Outcome]]:
    """Lay a card where the rules put it now."""
    before = state.play
    place = next_place(before)
    in_error = in_error and before.state is not RoundState.WAGERS
    move = ErrorCard(card) if in_error else CardDealt(card)
    state, rule, follows = make(state, move)
    told: list[Outcome] = []
    if not before.no_more_bets and before.state is RoundState.WAGERS and before.boxes:
        told.append(Flagged(rule="5.2", what="the first card closed the wagers: nobody called it"))
    if state.shuffle is not None and before.boxes and not cards_are_out(before):
        told.append(Flagged(rule="4.1.3", what="the round began though a shuffle is due"))
    if state.play.error_card and not before.error_card:
        told.append(Dealt(card=card, to="offered", rule=rule))
    else:
        told.append(_dealt(state.play, place, card, rule))
    return state, [*told, *follows]


def _dealt(after: Play, place: Place, card: Card, rule: str) -> Dealt:
    if place.box < 0:
        return Dealt(card=card, to="undue", rule=rule)
    if place.is_dealer:
        return Dealt(card=card, to="dealer", rule=rule, total=said(after.dealer))
    hand = find_hand(after, place.box, place.hand)
    total = said(hand.cards, low_aces(hand, after.game))
    return Dealt(card=card, to="box", rule=rule, box=place.box, hand=place.hand, total=total)


def check_pack(
    state: TableState, card: Card, *, face_down: bool = False
) -> tuple[TableState, tuple[Alarm, ...]]:
    """Raise an alarm for a card that the pack cannot hold, or not so often (3.1, 18.4.1).

    ``face_down`` is for the burn card: its face is not told (4.7).
    """
    game = state.play.game
    most = copies_in_pack(game, card)
    out = state.ledger.out.get(card, 0)
    if out <= most:
        return state, ()
    rule = "18.4.1" if game.is_pontoon else "3.1"
    if face_down:
        what = "the burn card is one too many for this pack: a supervisor looks at it"
    elif most == 0:
        what = f"{card} is not in this pack"
    else:
        what = f"{card} came out {out} times since the shuffle: the pack holds {most}"
    alarmed = msgspec.structs.replace(state, alarms=(*state.alarms, what))
    return alarmed, (Alarm(rule=rule, what=what),)


def enter(state: TableState, card: Card) -> Decision:
    """Take a card that the dealer enters because the device did not tell it."""
    source = state.devices.get(state.source)
    if source and source.online and not source.trouble and not state.in_doubt:
        raise NotAllowed("3.5", f"the {state.source} reads its cards itself")
    return card_out(state, CardOut(device=state.source, card=card, by="dealer"))


def cutting_card(state: TableState) -> Decision:
    """Note that the cutting card came out; a round that has begun goes on (4.1.2, 4.1.3)."""
    at = place_of_cutting_card(state)
    ledger = msgspec.structs.replace(state.ledger, cutting_card=True)
    state = msgspec.structs.replace(state, ledger=ledger)
    rule, when = ("4.1.2", "before") if at == "first" else ("4.1.3", "after")
    told = Flagged(rule=rule, what=f"the cutting card is out: shuffle {when} this round")
    if state.shuffle is not None:  # the second of two cutting cards (nz:3.3(b))
        return Decision(state, (told,))
    begun = due(state, "the cutting card is out", at)
    return Decision(begun.state, (told, *begun.outcomes))


def new_cards(state: TableState, ask: NewCards, by: str) -> Decision:
    """Replace the cards at a casino supervisor's word, when 3.4 allows it.

    Raises:
        NotAllowed: not by this person, or not now.
    """
    if by not in SUPERVISORS:
        raise NotAllowed("3.4", f"a casino supervisor has cards replaced, not the {by}")
    if state.play.state is not RoundState.WAGERS or state.play.boxes:
        raise NotAllowed("3.4", "cards are replaced between two rounds")
    if state.shuffle is not None and state.shuffle.state is not ShuffleState.DUE:
        raise NotAllowed("3.4.1", "cards are replaced before they are shuffled")
    source = state.devices.get(state.source)
    by_device = source is not None and source.role == "shuffler"
    if not by_device and state.ledger.count and not state.ledger.cutting_card:
        raise NotAllowed("3.4.1", "with a shoe, after the round in which the cutting card came")
    begun = due(state, "the cards are replaced", "new cards")
    check = Prompted(rule="3.3", what=CHECK)
    accepted = Accepted(what=msgspec.to_builtins(ask), rule="3.4.2" if by_device else "3.4.1")
    noted = msgspec.structs.replace(begun.state, note=CHECK)
    return Decision(noted, (accepted, check, *begun.outcomes))


def answer_alarm(state: TableState, ask: AnswerAlarm, by: str) -> Decision:
    """Take the word of a casino supervisor on the oldest alarm.

    Raises:
        NotAllowed: there is none, or not by this person.
    """
    if not state.alarms:
        raise NotAllowed("3.3", "no alarm waits for an answer")
    if by not in SUPERVISORS:
        raise NotAllowed("3.3", f"a casino supervisor answers an alarm, not the {by}")
    answered = msgspec.structs.replace(state, alarms=state.alarms[1:])
    return Decision(answered, (Accepted(what=msgspec.to_builtins(ask), rule="3.3"),))


def shoe(state: TableState, ask: NewShoe | NotBurned | Use) -> Decision:
    """Take note of a fresh shuffle, cut and load, or of a forgotten burn (4, 16.9)."""
    ledger = state.ledger
    flags: list[Flagged] = []
    if isinstance(ask, NotBurned):
        rule = "16.9"
        if not ledger.burn_is_due:
            flags.append(Flagged(rule=rule, what="no card was to be burned"))
        ledger = msgspec.structs.replace(ledger, burn_is_due=False, burn_is_forgotten=True)
    else:
        rule = "4.6" if isinstance(ask, Use) else "4.5"
        # What lies on the layout did not go back into the shoe (16.7).
        left = cards_in_pack(state.play.game) - ledger.count
        if ledger.count and not ledger.cutting_card and left:
            what = f"{left} cards were left when the shoe was changed"
            flags.append(Flagged(rule="4.1", what=what))
        outside = dict(cards_on_table(state))
        which = getattr(ask, "set", "")
        ledger = Ledger(shoe=ledger.shoe + 1, out=outside, burn_is_due=True, set=which)
    told: list[Outcome] = [Accepted(what=msgspec.to_builtins(ask), rule=rule), *flags]
    if isinstance(ask, Use):
        told += _use(state, ask)
        state = msgspec.structs.replace(state, source=ask.device)
    state = msgspec.structs.replace(state, ledger=ledger, shuffle=None)
    return Decision(state, tuple(told))


def _use(state: TableState, ask: Use) -> list[Outcome]:
    """Check where the cards are said to come from now (3.5); in a round it is seen (17.1).

    Raises:
        NotAllowed: no cards can come from there.
    """
    device = state.devices.get(ask.device)
    if device is None or device.role not in {"shoe", "shuffler"}:
        raise NotAllowed(
            "3.5", f"cards are dealt from a shoe or shuffling device, not {ask.device}"
        )
    if state.play.dealer or any(box.hands for box in state.play.boxes):
        return [Flagged(rule="17.1", what=f"{ask.device} was taken into use in the round")]
    return []


def _held(state: TableState) -> tuple[Made, ...]:
    """Return the history in which the card burned last was held: it is dealt nowhere again."""
    burned = loose_cards(state.play.game, state.history).burned
    at = next(came for came, gone in burned.items() if gone == len(state.history) - 1)
    face = face_of(state.history[at])
    assert face is not None
    return (*state.history[:at], CardHeld(face), *state.history[at + 1 :])


def burn(state: TableState, ask: Burn) -> Decision:
    """Put a card into the discard rack on the dealer's word (16.1, 16.5)."""
    card = ask.card
    ledger = state.ledger
    named = UNREAD if card not in state.in_hand and UNREAD in state.in_hand else card
    if named in state.in_hand and card not in state.play.undue:
        if named == UNREAD:  # the card in the hand could not be read: this is its face
            ledger = ledger.with_card(UNREAD, -1).with_card(card)
        held = list(state.in_hand)
        held.remove(named)
        state = msgspec.structs.replace(state, in_hand=tuple(held))
    elif card not in state.play.undue and card != state.play.error_card:
        ledger = ledger.with_card(card)
    waited = card in state.play.undue
    state, rule, follows = make(msgspec.structs.replace(state, ledger=ledger), ask)
    if waited:
        state = msgspec.structs.replace(state, history=_held(state))
    state, alarms = check_pack(state, card)
    return Decision(state, (Burned(card=card, rule=rule), *follows, *alarms))
