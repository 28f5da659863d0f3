"""What lies on the table in one round: wagers, cards and decisions, and nothing else.

A ``Play`` is never changed, only replaced.  Whatever can be worked out of it (whose turn it is,
what a wager is paid) is worked out, in ``turns``, ``hands`` and ``settlement``, and not kept.
"""

import enum
from typing import Any

import msgspec

from controller.cards import Card
from controller.game.callers import Reason, holds, who_calls
from controller.game.options import Game


class RoundState(enum.Enum):
    """Where the round is (1.1 round of play, nz:1 round); named by the rule book's headings."""

    WAGERS = "wagers"
    """Wagers may be placed (5)."""
    INITIAL_DEAL = "initial deal"
    """No more bets; two cards to each box and one to the dealer (7)."""
    INTERIM_SETTLEMENT = "interim settlement"
    """The initial deal is complete and the offers stand: insurance, surrender (8, 9, 18.6)."""
    SUBSEQUENT_DEAL = "subsequent deal"
    """The hands act in turn (10, 18.8)."""
    DEALERS_HAND = "dealer's hand"
    """The dealer draws (13, 18.11)."""
    FINAL_SETTLEMENT = "final settlement"
    """Everything that the cards decide is decided; the dealer pays and clears (15, 18.12)."""
    CLEARED = "cleared"
    """The cards are in the discard rack (15.2)."""
    VOID = "void"
    """The round was ended by rule; what was not settled went back (16.6, 17)."""


class Bet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One player's wagers on a box, in cents; ``main`` is None for a box followed in odds only."""

    player: str
    main: int | None
    super_sevens: int = 0
    perfect_pairs: int = 0
    pandemonium: int = 0
    voucher: bool = False
    """The main wager is a promotional voucher (1.1 voucher): forfeited, winnings in chips."""


class Voided(msgspec.Struct, frozen=True, omit_defaults=True):
    """One wager that went back, decided before or not, and the clause by which it did."""

    box: int
    player: str
    wager: str
    hand: int | None
    rule: str


