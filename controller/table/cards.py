"""Cards that come out, are burned, entered by hand or read late, and the shoe they come from."""

import msgspec

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.events import (
    Accepted,
    Alarm,
    Burned,
    CardOut,
    Dealt,
    Flagged,
    NewShoe,
    NotBurned,
    Outcome,
)
from controller.game.hands import low_aces, said
from controller.game.machine import machine_for
from controller.game.moves import Burn, CardDealt, Read
from controller.game.play import Play, RoundState, find_hand
from controller.game.turns import Place, next_place
from controller.table.decision import Decision, changes
from controller.table.state import Ledger, TableState, cards_on_layout, copies_in_pack


def card_out(state: TableState, event: CardOut) -> Decision:
    """Take a card that came out: the burn card, or the next card of the round."""
    ledger = state.ledger.with_card(event.card)
    told: list[Outcome] = []
    if ledger.burn_is_due:
        ledger = msgspec.structs.replace(ledger, burn_is_due=False)
        state = msgspec.structs.replace(state, ledger=ledger)
        told.append(Burned(card=event.card, rule="4.7", face_down=True))
    else:
        state = msgspec.structs.replace(state, ledger=ledger)
        state, laid = _deal(state, event.card)
        told.extend(laid)
    state, alarms = _check_pack(state, event.card)
    return Decision(state, (*told, *alarms))


def _deal(state: TableState, card: Card) -> tuple[TableState, list[Outcome]]:
    before = state.play
    place = next_place(before)
    after, rule = machine_for(before.game).cited(before, CardDealt(card))
    told: list[Outcome] = []
    if before.state is RoundState.WAGERS and before.boxes:
        told.append(Flagged(rule="5.2", what="the first card closed the wagers: nobody called it"))
    told.append(_dealt(after, place, card, rule))
    told.extend(changes(before, after))
    return msgspec.structs.replace(state, play=after), told


def _dealt(after: Play, place: Place, card: Card, rule: str) -> Dealt:
    if place.box < 0:
        return Dealt(card=card, to="undue", rule=rule)
    if place.is_dealer:
        return Dealt(card=card, to="dealer", rule=rule, total=said(after.dealer))
    hand = find_hand(after, place.box, place.hand)
    total = said(hand.cards, low_aces(hand, after.game))
    return Dealt(card=card, to="box", rule=rule, box=place.box, hand=place.hand, total=total)


def _check_pack(state: TableState, card: Card) -> tuple[TableState, tuple[Alarm, ...]]:
    """Raise an alarm for a card that the pack cannot hold, or not so often (3.1, 18.4.1)."""
    game = state.play.game
    most = copies_in_pack(game, card)
    out = state.ledger.out.get(card, 0)
    if out <= most:
        return state, ()
    rule = "18.4.1" if game.is_pontoon else "3.1"
    if most == 0:
        what = f"{card} is not in this pack"
    else:
        what = f"{card} came out {out} times since the shuffle: the pack holds {most}"
    alarmed = msgspec.structs.replace(state, alarms=(*state.alarms, what))
    return alarmed, (Alarm(rule=rule, what=what),)


def enter(state: TableState, card: Card) -> Decision:
    """Take a card that the dealer enters because the device did not tell it."""
    source = state.devices.get(state.source)
    if source and source.online and not state.in_doubt:
        raise NotAllowed("3.5", f"the {state.source} reads its cards itself")
    return card_out(state, CardOut(device=state.source, card=card, by="dealer"))


def cutting_card(state: TableState) -> Decision:
    """Note that the cutting card came out; the round goes on (4.1.3)."""
    ledger = msgspec.structs.replace(state.ledger, cutting_card=True)
    told = Flagged(rule="4.1", what="the cutting card is out: shuffle after this round")
    return Decision(msgspec.structs.replace(state, ledger=ledger), (told,))


def shoe(state: TableState, ask: NewShoe | NotBurned) -> Decision:
    """Take note of a fresh shuffle, cut and load, or of a forgotten burn (4, 16.9)."""
    ledger = state.ledger
    if isinstance(ask, NotBurned):
        if not ledger.burn_is_due:
            raise NotAllowed("16.9", "no card is to be burned now")
        ledger = msgspec.structs.replace(ledger, burn_is_due=False, burn_is_forgotten=True)
        alarms = state.alarms
    else:
        # What lies on the layout did not go back into the shoe (16.7).
        on_layout = dict(cards_on_layout(state.play))
        ledger = Ledger(shoe=ledger.shoe + 1, out=on_layout, burn_is_due=True)
        alarms = ()
    state = msgspec.structs.replace(state, ledger=ledger, alarms=alarms)
    return Decision(state, (Accepted(what=msgspec.to_builtins(ask)),))


def burn(state: TableState, ask: Burn) -> Decision:
    """Put a card into the discard rack on the dealer's word (16.1, 16.5)."""
    card = ask.card
    waited = card in state.play.undue
    after, rule = machine_for(state.play.game).cited(state.play, ask)
    ledger = state.ledger if waited else state.ledger.with_card(card)
    state = msgspec.structs.replace(state, play=after, ledger=ledger)
    state, alarms = _check_pack(state, card)
    return Decision(state, (Burned(card=card, rule=rule), *alarms))


def read(state: TableState, ask: Read) -> Decision:
    """Give the oldest unread card its face."""
    before, card = state.play, ask.card
    after, rule = machine_for(before.game).cited(before, ask)
    ledger = state.ledger.with_card(UNREAD, -1).with_card(card)
    state = msgspec.structs.replace(state, play=after, ledger=ledger)
    state, alarms = _check_pack(state, card)
    accepted = Accepted(what=msgspec.to_builtins(ask), rule=rule)
    return Decision(state, (accepted, *changes(before, after), *alarms))
