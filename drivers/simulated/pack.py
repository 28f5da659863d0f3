"""The cards in the simulated shoe, and what became of them.

With a file, the pack outlives the program: what is about to leave is written first, so a card is
never dealt twice.
"""

import os
import re
from pathlib import Path

import msgspec

from drivers.simulated.refused import Refused

_CARD = re.compile(r"[A23456789TJQK][SHDC]")


class Contents(msgspec.Struct, forbid_unknown_fields=True):
    """What the file holds."""

    cards: list[str] = []
    """The whole pack in the order in which it leaves."""
    next: int = 0
    """How many of ``cards`` have left."""
    drawn: int = 0
    """How many cards have left since loading, also those that were not of the pack."""
    cutting_card: int | None = None
    """How many of ``cards`` lie before the cutting card; None if it is out, or there is none."""


class Pack:
    """A pack of cards, drawn from the front."""

    def __init__(self, file: Path | None = None) -> None:
        """Take up the pack in *file* where it was left, or an empty one.

        Raises:
            Refused: the file is damaged.

        """
        self._file = file
        self._contents = Contents()
        if file is not None and file.exists():
            try:
                self._contents = msgspec.json.decode(file.read_bytes(), type=Contents)
            except msgspec.MsgspecError as error:
                raise Refused(f"{file} holds no pack: {error}; remove it to start anew") from error

    @property
    def left(self) -> int:
        """Number of cards still inside."""
        return len(self._contents.cards) - self._contents.next

    @property
    def drawn(self) -> int:
        """Number of cards that left since the pack was loaded."""
        return self._contents.drawn

    def load(self, cards: list[str], cutting_card: int | None) -> None:
        """Put a new pack in, with the cutting card behind *cutting_card* cards.

        Raises:
            Refused: something is not a card, or the cutting card would lie outside the pack.

        """
        for card in cards:
            require_card(card)
        if cutting_card is not None and not 0 <= cutting_card <= len(cards):
            raise Refused(
                f"the cutting card cannot lie behind {cutting_card} of {len(cards)} cards"
            )
        self._keep(Contents(list(cards), 0, 0, cutting_card))

    def take(self) -> str | None:
        """Take out what comes next; None is the cutting card.

        Raises:
            Refused: the pack is used up.

        """
        now = self._contents
        if now.cutting_card == now.next:
            self._keep(msgspec.structs.replace(now, cutting_card=None))
            return None
        if not self.left:
            raise Refused("the pack is used up; load another")
        card = now.cards[now.next]
        self._keep(msgspec.structs.replace(now, next=now.next + 1, drawn=now.drawn + 1))
        return card

    def take_out(self, card: str) -> None:
        """Take out a given card in place of the next one, which goes where that card lay.

        A card that the pack does not hold lay in the place of the next one. When the pack is used
        up it is one more than there was.
        """
        if not self.left:
            self.count_extra()
            return
        now = self._contents
        cards = list(now.cards)
        at = cards.index(card, now.next) if card in cards[now.next :] else now.next
        cards[at], cards[now.next] = cards[now.next], card
        self._keep(
            msgspec.structs.replace(now, cards=cards, next=now.next + 1, drawn=now.drawn + 1)
        )

    def drop(self, number: int | None = None) -> None:
        """Take so many cards, or all, out of the pack by hand: they have not left by the device.

        Raises:
            Refused: so many are not inside.

        """
        number = self.left if number is None else number
        if not 0 <= number <= self.left:
            raise Refused(f"{number} cards cannot be taken out of {self.left}")
        self._keep(msgspec.structs.replace(self._contents, next=self._contents.next + number))

    def count_extra(self) -> None:
        """Note that a card left which was not the next of the pack."""
        self._keep(msgspec.structs.replace(self._contents, drawn=self._contents.drawn + 1))

    def _keep(self, contents: Contents) -> None:
        if self._file is not None:
            _write_atomically(self._file, msgspec.json.encode(contents))
        self._contents = contents


def require_card(card: str) -> None:
    """Check that *card* is two characters, rank and suit.

    Raises:
        Refused: it is not.

    """
    if not _CARD.fullmatch(card):
        raise Refused(f"{card!r} is no card; a card is a rank A23456789TJQK and a suit SHDC")


def _write_atomically(file: Path, data: bytes) -> None:
    """Replace *file* so that after a cut it is either the old or the new one, whole."""
    fresh = file.with_name(file.name + ".new")
    with fresh.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
