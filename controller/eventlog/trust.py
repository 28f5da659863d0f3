"""Which public key a day's checkpoints must be signed by, and why it can be believed.

A key that an auditor kept proves the day that it was made for, by its signatures in that day's
file, and the days after it, by the hand-overs. That it stands somewhere in the list proves nothing.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

from controller.eventlog.errors import NotALog
from controller.eventlog.files import PUBLIC_KEYS
from controller.eventlog.reasons import why
from controller.eventlog.signing import PublicKey, is_handed_over, list_fault, read_public
from controller.eventlog.verdict import FirstBad


class Known(NamedTuple):
    """A public key that was kept elsewhere; ``day`` is None if nobody noted whose it is."""

    key: str
    day: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return what ``KEY`` or ``DAY:KEY`` means."""
        day, _, key = text.rpartition(":")
        return cls(key, int(day) if day else None)

    @property
    def short(self) -> str:
        """The key's beginning, for messages."""
        return f"the key {self.key[:16]}…"


class Trust:
    """The public keys that a log lists, measured against those an auditor knows.

    Without a key known from elsewhere, the list is believed as it stands.
    """

    def __init__(
        self, listed: Sequence[PublicKey], known: Sequence[str], fault: str | None = None
    ) -> None:
        self._listed = {one.day: one for one in listed}
        self._known = frozenset(map(Known.parse, known))
        self._fault = fault

    @classmethod
    def of(cls, folder: Path, known: Sequence[str]) -> "Trust":
        """Read the list of a log's folder.

        Raises:
            NotALog: it can't be read.

        """
        path = folder / PUBLIC_KEYS
        try:
            return cls(read_public(path), known, list_fault(path))
        except OSError as error:
            raise NotALog(path, f"it can't be read: {why(error)}") from error

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads the verdict should know of the keys."""
        return (*self._not_handed_over(), *self._taken_for())

    @property
    def is_blank(self) -> bool:
        """Tell whether no key is listed at all, as beside a day's file that was copied alone."""
        return not self._listed

    def key_of(self, day: int) -> str | None:
        """Return the key of a day, None if none is listed."""
        one = self._listed.get(day)
        return one.key if one else None

    def fault(self) -> FirstBad | None:
        """Find what is wrong with the list by itself."""
        return FirstBad(0, f"{PUBLIC_KEYS}: {self._fault}") if self._fault else None

    def stranger(self) -> FirstBad | None:
        """Find whether a key that is known from elsewhere is not what this log lists."""
        for one in sorted(self._known, key=lambda one: (one.key, one.day or 0)):
            if self._day_of(one) is not None:
                continue
            other = next((day for day, own in self._listed.items() if own.key == one.key), None)
            what = f"{PUBLIC_KEYS}: {one.short} is none of this log's days"
            if one.day is not None and (other is not None or one.day in self._listed):
                what = f"{PUBLIC_KEYS}: {one.short} is not listed for day {one.day}, whose it is"
            return FirstBad(
                0,
                f"{what}: the keys were replaced and all signed anew, or it is another table's log",
            )
        return None

    def beyond(self, last: int) -> FirstBad | None:
        """Find a key of a day that does not exist; ``last`` is the last one that has rows."""
        day = max(self._listed, default=0)
        if day <= last + 1:
            return None
        return FirstBad(0, f"{PUBLIC_KEYS}: a key is listed for day {day}, which does not exist")

    def unproved(self, signers: Mapping[int, str], *, whole: bool) -> FirstBad | None:
        """Find a known key that nothing of what was looked at is signed by.

        ``signers`` has the key of each day in which a signature held. Of a log that was looked at
        as a ``whole``, each known key must be among them, but for one of the day that comes next.
        """
        if not self._known:
            return None
        last = max(signers, default=0)
        proving = False
        for one in sorted(self._known, key=lambda one: (one.key, one.day or 0)):
            days = {day for day, key in signers.items() if key == one.key}
            if (one.day in days) if one.day is not None else days:
                proving = True
            elif not whole:  # an earlier day's key proves this one by the hand-overs
                day = self._day_of(one)
                proving = proving or (day is not None and day < last)
            elif one.day is None or one.day <= last:
                what = f"nothing is signed by {one.short}, which should be that of a day"
                return FirstBad(0, f"{what}: another log was put in place of the one it signed")
        if proving:
            return None
        return FirstBad(0, "the keys given prove nothing of what is here: none is of these days")

    def broken_at(self, day: int) -> str | None:
        """Say why the key of a day can't be believed; None if it can.

        A known key whose day is known needs no hand-over: that is how one goes on after a key was
        lost. One without a day does, or whoever stole it could sign any day by it.
        """
        certain = {one.day for one in self._known if one.day and self._day_of(one) == one.day}
        days = {found for one in self._known if (found := self._day_of(one)) is not None}
        since = max((one for one in certain if one <= day), default=min(days, default=day))
        broken = [one for one in self._loose if since < one <= day]
        if not broken:
            return None  # or no known key is earlier: what a later one signs covers this day too
        whose = "its key" if broken[-1] == day else f"the key of day {broken[-1]}"
        return f"{whose} was not handed over by the day before"

    def _day_of(self, known: Known) -> int | None:
        """Return the day for which the log lists a key that is known, None if it does not."""
        if known.day is not None:
            return known.day if self.key_of(known.day) == known.key else None
        return next((day for day, one in self._listed.items() if one.key == known.key), None)

    @cached_property
    def _loose(self) -> list[int]:
        """The days whose key the day before did not hand over."""
        return [day for day in self._listed if day > 1 and not self._follows(day)]

    def _follows(self, day: int) -> bool:
        before, one = self._listed.get(day - 1), self._listed[day]
        return before is not None and is_handed_over(before, one)

    def _not_handed_over(self) -> list[str]:
        return [
            f"day {day} is signed by a key that the day before did not hand over: it was lost,"
            " and a casino supervisor began anew (or the keys were replaced)"
            for day in self._loose
        ]

    def _taken_for(self) -> list[str]:
        """Name the day of each key that was given without one: whoever kept it may know better."""
        found = ((self._day_of(one), one) for one in self._known if one.day is None)
        return [
            f"{one.short} is taken for that of day {day}, as this log says; if it is not,"
            " the log was replaced (--key DAY:KEY says whose it is)"
            for day, one in sorted((day, one) for day, one in found if day is not None)
        ]
