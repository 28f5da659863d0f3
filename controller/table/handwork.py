"""What the dealer's hands do beside dealing: told when it is due, and recorded as a prompt."""

from collections.abc import Iterator

import msgspec

from controller.game.hands import is_bust
from controller.game.options import Game
from controller.game.play import Box, Hand, Play
from controller.game.turns import hands, is_split_ace
from controller.outcomes import Prompted
from controller.table.decision import Decision
from controller.table.state import TableState

CHECK = "Check the cards before they are used"


def before_play(
    game: Game, before: Game | None = None, *, cards_ready: bool = False
) -> Iterator[Prompted]:
    """Tell what is done before play starts at a table, beside the shuffle (3.3, 11.2.1, 12.5.1).

    ``before`` is the game as it was offered until now: the players are told what is new.
    """
    if before is None and not cards_ready:
        yield Prompted(rule="3.3", what=CHECK)
    if game.double_with_ace and not (before and before.double_with_ace):
        what = "Tell the players: 9, 10 or 11 with an ace may double, and the ace counts 1"
        yield Prompted(rule="11.2.1", what=what)
    if game.resplit and not (before and before.resplit):
        what = "Tell the players: a pair may be split once more, to a third hand"
        yield Prompted(rule="12.5.1", what=what)


def at_hand(before: TableState, decided: Decision) -> Decision:
    """Add to a decision what it has the dealer do with cards and wagers on the layout."""
    state = decided.state
    if state.round != before.round:
        return decided
    told = [*_doubled_or_split(before.play, state.play)]
    now = [*_collected(before.play, state.play), *_forfeited(before.play, state.play)]
    if now:  # what else is due stands in the dealer's next sentence anyway
        note = ". ".join(filter(None, (state.note, *(one.what for one in now))))
        state = msgspec.structs.replace(state, note=note)
    return Decision(state, (*decided.outcomes, *told, *now))


def name(box: Box, hand: Hand) -> str:
    """Return how the dealer is told of a hand: by its box, and its number where there are more."""
    return f"Box {box.number}" if len(box.hands) < 2 else f"Box {box.number} hand {hand.number}"


def _was(play: Play, box: Box, hand: Hand) -> Hand | None:
    there = play.box(box.number)
    return next((one for one in there.hands if one.number == hand.number), None) if there else None


def _collected(before: Play, after: Play) -> Iterator[Prompted]:
    """10.5: cards of a hand over 21 are collected at once."""
    for box, hand in hands(after):
        was = _was(before, box, hand)
        if is_bust(hand, after.game) and not (was and is_bust(was, before.game)):
            what = f"{name(box, hand)} is over 21: collect its wagers and cards"
            yield Prompted(rule="10.5", what=what)


def _doubled_or_split(before: Play, after: Play) -> Iterator[Prompted]:
    """11.3, 12.3.1, 12.5.4, 18.10.4: cards that are laid sideways."""
    for box, hand in hands(after):
        was = _was(before, box, hand)
        if hand.doubled_on and not (was and was.doubled_on):
            yield Prompted(rule="11.3", what=f"{name(box, hand)}: one card, sideways and face up")
        if was is None and is_split_ace(hand):
            rule = "18.10.4" if after.game.is_pontoon else "12.5.4" if hand.number > 2 else "12.3.1"
            what = f"Box {box.number}: one card on each ace, sideways and face up"
            yield Prompted(rule=rule, what=what)


def _forfeited(before: Play, after: Play) -> Iterator[Prompted]:
    """18.9.6: the doubled portion goes back, the original goes; the cards too if nobody is left."""
    for box, hand in hands(after):
        was = _was(before, box, hand)
        gone = [one for one in hand.forfeited if not (was and one in was.forfeited)]
        if gone:
            who = " and ".join(gone)
            what = f"{name(box, hand)}: give {who} the double back and take the original wager"
            if set(hand.forfeited) >= set(box.live(hand)):
                what += ", then collect the cards"
            yield Prompted(rule="18.9.6", what=what)
