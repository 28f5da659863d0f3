"""The message that an Angel Eye shoe told last: its copies, and what its number shows.  Pure."""

from drivers.angel_eye_wire import SEQUENCE, Message

CARDS = frozenset("Dd")
"""The messages that tell a card."""

MOST_COPIES = 3
"""How often the shoe sends a message, as far as anybody has seen."""


class Copies:
    """What was heard under the number of the last message, and under the number before that."""

    def __init__(self) -> None:
        """Start as if nothing had been heard."""
        self.forget()

    def forget(self) -> None:
        """Forget everything."""
        self._copies_of: dict[str, int] = {}
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget the messages; how often one of each kind is sent stays known."""
        self.last: Message | None = None
        self.number: str | None = None
        """The number of the last message, None if it shows nothing."""
        self._heard: list[bytes] = []
        self._heard_before: list[bytes] = []
        self._copies = 0

    def are_all_there(self) -> None:
        """Learn that no more copies come: the same bytes are a new message from now on."""
        self._heard, self._heard_before = [], []

    def holds(self, message: Message) -> bool:
        """Tell whether it was heard already.

        By the whole frame: a number alone comes round again, with another card.
        """
        return message.raw in self._heard + self._heard_before

    def add(self, message: Message) -> bytes:
        """Take a copy of what was heard; return what came between two copies under another number.

        It was one of the copies as well, whatever it said; b"" if there was nothing.
        """
        between = b""
        if message.raw not in self._heard:
            between = self._heard[0]
            self._heard, self._heard_before = self._heard_before, self._heard
            self.last, self.number = message, message.sequence
        self._copies += 1
        return between

    def keep(self, message: Message) -> None:
        """Keep a message as the last one, or as another reading of the last one."""
        if self.has_number_of(message):
            self._heard.append(message.raw)
            self._copies += 1
            if self.told_card:
                return
        else:
            if self.last is not None:
                self._copies_of[self.last.code] = self._copies
            self._heard, self._heard_before = [message.raw], self._heard
            self._copies = 1
        self.last, self.number = message, message.sequence

    def has_number_of(self, message: Message) -> bool:
        """Tell whether *message* is a copy of the last one by its number, whatever it says."""
        return (
            bool(self._heard) and self.last is not None and message.sequence == self.last.sequence
        )

    @property
    def told_card(self) -> bool:
        """Whether the last message told a card."""
        return self.last is not None and self.last.code in CARDS

    def bytes_to_come(self) -> int:
        """Return how many bytes of copies the last message should still have.

        It has as many copies as the last message of its kind had.
        """
        if self.last is None:
            return 0
        missing = self._copies_of.get(self.last.code, 1) - self._copies
        return max(0, missing) * len(self.last.raw)

    def bytes_before(self, message: Message) -> int:
        """Return how many bytes of copies can have come before those of *message* that were heard,
        where nothing shows how many it has.
        """
        return max(0, MOST_COPIES - self._copies) * len(message.raw)

    def steps_to(self, message: Message) -> int | None:
        """Return how far the number has moved on, None if it cannot show anything.

        0 stands for a number out of the order as well.
        """
        if self.number is None or self.number not in SEQUENCE:
            return None  # nothing to compare with, or numbered in a way nobody has described
        if message.sequence not in SEQUENCE:
            return 0
        return (SEQUENCE.index(message.sequence) - SEQUENCE.index(self.number)) % len(SEQUENCE)
