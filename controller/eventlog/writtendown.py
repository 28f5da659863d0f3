"""A checkpoint that somebody wrote down: its text, and a log compared with it.

Nobody who owns all files of a log can change what stands on somebody else's paper. The text is made
for copying by hand: ``1234:9f3a-0c77-b1d2-44e0-8a31=05ea`` is the number of an event, a colon, the
first digits of its hash, and a check group by which a slip of the pen is told from a log that was
altered.
"""

import binascii
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Self

from controller.eventlog.chain import GENESIS, Head
from controller.eventlog.verdict import FirstBad

DIGITS: Final = 20
"""Digits of the hash that are written down: nobody makes another row that has the same."""

FEWEST: Final = 16
"""Digits of a hash that are enough to compare by."""

MOST: Final = len(GENESIS)

LONGEST_NUMBER: Final = 18
"""Digits of the highest number that an event can have."""

EXAMPLE: Final = "1234:9f3a-0c77-b1d2-44e0-8a31=05ea"

_GROUP: Final = 4
_TEXT: Final = re.compile(
    r"(?<![\w:.-])([0-9]+):([0-9a-f]+(?:[ -][0-9a-f]+)*)(?: ?= ?([0-9a-f]+))?(?![\w:-])",
    re.ASCII | re.IGNORECASE,
)


class NotWrittenDown(ValueError):
    """A text is no checkpoint, or was copied wrongly; says what is wrong with it."""


class WrittenDown(NamedTuple):
    """An event's number and the first digits of the hash that it had."""

    seq: int
    digits: str
    is_checked: bool = True
    """A check group said that it was copied as it was written."""

    @classmethod
    def of(cls, head: Head) -> Self:
        """Return what is to be written down of a log that goes so far."""
        return cls(head.seq, head.hash[:DIGITS])

    @classmethod
    def find(cls, line: str) -> Self | None:
        """Return the checkpoint in a line, whatever stands around it; None if none does.

        Dashes or blanks may part the digits, and capitals count as small letters.

        Raises:
            NotWrittenDown: it can't be one, or it was mistyped.

        """
        # A note may say a time too, and a table's name anything: a hash is longer.
        match = max(_TEXT.finditer(line), key=lambda one: len(one[2]), default=None)
        if match is None:
            return None
        number, digits = match[1].lstrip("0"), re.sub("[ -]", "", match[2]).lower()
        if not number or len(number) > LONGEST_NUMBER:
            raise NotWrittenDown(f"no log has an event {_short(match[1])}")
        if len(digits) > MOST:
            raise NotWrittenDown(f"a hash has {MOST} digits, here are {len(digits)}")
        group = (match[3] or "").lower()
        if group and group != _check_group(int(number), digits):
            raise NotWrittenDown(
                f"it was mistyped: the digits behind = are not those that belong to"
                f" {number}:{_grouped(digits)}; copy it again"
            )
        if len(digits) < FEWEST:
            raise NotWrittenDown(f"{len(digits)} digits of a hash are too few: give {FEWEST}")
        return cls(int(number), digits, is_checked=bool(group))

    def __str__(self) -> str:
        """Return the text to write down."""
        return f"{self.seq}:{_grouped(self.digits)}={_check_group(self.seq, self.digits)}"


def line_to_write_down(head: Head, table: str = "", day: int = 0, date: str = "") -> str:
    """Return the line that somebody writes down of a log that goes so far.

    >>> line_to_write_down(Head(1234, "9f3a0c77b1d244e08a31" + "0" * 44), "BJ 3", 2, "2026-05-10")
    'BJ 3, day 2 (2026-05-10): 1234:9f3a-0c77-b1d2-44e0-8a31=05ea'
    """
    of_day = f"day {day} ({date})" if day else ""
    whose = ", ".join(filter(None, (table, of_day)))
    text = str(WrittenDown.of(head))
    return f"{whose}: {text}" if whose else text


class Compared(NamedTuple):
    """What comparing a log with what was written down of it has shown."""

    bad: FirstBad | None
    held: Head
    """The furthest event whose hash is still the one that was written down."""
    notes: tuple[str, ...]


def compare(
    written: Sequence[WrittenDown],
    first: int,
    head: Head,
    hash_at: Callable[[int], str | None],
    *,
    whole: bool,
) -> Compared:
    """Compare the rows from ``first`` to ``head``, which hold, with what was written down.

    ``whole`` says that these are all rows of the log: it ends there.
    """
    bad: FirstBad | None = None
    held = Head(0, GENESIS)
    notes: list[str] = []
    for one in sorted(set(written)):
        found = hash_at(one.seq) or ""
        if first <= one.seq <= head.seq and found.startswith(one.digits):
            held = Head(one.seq, found)
            notes.append(f"event {one.seq} has the hash that was written down")
        elif first <= one.seq <= head.seq:
            bad = bad or FirstBad(one.seq, _otherwise(one))
        elif whole and one.seq > head.seq:
            what = (
                f"the log ends before event {one.seq}, which was written down: it was cut off or"
                " put back to an earlier state, or it is another table's log"
            )
            bad = bad or FirstBad(head.seq + 1, what + _unchecked(one))
        else:
            notes.append(
                f"the checkpoint at event {one.seq} was NOT compared: these are the events"
                f" {first} to {head.seq}; give the whole log"
            )
    return Compared(bad, held, tuple(notes))


def _otherwise(one: WrittenDown) -> str:
    return (
        f"event {one.seq} had another hash when it was written down: this or earlier rows were"
        " rewritten and all that goes with them made anew, or it is another table's log"
        + _unchecked(one)
    )


def _unchecked(one: WrittenDown) -> str:
    return (
        "" if one.is_checked else " (or what was written down is mistyped: it has no check group)"
    )


def _grouped(digits: str) -> str:
    return "-".join(digits[at : at + _GROUP] for at in range(0, len(digits), _GROUP))


def _check_group(seq: int, digits: str) -> str:
    """Return four digits that tell one wrong or two swapped signs for certain."""
    return f"{binascii.crc_hqx(f'{seq}:{digits}'.encode(), 0xFFFF):04x}"


def _short(number: str) -> str:
    return number if len(number) <= LONGEST_NUMBER else f"{number[:LONGEST_NUMBER]}…"
