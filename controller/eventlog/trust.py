"""Which public key a day's checkpoints must be signed by, and why it can be believed."""

from collections.abc import Sequence
from pathlib import Path

from controller.eventlog.errors import NotALog
from controller.eventlog.files import PUBLIC_KEYS
from controller.eventlog.reasons import why
from controller.eventlog.signing import PublicKey, is_handed_over, read_public
from controller.eventlog.verdict import FirstBad


class Trust:
    """The public keys that a log lists, measured against those an auditor knows.

    Without a key known from elsewhere, the list is believed as it stands.
    """

    def __init__(self, listed: Sequence[PublicKey], known: Sequence[str]) -> None:
        self._listed = {one.day: one for one in listed}
        self._known = frozenset(known)
        self.notes = tuple(self._notes())

    @classmethod
    def of(cls, folder: Path, known: Sequence[str]) -> "Trust":
        """Read the list of a log's folder.

        Raises:
            NotALog: it can't be read.

        """
        path = folder / PUBLIC_KEYS
        try:
            return cls(read_public(path), known)
        except OSError as error:
            raise NotALog(path, f"it can't be read: {why(error)}") from error

    def key_of(self, day: int) -> str | None:
        """Return the key of a day, None if none is listed."""
        one = self._listed.get(day)
        return one.key if one else None

    def stranger(self) -> FirstBad | None:
        """Find whether a key that is known from elsewhere is none of this log's."""
        own = {one.key for one in self._listed.values()}
        for key in sorted(self._known - own):
            what = f"{PUBLIC_KEYS}: the key {key[:16]}… is none of this log's days: the keys were"
            return FirstBad(0, f"{what} replaced and all signed anew, or it is another table's log")
        return None

    def broken_at(self, day: int) -> str | None:
        """Say why the key of a day can't be believed; None if it can."""
        if not self._known or self.key_of(day) in self._known:
            return None
        earlier = [one for one in self._listed.values() if one.day < day]
        if not any(one.key in self._known for one in earlier):
            return None  # before the first known key: what that key signs covers this day as well
        if self._follows(day):
            return None
        return "its key was not handed over by the day before"

    def _follows(self, day: int) -> bool:
        before, one = self._listed.get(day - 1), self._listed.get(day)
        return before is not None and one is not None and is_handed_over(before, one)

    def _notes(self) -> list[str]:
        return [
            f"day {one.day} is signed by a key that the day before did not hand over: it was lost,"
            " and a casino supervisor began anew (or the keys were replaced)"
            for one in self._listed.values()
            if one.day > 1 and one.day - 1 in self._listed and not self._follows(one.day)
        ]