class Hand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hand on a box.  ``number`` tells when it was formed: 1, or 2 and 3 after splits."""

    number: int
    players: tuple[str, ...]
    """Who has a wager on it, as listed on the box (12.6)."""
    cards: tuple[Card, ...] = ()
    stood: bool = False
    split: bool = False
    """It came of a split: no pontoon, no Super Bonus (18.10.1, 18.10.2)."""
    came_from: int = 0
    """The number of the hand that it was split off; 0 for the first."""
    doubled: tuple[str, ...] = ()
    doubled_on: int = 0
    """How many cards it had when it doubled; 0 if it did not."""
    forfeited: tuple[str, ...] = ()
    exposed: bool = False
    """The player has turned the first two cards over, where they are dealt face down (3.5.2)."""


class Box(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One playing area with its wagers (nz:1 box).  ``hands`` are in the order of their turns."""

    number: int
    bets: tuple[Bet, ...]
    said: str = msgspec.field(default="", name="controls")
    """Who calls the decisions, as the dealer said last (5.6); empty where nobody was named."""
    because: Reason = "seated"
    """Why, as the dealer said."""
    nearest: str = ""
    """Who called when the first card was dealt: that wager lies nearest the dealer (5.7.1)."""
    hands: tuple[Hand, ...] = ()
    surrendered: tuple[str, ...] = ()
    insured: tuple[tuple[str, int], ...] = ()
    even_money: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """Who took the wagers back and left the round (17.5.1)."""
    away: tuple[str, ...] = ()
    """Who is not there to decide (16.8)."""
    jackpot_pressed: bool = False
    """The jackpot button was pressed; the prize is drawn once, after that (18.14.6)."""
    prize: int | None = None
    """The prize drawn for the box, in dollars for each dollar wagered (18.14.6)."""

    def bet(self, player: str) -> Bet | None:
        """Return the player's wagers on this box, or None."""
        return next((bet for bet in self.bets if bet.player == player), None)

    def live(self, hand: Hand) -> tuple[str, ...]:
        """Return who still plays the hand: everybody on it who has not left the round."""
        return tuple(player for player in hand.players if player not in self.left)

    def caller(self, hand: Hand) -> str:
        """Return who calls the decisions for the hand: of those on it who are there, by 5.5.

        Where all of them are away it is one of the others on the box (16.8); where nobody is
        there, who would call.
        """
        live = self.live(hand)
        on_it = tuple(player for player in live if player not in self.away)
        return who_calls(self._stakes(on_it or self.there or live), self.said, self.because)

    @property
    def controls(self) -> str:
        """Who calls the decisions for the box: of those who are there, by 5.5."""
        return who_calls(self._stakes(self._candidates), self.said, self.because)

    @property
    def is_said(self) -> bool:
        """Tell whether it is the dealer's word that makes them the one who calls (5.6)."""
        return holds(self._stakes(self._candidates), self.said, self.because)

    @property
    def staying(self) -> tuple[str, ...]:
        """Everybody with a wager on the box who has not left the round (17.5.1)."""
        return tuple(player for player in self.players if player not in self.left)

    @property
    def there(self) -> tuple[str, ...]:
        """Who of them is there to decide (16.8)."""
        return tuple(player for player in self.staying if player not in self.away)

    @property
    def absent(self) -> bool:
        """Tell whether nobody with a wager on the box is there to decide (16.8)."""
        return bool(self.staying) and not self.there

    @property
    def _candidates(self) -> tuple[str, ...]:
        return self.there or self.staying or self.players

    def _stakes(self, players: tuple[str, ...]) -> dict[str, int | None]:
        return {bet.player: bet.main for bet in self.bets if bet.player in players}

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody with a wager on the box, as listed."""
        return tuple(bet.player for bet in self.bets)


class Play(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole round."""

    game: Game
    state: RoundState = RoundState.WAGERS
    boxes: tuple[Box, ...] = ()
    """The boxes in play, from the dealer's left."""
    listed: tuple[str, ...] = ()
    """Every player of the round, in the order in which they first wagered."""
    dealer: tuple[Card, ...] = ()
    no_more_bets: bool = False
    """The dealer called it; the first card closes the wagers all the same (5.2)."""
    may_forfeit: tuple[int, int] | None = None
    """Box and hand on which the doubled portion may be taken back just now (18.9.5)."""
    error_card: Card | None = None
    """A card dealt or exposed in error that is offered to the hand in turn (16.2)."""
    errors_behind: tuple[Card, ...] = ()
    """Further cards in error: each is offered when the one before it has its place (16.2)."""
    refused: tuple[str, ...] = ()
    """Who refused such a card: no hand whose decisions they call takes another one (16.3)."""
    voided: tuple[Voided, ...] = ()
    """Wagers that went back (16.6, 17.4, 17.5.1)."""
    undue: tuple[Card, ...] = ()
    """Cards that came out when none was due: they wait for the dealer's word (16)."""
    burned: tuple[Card, ...] = ()
    """Cards of this round that the dealer burned (1.1 burned)."""

    def box(self, number: int) -> Box | None:
        """Return the box if it is in play."""
        return next((box for box in self.boxes if box.number == number), None)

    def gone_by(self, box: int, player: str, wager: str, hand: int | None) -> str | None:
        """Return the clause by which the wager went back, or None if it did not."""
        wanted = (box, player, wager, hand)
        for gone in self.voided:
            if (gone.box, gone.player, gone.wager, gone.hand) == wanted:
                return gone.rule
        return None


def find_hand(play: Play, box: int, number: int) -> Hand:
    """Return the hand of that number on the box; both must be in play."""
    found = play.box(box)
    assert found is not None
    return next(hand for hand in found.hands if hand.number == number)


def with_box(play: Play, box: Box, **changes: Any) -> Play:
    """Return the play with ``box`` in place of the one of its number (or added, in order)."""
    others = [other for other in play.boxes if other.number != box.number]
    boxes = tuple(sorted([*others, box], key=lambda one: one.number))
    return msgspec.structs.replace(play, boxes=boxes, **changes)


def with_hand(play: Play, box: Box, hand: Hand, **changes: Any) -> Play:
    """Return the play with ``hand`` in place of the one of its number on ``box``."""
    hands = tuple(hand if one.number == hand.number else one for one in box.hands)
    return with_box(play, msgspec.structs.replace(box, hands=hands), **changes)
