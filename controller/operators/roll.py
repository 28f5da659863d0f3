"""What the event log says of the operators.  The log outranks the file that they are kept in.

The file can be put back from yesterday; the log cannot, unnoticed.  So whoever signs in must be,
by role and PIN, who the log knows, and must not be disabled there.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec

from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.errors import NotALog
from controller.eventlog.files import first_missing
from controller.eventlog.log import ByKind
from controller.eventlog.read import LogReader
from controller.eventlog.row import Row
from controller.events import (
    OperatorAdded,
    OperatorChanged,
    OperatorDisabled,
    OperatorGotPin,
    SignedIn,
    SignInRefused,
)
from controller.operators.standing import Standing

CARRIED_AS: Final = "operators"
"""The member of a day's first row that says what the log knows of the operators."""

_Told = OperatorAdded | OperatorGotPin | OperatorDisabled | SignedIn | SignInRefused
_KINDS: Final = frozenset(
    str(kind.__struct_config__.tag)
    for kind in (OperatorAdded, OperatorGotPin, OperatorDisabled, SignedIn, SignInRefused)
)


class Known(msgspec.Struct, frozen=True, omit_defaults=True):
    """An operator as the log knows them."""

    role: str
    disabled: bool = False
    pins: int = 1
    """How many PINs they have had, where no mark tells them apart."""
    mark: str = ""
    """What tells their PIN's hash; empty if a version before this one recorded it."""
    failures: int = 0
    """Wrong PINs since they signed in last."""


class Difference(NamedTuple):
    """One thing in which the file is not what the log says."""

    name: str
    what: str
    mend: str

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.what} ({self.mend})" if self.mend else self.what


class _Carried(msgspec.Struct, frozen=True):
    people: dict[str, Known] = {}
    changes: tuple[str, ...] = ()


