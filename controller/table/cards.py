"""Cards that come out, are burned, entered by hand or read late, and the shoe they come from."""

from collections.abc import Iterator

import msgspec

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.events import CardOut, NewCards, NewShoe, NotBurned, Use
from controller.game.dealing import errors_on_offer
from controller.game.exposure import is_face_down
from controller.game.hands import low_aces, said
from controller.game.moves import Burn, CardDealt, CardHeld, ErrorCard, Made
from controller.game.play import Play, RoundState
from controller.game.redo import face_of, loose_cards
from controller.game.shuffle import ShuffleState
from controller.game.turns import hands
from controller.game.wagers import cards_are_out
from controller.outcomes import Accepted, Alarm, Burned, Dealt, Flagged, Outcome, Prompted
from controller.table.alarms import raised
from controller.table.decision import Decision, make
from controller.table.handwork import CHECK
from controller.table.roles import SUPERVISORS
from controller.table.shuffling import FIRST_TO_THE_TABLE, due, place_of_cutting_card
from controller.table.state import (
    Ledger,
    TableState,
    cards_in_pack,
    cards_on_table,
    copies_in_pack,
    pack_rule,
    with_device,
)


def card_out(state: TableState, event: CardOut) -> Decision:
    """Take a card that came out: the burn card, or the next card of the round."""
    in_error = state.error_is_next
    state = msgspec.structs.replace(state, error_is_next=False)
    if event.by == "device":
        state = _out_of(state, event.device)
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


def _out_of(state: TableState, name: str) -> TableState:
    """Count down what is inside a device that a card left.

    A card that is entered by hand left before: the device says by itself how many are left.
    """
    device = state.devices.get(name)
    if device is None or not device.cards_inside:
        return state
    fewer = msgspec.structs.replace(device, cards_inside=device.cards_inside - 1)
    return with_device(state, name, fewer)


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
    in_error = in_error and before.state is not RoundState.WAGERS
    move = ErrorCard(card) if in_error else CardDealt(card)
    state, rule, follows = make(state, move)
    told: list[Outcome] = []
    if not before.no_more_bets and before.state is RoundState.WAGERS and before.boxes:
        told.append(Flagged(rule="5.2", what="the first card closed the wagers: nobody called it"))
    if state.shuffle is not None and before.boxes and not cards_are_out(before):
        rule_of_shuffle = "4.1.1" if state.shuffle.rule == FIRST_TO_THE_TABLE else "4.1.3"
        what = "the round began though a shuffle is due"
        told.append(Flagged(rule=rule_of_shuffle, what=what))
    told.append(_dealt(before, state.play, card, rule))
    return state, [*told, *follows]


def _dealt(before: Play, after: Play, card: Card, rule: str) -> Dealt:
    """Tell where a card went."""
    if len(errors_on_offer(after)) > len(errors_on_offer(before)):
        return Dealt(card=card, to="offered", rule=rule)
    if len(after.dealer) > len(before.dealer):
        return Dealt(card=card, to="dealer", rule=rule, total=said(after.dealer))
    had = {(box.number, hand.number): len(hand.cards) for box, hand in hands(before)}
    for box, hand in hands(after):
        if len(hand.cards) > had.get((box.number, hand.number), 0):
            total = said(hand.cards, low_aces(hand, after.game))
            return Dealt(
                card=card, to="box", rule=rule, box=box.number, hand=hand.number, total=total
            )
    return Dealt(card=card, to="undue", rule=rule)


def check_pack(
    state: TableState, card: Card, *, face_down: bool = False
) -> tuple[TableState, tuple[Alarm, ...]]:
    """Raise an alarm for a card that the pack cannot hold, or not so often (3.1, 18.4.1).

    ``face_down`` is for the burn card: its face is not told (4.7), nor is that of a card which a
    player has not exposed yet (3.5.2).
    """
    game = state.play.game
    most = copies_in_pack(game, card)
    out = state.ledger.out.get(card, 0)
    if out <= most:
        return state, ()
    rule = pack_rule(game)
    if face_down:
        return raised(state, "burn card", rule, "the burn card is one too many for this pack")
    if _lies_face_down(state.play, card):
        what = "a card that lies face down is one too many for this pack"
        return raised(state, "card face down", rule, what)
    if most == 0:
        what = f"{card} is not in this pack"
    else:
        what = f"{card} came out {out} times since the shuffle: the pack holds {most}"
    return raised(state, f"card {card}", rule, what)


