"""What can be put to a round: requests in the imperative, facts in the past tense.

A request may be refused.  A fact has happened: it is never refused, whatever it is good for.
Player names are as at the box; amounts are cents.
"""

from typing import Annotated

import msgspec

from controller.cards import Card, Face
from controller.game.callers import Reason

PlayerName = Annotated[str, msgspec.Meta(pattern=r"^[^\s\x00-\x1f\x7f-\x9f]{1,40}$")]
"""A player's name at the table: one word that can be shown."""

Cents = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
"""An amount of money that somebody may name."""

BoxNumber = Annotated[int, msgspec.Meta(ge=1, le=9)]


class Move(
    msgspec.Struct, frozen=True, tag_field="do", omit_defaults=True, forbid_unknown_fields=True
):
    """The root of all requests and facts of a round."""


# --- requests -----------------------------------------------------------------------------------


class Wager(Move, frozen=True, kw_only=True, tag="wager"):
    """A player wagers on a box, or changes the wager, before the first card (5.2).

    What is left out (None) stays as it lies, or is not there: without any ``main`` the box is
    followed in odds.  A side wager of 0 is taken back.
    """

    box: int
    player: PlayerName
    main: Cents | None = None
    super_sevens: Cents | None = None
    perfect_pairs: Cents | None = None
    pandemonium: Cents | None = None
    voucher: bool | None = None
    """The main wager is a promotional voucher, or chips (False)."""
    controls: bool = False
    """The dealer says that the player is seated at the box and calls its decisions (5.5.1)."""


class Withdraw(Move, frozen=True, tag="withdraw"):
    """A player takes the wager off a box before the first card; no player: all of the box."""

    box: int
    player: str | None = None


class NoMoreBets(Move, frozen=True, tag="no-more-bets"):
    """The dealer calls "no more bets" (7)."""


class Stand(Move, frozen=True, tag="stand"):
    """The hand in turn takes no more cards (10.1.3)."""


class Double(Move, frozen=True, tag="double"):
    """The hand in turn doubles (11, 18.9); ``players`` are the others on it who do the same."""

    players: tuple[str, ...] = ()


class Split(Move, frozen=True, tag="split"):
    """The hand in turn splits (12, 18.10); ``players`` are the others on it who match."""

    players: tuple[str, ...] = ()


class Forfeit(Move, frozen=True, tag="forfeit"):
    """After the double card: these take back the doubled portion (18.9.5).

    None named is enough where only one may: each chooses alone (18.9.7).
    """

    players: tuple[str, ...] = ()


class Surrender(Move, frozen=True, tag="surrender"):
    """The controlling player of the box surrenders, with ``players`` beside them (18.6)."""

    box: int
    players: tuple[str, ...] = ()


class Insure(Move, frozen=True, tag="insure"):
    """A player insures (8, 18.5)."""

    box: int
    player: str
    amount: Cents


class EvenMoney(Move, frozen=True, tag="even-money"):
    """A player with blackjack takes even money against an ace (9.1.2)."""

    box: int
    player: str


class PressJackpot(Move, frozen=True, tag="jackpot"):
    """The jackpot button of a box is pressed (18.14.6)."""

    box: int


class CallDecisions(Move, frozen=True, tag="controls"):
    """The dealer has made sure who calls the decisions for a box, and why (5.5, 5.6)."""

    box: BoxNumber
    player: PlayerName
    because: Reason


class Absent(Move, frozen=True, tag="absent"):
    """Players are not there to decide for a box (16.8); none named: all that wager on it."""

    box: int
    players: tuple[str, ...] = ()


class Present(Move, frozen=True, tag="present"):
    """Players of a box who were away are back; none named: all of them."""

    box: int
    players: tuple[str, ...] = ()


class Expose(Move, frozen=True, tag="expose"):
    """The player on a box turns the first two cards over, dealt face down until now (3.5.2)."""

    box: int


class AcceptCard(Move, frozen=True, tag="accept"):
    """The hand in turn takes the card that was dealt or exposed in error (16.2)."""


class RefuseCard(Move, frozen=True, tag="refuse"):
    """The hand in turn refuses that card, and takes no card more in this round (16.3)."""


class Cleared(Move, frozen=True, tag="cleared"):
    """All is paid and the cards are in the discard rack (15.2)."""


# --- facts --------------------------------------------------------------------------------------


class CardDealt(Move, frozen=True, tag="card-dealt"):
    """A card came out and was dealt face up; ``??`` if it could not be read."""

    card: Card


class CardHeld(Move, frozen=True, tag="card-held"):
    """A card came out that was due nowhere and was burned: it never lies on a hand (16.5)."""

    card: Card


class ErrorCard(Move, frozen=True, tag="error-card"):
    """A card was dealt, exposed or burned in error: it is offered as the next card (16.2)."""

    card: Card


class VoidRound(Move, frozen=True, tag="void-round"):
    """The round ends by the clause; what is not settled goes back (16.6, 17.4)."""

    rule: str


class GivenBack(Move, frozen=True, tag="given-back"):
    """Rule 17 gave the round back where it was; its steps are not taken back."""


class Leave(Move, frozen=True, tag="leave"):
    """A player takes every unsettled wager on a box back and leaves the round (17.5.1)."""

    box: int
    player: str


class Burn(Move, frozen=True, tag="burn"):
    """The dealer put a card into the discard rack: the undue one of that face if there is one.

    Otherwise it came out face up and was burned (16.1, 16.5).
    """

    card: Face


class PrizeDrawn(Move, frozen=True, tag="prize-drawn"):
    """Chance has drawn the prize of a box: dollars for each dollar wagered (18.14.6)."""

    box: int
    prize: int


class Advance(Move, frozen=True, tag="advance"):
    """Nothing more happened: go on as far as the rules go by themselves."""


Request = (
    Wager
    | Withdraw
    | NoMoreBets
    | Stand
    | Double
    | Split
    | Forfeit
    | Surrender
    | Insure
    | EvenMoney
    | PressJackpot
    | CallDecisions
    | Absent
    | Expose
    | Present
    | AcceptCard
    | RefuseCard
    | Cleared
)
Fact = CardDealt | CardHeld | ErrorCard | Burn | PrizeDrawn | VoidRound | Leave | GivenBack
Made = Request | Fact
"""Everything a round is made of: played again in order, it is the same round."""
