"""Playing cards as they are written everywhere here: rank and suit, ``7S``, ``TD``, ``AH``.

A card is a two-character string, so that it is the same in a script, on the wire, in the log
and in the program.  ``??`` is a card that left the device and could not be read: it holds its
place until somebody enters what it is.
"""

from types import MappingProxyType
from typing import Annotated, Final, NewType

from msgspec import Meta

Card = NewType("Card", str)

Face = Annotated[Card, Meta(pattern="^[A23456789TJQK][SHDC]$")]
"""A card that somebody names: it has a face."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
UNREAD: Final = Card("??")

_CARDS: Final = MappingProxyType(
    {rank + suit: Card(rank + suit) for suit in SUITS for rank in RANKS}
)
_VALUES: Final = MappingProxyType(
    {rank: min(points, 10) for points, rank in enumerate(RANKS, start=1)}
)


def parse_card(text: str) -> Card:
    """Return the card that ``text`` names.

    Raises:
        ValueError: it names none; the message says how cards are written.

    >>> parse_card("7S")
    '7S'
    """
    try:
        return _CARDS[text]
    except KeyError:
        raise ValueError(
            f"{text!r} is no card: write rank (A 2 to 9 T J Q K) and suit (S H D C), as in 7S or TD"
        ) from None


def rank(card: Card) -> str:
    """Return the rank, ``A`` to ``K``."""
    return card[0]


def suit(card: Card) -> str:
    """Return the suit, one of ``SHDC``."""
    return card[1]


def is_red(card: Card) -> bool:
    """Tell whether the card is a heart or a diamond."""
    return card[1] in "HD"


def value(card: Card) -> int:
    """Return the point value with an ace as 1 (3.2, nz:4.1); an unread card has none.

    A number counts itself (3.2.2, nz:4.1(a)), jack, queen and king ten (3.2.3, nz:4.1(b)).

    >>> value(Card("KS")), value(Card("AS")), value(Card("7H"))
    (10, 1, 7)
    """
    return _VALUES[card[0]]


def is_ace(card: Card) -> bool:
    """Tell whether the card is an ace."""
    return card[0] == "A"


def is_ten_valued(card: Card) -> bool:
    """Tell whether the card has a point value of ten."""
    return card[0] in "TJQK"


def deck(*, tens: bool) -> list[Card]:
    """Return one deck in a fixed order, with the four tens or without them (18.4.1)."""
    return [card for card in _CARDS.values() if tens or card[0] != "T"]


def pack(decks: int, *, tens: bool) -> list[Card]:
    """Return ``decks`` decks, unshuffled."""
    return deck(tens=tens) * decks