def _lies_face_down(play: Play, card: Card) -> bool:
    return any(
        card in hand.cards and is_face_down(play, box, hand)
        for box in play.boxes
        for hand in box.hands
    )


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


def shoe(state: TableState, ask: NewShoe | NotBurned | Use) -> Decision:
    """Take note of a fresh shuffle, cut and load, or of a forgotten burn (4, 16.9).

    Raises:
        NotAllowed: the cards cannot be loaded there now.
    """
    if isinstance(ask, NotBurned):
        return _not_burned(state, ask)
    told: list[Outcome] = [*_left_behind(state)]
    if isinstance(ask, Use):
        told += _use(state, ask)
        state = msgspec.structs.replace(state, source=ask.device)
    # What lies on the layout did not go back into the shoe (16.7).
    outside = dict(cards_on_table(state))
    named = ask.set if isinstance(ask, NewShoe) else ""
    # In a round it is the same set of cards, from the discard rack.
    which = named or (state.ledger.set if outside else "")
    ledger = Ledger(shoe=state.ledger.shoe + 1, out=outside, burn_is_due=True, set=which)
    state = msgspec.structs.replace(state, ledger=ledger, shuffle=None)
    rule = "4.6" if isinstance(ask, Use) else "4.5"
    return Decision(state, (Accepted(what=msgspec.to_builtins(ask), rule=rule), *told))


def _not_burned(state: TableState, ask: NotBurned) -> Decision:
    """16.9: the card that comes next stays in play."""
    told: list[Outcome] = [Accepted(what=msgspec.to_builtins(ask), rule="16.9")]
    if not state.ledger.burn_is_due:
        told.append(Flagged(rule="16.9", what="no card was to be burned"))
    ledger = msgspec.structs.replace(state.ledger, burn_is_due=False, burn_is_forgotten=True)
    return Decision(msgspec.structs.replace(state, ledger=ledger), tuple(told))


def _left_behind(state: TableState) -> Iterator[Flagged]:
    """Flag a shoe that is changed with cards left (4.1), or in the procedure of rule 17."""
    ledger = state.ledger
    left = cards_in_pack(state.play.game) - ledger.count
    if ledger.count and not ledger.cutting_card and left:
        yield Flagged(rule="4.1", what=f"{left} cards were left when the shoe was changed")
    if state.malfunction is not None:
        what = "the shoe was changed in the procedure of rule 17: its steps are still to be done"
        yield Flagged(rule="17.1", what=what)


def _use(state: TableState, ask: Use) -> list[Outcome]:
    """Check where the cards are said to come from now (3.5); in a round it is seen (17.1).

    Raises:
        NotAllowed: no cards can come from there, or the procedure of rule 17 is open.
    """
    device = state.devices.get(ask.device)
    if device is None or device.role not in {"shoe", "shuffler"}:
        raise NotAllowed(
            "3.5", f"cards are dealt from a shoe or shuffling device, not {ask.device}"
        )
    if state.malfunction is not None:
        raise NotAllowed("17.1", "the procedure says where the cards go: finish it first")
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
    elif card not in (*state.play.undue, *errors_on_offer(state.play)):
        ledger = ledger.with_card(card)
        state = _out_of(state, state.source)
    waited = card in state.play.undue
    state, rule, follows = make(msgspec.structs.replace(state, ledger=ledger), ask)
    if waited:
        state = msgspec.structs.replace(state, history=_held(state))
    state, alarms = check_pack(state, card)
    return Decision(state, (Burned(card=card, rule=rule), *follows, *alarms))