class Roll:
    """The operators by the rows of the log, up to the last that was taken."""

    def __init__(
        self,
        people: Mapping[str, Known] | None = None,
        changes: Iterable[str] = (),
        *,
        whole: bool = True,
    ) -> None:
        self._people = dict(people or {})
        self._changes = dict.fromkeys(changes)
        self._whole = whole
        self.taken = 0
        """Rows that were taken: a sign that nothing has changed meanwhile."""

    @classmethod
    def of(cls, log: ByKind) -> Self:
        """Read on from the last day's first row; of an older version's log, read all days.

        Where days of such a log were moved to an archive, whoever is in the file and unknown here
        counts as known: see `adopt`.
        """
        opened = log.last_of(DAY_OPENED)
        carried = _carried(opened) if opened else None
        if carried is not None:
            roll = cls(carried.people, carried.changes)
        else:
            roll = cls(whole=_is_whole(log))
        for row in log.of_kinds(_KINDS, all_days=carried is None):
            roll.take(row)
        return roll

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return what the log in a folder says; without a log, whoever is in the file is known.

        Raises:
            EventLogError: the log can't be read.
        """
        with suppress(NotALog), closing(LogReader.open(folder)) as log:
            return cls.of(log)
        return cls(whole=False)

    def take(self, row: Row) -> None:
        """Take note of what a row says, if it is about an operator."""
        if row.kind not in _KINDS:
            return
        plain = {"kind": row.kind, **msgspec.json.decode(row.body)}
        event: _Told = msgspec.convert(plain, _Told)
        self.taken += 1
        if isinstance(event, OperatorChanged):
            self._changes[_key(event)] = None
        known = self._people.get(event.who)
        match event:
            case OperatorAdded(who=who, role=role, mark=mark):
                if known is None or not known.disabled:  # a name stays its owner's
                    self._people[who] = Known(role, mark=mark)
            case OperatorGotPin(who=who, role=role, mark=mark):
                known = known or Known(role, pins=0)
                self._people[who] = msgspec.structs.replace(
                    known, pins=known.pins + 1, mark=mark, failures=0
                )
            case OperatorDisabled(who=who, role=role):
                known = known or Known(role)
                self._people[who] = msgspec.structs.replace(known, disabled=True)
            case SignedIn(who=who) if known:
                self._people[who] = msgspec.structs.replace(known, failures=0)
            case SignInRefused(who=who, why="wrong-pin") if known:
                more = known.failures + 1
                self._people[who] = msgspec.structs.replace(known, failures=more)

    def has(self, change: OperatorChanged) -> bool:
        """Tell whether the log has this change: a file that was put back may tell it again."""
        return _key(change) in self._changes

    def as_plain(self) -> dict[str, Any]:
        """Return what a day's first row says of the operators."""
        plain: dict[str, Any] = msgspec.to_builtins(
            _Carried(self._people, tuple(self._changes)), str_keys=True
        )
        return plain

    def failures(self, name: str) -> int:
        """Return how many wrong PINs of theirs the log has since they signed in last."""
        known = self._people.get(name)
        return known.failures if known else 0

    def is_disabled(self, name: str) -> bool:
        """Tell whether the log has them as disabled."""
        known = self._people.get(name)
        return known is not None and known.disabled

    def adopt(self, standing: Standing) -> None:
        """Take whoever is unknown as the file has them, if the log at hand does not go far enough.

        It is done once, after an upgrade: the next day's first row says who there is.
        """
        for one in standing.kept if not self._whole else ():
            operator = one.operator
            if operator.name not in self._people:
                self._people[operator.name] = Known(
                    operator.role, operator.disabled, operator.pins, one.mark
                )
        self._whole = True

    # --- the file by the log ----------------------------------------------------------------------

    def objection(self, standing: Standing, name: str) -> str:
        """Say why somebody is not let in who has given the PIN of the file; empty if nothing is."""
        found = [one for one in self._of_kept(standing) if one.name == name]
        return found[0].what if found else ""

    def differences(self, standing: Standing) -> tuple[Difference, ...]:
        """Return in what the file is not what the log says, by name."""
        found = [*self._of_kept(standing), *self._of_counts(standing), *self._of_gone(standing)]
        return tuple(sorted(one for one in found if one.name not in standing.pending))

    def _of_kept(self, standing: Standing) -> Iterator[Difference]:
        for one in standing.kept:
            name, operator = one.operator.name, one.operator
            known = self._people.get(name)
            if known is None:
                if self._whole and not operator.disabled:
                    yield Difference(
                        name,
                        f"{name} ({operator.role}) is in the file, and the log knows nobody of"
                        " that name",
                        f"if nobody knows them: operators disable {name}; else give them a PIN:"
                        f" operators pin {name}",
                    )
            elif known.disabled and not operator.disabled:
                what = f"{name} is disabled in the log and not in the file"
                yield Difference(name, what, f"operators disable {name}")
            elif known.disabled:
                continue
            elif operator.disabled:
                what = f"{name} is disabled in the file, and no command did that"
                yield Difference(name, what, "put the latest file back")
            elif operator.role != known.role:
                what = f"{name} is {operator.role} in the file and {known.role} in the log"
                mend = f"operators disable {name}, and add them under another name"
                yield Difference(name, what, mend)
            elif one.mark != known.mark if known.mark else operator.pins != known.pins:
                what = f"the PIN of {name} in the file is not the one that the log has last"
                yield Difference(name, what, f"operators pin {name}")

    def _of_counts(self, standing: Standing) -> Iterator[Difference]:
        for one in standing.kept:
            name, counted = one.operator.name, self.failures(one.operator.name)
            if one.failures < counted and not one.operator.disabled:
                what = (
                    f"wrong PINs of {name}: {one.failures} by the file, {counted} by the log, which"
                    " counts"
                )
                yield Difference(name, what, "")

    def _of_gone(self, standing: Standing) -> Iterator[Difference]:
        there = {one.operator.name for one in standing.kept}
        for name, known in self._people.items():
            if name not in there and not known.disabled:
                what = f"{name} ({known.role}) is missing from the file"
                mend = f"put the latest file back, or operators add {name} {known.role}"
                yield Difference(name, what, mend)


def _key(change: OperatorChanged) -> str:
    """Return what tells a change from any other."""
    kind = change.__struct_config__.tag
    told = (kind, change.who, change.role, change.pid, change.uid, change.change)
    return sha256("\0".join(map(str, told)).encode()).hexdigest()[:12]


def _carried(opened: Row) -> _Carried | None:
    plain = msgspec.json.decode(opened.body).get(CARRIED_AS)
    return None if plain is None else msgspec.convert(plain, _Carried)


def _is_whole(log: ByKind) -> bool:
    """Tell whether every row since the first is at hand."""
    if not log.head.seq:
        return True
    if next(iter(log.rows(0, until=1)), None) is None:
        return False
    opened = log.of_kinds([DAY_OPENED], all_days=True)
    numbers = [msgspec.json.decode(row.body).get("day", 0) for row in opened]
    return first_missing([number for number in numbers if number]) is None
