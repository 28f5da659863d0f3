"""The one sentence that tells the dealer what comes next, in the words of the table."""

from controller.cards import UNREAD
from controller.game import offers
from controller.game.dealing import errors_on_offer
from controller.game.exposure import is_face_down
from controller.game.hands import low_aces, said
from controller.game.machine import machine_for
from controller.game.moves import Double, Move, RefuseCard, Split, Stand
from controller.game.play import Box, Hand, Play, RoundState
from controller.game.settlement import pending, settlements
from controller.game.shuffle import ShuffleState
from controller.game.side_wagers import jackpot_due
from controller.game.turns import (
    DEALER,
    awaits_double_card,
    hand_for_card,
    hand_in_turn,
    is_split_ace,
    next_place,
)
from controller.table.handwork import name
from controller.table.house_view import due_words
from controller.table.misfits import misfits_named
from controller.table.procedure_view import next_words
from controller.table.room import no_round_words
from controller.table.shuffling import is_out, under_way, words
from controller.table.state import TableState


def going_on_says(state: TableState) -> str:
    """Return what *go on* means now, as a label for the pedal; empty if nothing."""
    if state.suspended or state.malfunction is not None:
        return ""
    if state.in_doubt:
        return "layout is as shown"
    if state.play.state is RoundState.WAGERS:
        return "no more bets" if state.play.boxes else ""
    if turn := hand_in_turn(state.play):
        return f"{name(*turn)} stands" if _allows(state.play, Stand()) else ""
    if state.play.state is RoundState.VOID:
        return "given back and cleared"
    return "paid and cleared" if state.play.state is RoundState.FINAL_SETTLEMENT else ""


def prompt(state: TableState) -> str:
    """Return what the dealer does next."""
    if state.suspended:
        return f"Stop. The round is suspended, call the supervisor: {state.suspended}"
    if state.malfunction is not None:
        return next_words(state)
    if state.in_doubt:
        return f"Is the layout as shown? ({state.in_doubt})"
    if state.in_hand:
        return f"{state.in_hand[0]} is in your hand: deal it or burn it"
    if state.play.undue:
        return f"{state.play.undue[0]} was not due: say what becomes of it"
    if place := _place_of_unread(state.play):
        return f"A card could not be read: enter {place}"
    if state.ledger.burn_is_due:
        return "Burn the first card, face down"
    note = f"{state.note}. " if state.note else ""
    if state.error_is_next:
        note += "The next card comes in error (16.2). "
    if state.shuffle is not None and is_out(state):
        if state.shuffle.state is not ShuffleState.DUE:
            return words(state.shuffle)
        note = f"{words(state.shuffle)}. {note}"
    return note + _round_prompt(state)


def _round_prompt(state: TableState) -> str:
    play = state.play
    match play.state:
        case RoundState.WAGERS:
            if (shuffle := under_way(state)) is not None:
                return ". ".join(filter(None, [words(shuffle), no_round_words(state)]))
            first = "".join(f"{line}. " for line in due_words(state))
            waits = no_round_words(state) or "Place your bets"
            return first + ("No more bets?" if play.boxes else waits)
        case RoundState.INITIAL_DEAL:
            first = "".join(f"{line}. " for line in misfits_named(state))
            return f"{first}Deal to {_next(play)}"
        case RoundState.VOID:
            return _void_words(state)
        case RoundState.FINAL_SETTLEMENT:
            return _last_words(play)
        case _:
            return _turn_prompt(play)


def _turn_prompt(play: Play) -> str:
    """Announce the total of the hand in turn and ask what it does (10.1, a split hand's 12.3)."""
    offered = offers.standing(play)
    first = f"{' and '.join(offered).capitalize()}? " if offered else ""
    if play.may_forfeit:
        first = f"Box {play.may_forfeit[0]}: forfeit? "
    turn = hand_in_turn(play)
    if turn is None:
        return f"{first}The dealer draws"
    box, hand = turn
    if play.error_card:
        return _offer(play, *(hand_for_card(play) or turn))
    if len(hand.cards) < 2:
        if is_split_ace(hand):  # 12.3.1, 12.5.4, 18.10.4
            return f"{first}{name(box, hand)}: deal its one card, sideways and face up"
        return f"{first}{name(box, hand)}: deal its second card"
    if awaits_double_card(hand):  # 11.3
        return f"{first}{name(box, hand)} doubled: one card, sideways and face up"
    if is_face_down(play, box, hand):
        return f"{first}{name(box, hand)}, face down: expose, stand, or a card, then exposed?"
    choices = ["card"]
    choices += ["stand"] * _allows(play, Stand())
    choices += ["double"] * _allows(play, Double())
    choices += ["split"] * _allows(play, Split())
    total = said(hand.cards, low_aces(hand, play.game))
    return f"{first}{name(box, hand)} has {total}: {', '.join(choices)}?"


def _offer(play: Play, box: Box, hand: Hand) -> str:
    """Ask the hand that a card in error would go to (16.2, 16.3)."""
    choices = "accept or refuse" if _allows(play, RefuseCard()) else "it takes it"
    others = [
        word for word, move in (("double", Double()), ("split", Split())) if _allows(play, move)
    ]
    first = f", or {' or '.join(others)} first" if others else ""
    return f"{name(box, hand)}: {play.error_card} was dealt in error, {choices}{first}?"


def _last_words(play: Play) -> str:
    waiting = [str(box.number) for box in play.boxes if jackpot_due(play, box)]
    if waiting:
        return f"Jackpot button of box {', '.join(waiting)}"
    if pending(play):
        return "Wait for the cards"
    if _shares_are_due(play):
        return "Pay the others their Super Bonus share, then take its cards away. Pay and clear"
    return "Pay and clear"


def _void_words(state: TableState) -> str:
    """Say what is done at the end of a void round: also what was paid before may be undone."""
    first = ["Give the wagers back"]
    if state.settled_before:
        first.append("put right what was settled before")
    if _shares_are_due(state.play):
        first.append("pay the others their Super Bonus share")
    return f"The round is void. {', '.join(first)} and clear"


def _shares_are_due(play: Play) -> bool:
    """Tell whether somebody gets the $50 beside a Super Bonus (18.7.2.3)."""
    return any(row.wager == "super-bonus-share" for row in settlements(play))


def _next(play: Play) -> str:
    place = next_place(play)
    return "the dealer" if place == DEALER else f"box {place.box}"


def _place_of_unread(play: Play) -> str:
    for box in play.boxes:
        if any(UNREAD in hand.cards for hand in box.hands):
            return f"the card on box {box.number}"
    if UNREAD in play.dealer:
        return "the dealer's card"
    if UNREAD in errors_on_offer(play):
        return "the card on offer"
    return "the card that waits" if UNREAD in play.undue else ""


def _allows(play: Play, move: Move) -> bool:
    return machine_for(play.game).allows(play, move)
