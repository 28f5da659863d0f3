"""Rounds in a line of words: how the tests of the rules lay a table."""

from collections.abc import Iterable
from typing import Final

from controller.cards import UNREAD, Card, parse_card
from controller.game.machine import machine_for
from controller.game.moves import CardDealt, Move, NoMoreBets, Wager
from controller.game.options import Game, build
from controller.game.play import Play

BLACKJACK: Final = build("blackjack-nsw", {})
PONTOON: Final = build("pontoon-nsw", {})
NEW_ZEALAND: Final = build("pontoon-nz", {})
RESPLIT: Final = build("blackjack-nsw", {"resplit": "true"})


def cards(words: str) -> tuple[Card, ...]:
    """Return the cards of a line: ``7S KD ??``."""
    return tuple(UNREAD if word == UNREAD else parse_card(word) for word in words.split())


def wager(box: int = 1, player: str = "ann", main: int | None = 1000) -> Wager:
    """Return a wager of $10, unless another amount in cents is given."""
    return Wager(box=box, player=player, main=main)


def table(game: Game, *made: Move | str) -> Play:
    """Return a round after what was made in it; a line of words is cards dealt.

    Without a wager among them there is one of ann on box 1.
    """
    if not any(isinstance(one, Wager) for one in made):
        made = (wager(), *made)
    return then(Play(game=game), *made)


def then(play: Play, *made: Move | str) -> Play:
    """Return a round after more was made in it."""
    machine = machine_for(play.game)
    for move in _moves(made):
        play = machine.apply(play, move)
    return play


def dealt(game: Game, *made: Move | str) -> Play:
    """Return a round with "no more bets" called between its wagers and the rest."""
    wagers = [one for one in made if isinstance(one, Wager)] or [wager()]
    return table(game, *wagers, NoMoreBets(), *(one for one in made if one not in wagers))


def _moves(made: Iterable[Move | str]) -> Iterable[Move]:
    for one in made:
        if isinstance(one, str):
            yield from map(CardDealt, cards(one))
        else:
            yield one
