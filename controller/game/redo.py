"""The round played again from its moves: how a slip is mended.

Nothing is taken out of the round as it lies there.  What was made is put right, and all of it is
played again; what no longer fits is told.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.game.dealing import errors_on_offer
from controller.game.machine import machine_for
from controller.game.moves import Burn, CardDealt, CardHeld, ErrorCard, Made
from controller.game.options import Game
from controller.game.play import Play


class Replayed(NamedTuple):
    """The round as it is now, and the decisions that do not fit any more."""

    play: Play
    dropped: tuple[Made, ...]


def replay(game: Game, moves: Iterable[Made]) -> Replayed:
    """Play a round of the game from its moves.

    A card always goes somewhere; a decision that is not open any more is dropped.
    """
    play, machine = Play(game=game), machine_for(game)
    dropped = []
    for move in moves:
        try:
            play = machine.apply(play, move)
        except NotAllowed:
            dropped.append(move)
    return Replayed(play, tuple(dropped))


class Loose(NamedTuple):
    """Cards of the round that lie on no hand, by their place among the moves."""

    undue: tuple[int, ...]
    """They wait for the dealer's word."""
    burned: Mapping[int, int]
    """They waited and were burned; each with the place of the move that burned it."""


def loose_cards(game: Game, moves: Sequence[Made]) -> Loose:
    """Find the cards that have no place on a hand, and what became of them."""
    play, machine = Play(game=game), machine_for(game)
    waiting: list[int] = []
    burned: dict[int, int] = {}
    for at, move in enumerate(moves):
        try:
            play = machine.apply(play, move)
        except NotAllowed:
            continue
        left = Counter((*play.undue, *errors_on_offer(play)))
        waited = Counter(face_of(moves[one]) for one in waiting)
        face = face_of(move)
        if face is not None and left[face] > waited[face]:
            waiting.append(at)
        gone = _oldest_beyond(left, waiting, moves)
        waiting = [one for one in waiting if one not in gone]
        if isinstance(move, Burn) and gone:
            burned[gone[0]] = at
    offered = _oldest_beyond(Counter(play.undue), waiting, moves)
    return Loose(tuple(one for one in waiting if one not in offered), burned)


def _oldest_beyond(
    left: Counter[Card], waiting: Sequence[int], moves: Sequence[Made]
) -> tuple[int, ...]:
    """Return which of the waiting cards are not among those left; of equal ones the oldest."""
    left = left.copy()
    gone = []
    for at in reversed(waiting):
        face = face_of(moves[at])
        if face is None or not left[face]:
            gone.append(at)
        else:
            left[face] -= 1
    return tuple(reversed(gone))


def face_of(move: Made) -> Card | None:
    """Return the face of a card that came out; None for any other move."""
    return move.card if isinstance(move, CardDealt | CardHeld | ErrorCard) else None


def amended(game: Game, moves: Sequence[Made], number: int, card: Card) -> tuple[Made, ...]:
    """Return the moves with another face on the n-th card of the round, counted from 1.

    Raises:
        NotAllowed: so many cards did not come out.
    """
    cards = [at for at, move in enumerate(moves) if face_of(move)]
    if not 1 <= number <= len(cards):
        raise NotAllowed("16.6", f"this round has {len(cards)} cards, there is no card {number}")
    at = cards[number - 1]
    mended = list(moves)
    mended[at] = msgspec.structs.replace(moves[at], card=card)
    if (burn := loose_cards(game, moves).burned.get(at)) is not None:
        mended[burn] = Burn(card)
    return tuple(mended)


def faces_of(moves: Iterable[Made]) -> list[Card]:
    """Return the faces of all cards of the round, in the order in which they came out."""
    return [face for face in map(face_of, moves) if face is not None]


def named(game: Game, moves: Sequence[Made], card: Card) -> tuple[Made, ...]:
    """Return the moves with a face on the oldest card that could not be read.

    Raises:
        NotAllowed: every card could be read.
    """
    faces = faces_of(moves)
    if UNREAD not in faces:
        raise NotAllowed("10.4", "every card could be read")
    return amended(game, moves, faces.index(UNREAD) + 1, card)
