"""``tablekeeper log verify``: what was changed, added, moved or cut off, what is signed."""

import argparse
import contextlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.characters import printable
from controller.errors import UsageError
from controller.eventlog import EventLogError, Head, LogReader, verify
from controller.eventlog.files import PUBLIC_KEYS, WITNESS, find_log
from controller.eventlog.signing import PublicKey, read_public
from controller.eventlog.verdict import FirstBad, Verdict
from controller.eventlog.writtendown import WrittenDown
from controller.logbook.checkpoint import checkpoints_of, kept_lines, line_at
from controller.logbook.which import ALTERED, INTACT
from controller.table.redecide import Difference, Redecided, decide_again
from controller.terminal import beneath

NOT_CLOSED: Final = 3
OUTPUT_LOST: Final = 74

MOST_SHOWN: Final = 20
"""Differences that are written out; how many more there are is said."""

UNREADABLE: Final = (EventLogError, msgspec.DecodeError, LookupError, ValueError)
"""What deciding the rows of an altered log again may meet."""

_KEY: Final = re.compile(r"(?:(?<![\w:.-])[0-9]{1,9}:)?(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
"""A public key, after the number of its day and a colon if that is known."""


class Decided(msgspec.Struct, frozen=True):
    """What ``--decide`` adds: the events decided again, and rounds of older deciders by number."""

    events: int
    rounds: int
    differ: int
    older: dict[int, int]
    otherwise: int
    """Wagers of those rounds that this decider would settle otherwise: a note, no alteration."""


class Found(msgspec.Struct, frozen=True, omit_defaults=True):
    """What ``verify --json`` prints for a path; see `Verdict`."""

    ok: bool
    events: int
    head: str
    first_bad: FirstBad | None
    path: str
    days: int
    signed: int
    open_round: bool
    notes: tuple[str, ...]
    decided: Decided | None = None


def add_verify(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the action to ``tablekeeper log``."""
    command = actions.add_parser("verify", help="find what was changed, added, moved or cut off")
    command.add_argument(
        "--json", action="store_true", help="the verdict as one JSON object a path"
    )
    command.add_argument(
        "--decide",
        action="store_true",
        help="decide every event again, too, and compare every outcome",
    )
    command.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="PUB",
        help="a public key kept elsewhere: 64 hex digits, or DAY: and these, or a file of them"
        " (see log keys)",
    )
    command.add_argument(
        "--checkpoint",
        action="append",
        default=[],
        metavar="SEQ:HASH",
        help="what somebody wrote down of this log (see log checkpoint), or a file with one in"
        " each line",
    )
    command.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a state folder, a log folder or a day's file; an archive of days that were moved"
        " away is named after the log that they belong to",
    )
    command.set_defaults(run=_run, without_reader=OUTPUT_LOST)


def add_keys(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``log keys``: what an auditor takes away."""
    command = actions.add_parser("keys", help="the public keys, for whoever verifies the log later")
    command.add_argument("path", type=Path, metavar="PATH", help="a state folder or a log folder")
    command.set_defaults(run=lambda options: _keys(options.path))


def _keys(path: Path) -> int:
    keys = read_public(find_log(path).folder / PUBLIC_KEYS)
    if not keys:
        raise UsageError(f"{path}: this log lists no public keys; it is of format 1, or a copy")
    for key in keys:
        sys.stdout.write(msgspec.json.encode(key).decode() + "\n")
    return INTACT


def _run(options: argparse.Namespace) -> int:
    keys = [key for text in options.key for key in _keys_of(text)]
    written = [one for text in options.checkpoint for one in checkpoints_of(text)]
    archives = _archives(options.paths)
    worst = INTACT
    for path in (path for path in options.paths if path not in archives):
        status = _one(options, path, keys, archives, written)
        worst = ALTERED if ALTERED in (worst, status) else max(worst, status)
    return worst


def _one(
    options: argparse.Namespace,
    path: Path,
    keys: Sequence[str],
    archives: Sequence[Path],
    written: Sequence[WrittenDown],
) -> int:
    watched = not options.json and sys.stderr.isatty()
    verdict = verify(
        path, _progress if watched else None, keys=keys, elsewhere=archives, written=written
    )
    decided = None
    # Of rows that were rewritten, what they decide to may tell which; if they can be read at all.
    with contextlib.suppress(*(() if verdict.ok else UNREADABLE)):
        decided = _decided(path, watched=watched) if options.decide else None
    bad = verdict.first_bad
    if bad is None and decided and decided.differences:
        first = decided.differences[0]
        bad = FirstBad(first.seq, f"decided otherwise: {first.what}")
    if options.json:
        sys.stdout.write(msgspec.json.encode(_found(path, verdict, bad, decided)).decode() + "\n")
    else:
        lead = f"{path}: " if len(options.paths) - len(archives) > 1 else ""
        said = [*_lines(lead, verdict), *_to_write_down(lead, path, verdict, bad)]
        said += _decided_lines(decided) if decided else []
        sys.stdout.writelines(f"{printable(line)}\n" for line in said)
    if bad is not None:
        return ALTERED
    return NOT_CLOSED if verdict.open_round or verdict.half else INTACT


def _keys_of(text: str) -> list[str]:
    """Return the keys that an option gives.

    Raises:
        UsageError: it is neither a key nor a file of keys.
    """
    if _KEY.fullmatch(text):
        return [text]
    lines = kept_lines(text, f"--key {text}", "neither 64 hex digits nor a file of keys")
    keys = [key for line in lines for key in _keys_in(line)]
    if not keys:
        raise UsageError(f"--key {text}: there is no key in this file, 64 hex digits")
    return keys


def _keys_in(line: str) -> list[str]:
    """Return the keys in a line that somebody kept: one of ``log keys`` says whose it is."""
    with contextlib.suppress(msgspec.DecodeError, RecursionError):
        one = msgspec.json.decode(line, type=PublicKey)
        if one.day > 0 and _KEY.fullmatch(one.key):
            return [f"{one.day}:{one.key}"]
    return _KEY.findall(line)


def _archives(paths: Sequence[Path]) -> list[Path]:
    """Return the folders that hold days only: they are looked into for days that were moved."""
    return [path for path in paths[1:] if path.is_dir() and _is_archive(path)]


def _is_archive(path: Path) -> bool:
    folder = find_log(path).folder
    return not (folder / WITNESS).exists() and not (folder / PUBLIC_KEYS).exists()


def _decided(path: Path, *, watched: bool) -> Redecided:
    with contextlib.closing(LogReader.open(path)) as reader:
        of = reader.head.seq
        return decide_again(
            reader.rows(), (lambda done: _tell(done, of, "decided again")) if watched else None
        )


def _found(path: Path, verdict: Verdict, bad: FirstBad | None, decided: Redecided | None) -> Found:
    return Found(
        ok=bad is None,
        events=verdict.events,
        head=verdict.head,
        first_bad=bad,
        path=printable(str(path)),
        days=verdict.days,
        signed=verdict.signed,
        open_round=verdict.open_round,
        notes=verdict.notes,
        decided=_summary(decided) if decided else None,
    )


def _summary(decided: Redecided) -> Decided:
    return Decided(
        decided.events,
        decided.rounds,
        len(decided.differences),
        decided.older,
        len(decided.otherwise),
    )


def _lines(lead: str, verdict: Verdict) -> list[str]:
    if verdict.first_bad is not None:
        where = f"event {verdict.first_bad.seq}" if verdict.first_bad.seq else "the file"
        said = [
            f"{lead}ALTERED at {where}: {verdict.first_bad.what}",
            f"{verdict.events:,} events before it are intact",
        ]
    else:
        still = "; its last run did not close" if verdict.open_round else ""
        said = [f"{lead}intact: {verdict.events:,} events, head {verdict.head}{still}"]
    if verdict.signed:
        days = f"{verdict.days} days" if verdict.days != 1 else "1 day"
        said.append(f"signed up to event {verdict.signed:,}, in {days}")
    return said + [f"note: {note}" for note in verdict.notes]


def _to_write_down(lead: str, path: Path, verdict: Verdict, bad: FirstBad | None) -> list[str]:
    """Return what is worth keeping of a log that holds: by that it can be checked once more."""
    if bad is not None or not verdict.last:
        return []
    return [f"{lead}write down: {line_at(path, Head(verdict.last, verdict.head))}"]


def _decided_lines(decided: Redecided) -> list[str]:
    said = [f"decided again: {decided.events:,} events of {decided.rounds:,} rounds"]
    said += [
        f"{count:,} rounds of decider {number}, settled again from their cards and decisions"
        for number, count in sorted(decided.older.items())
    ]
    said += _shown("note: event", decided.otherwise)
    if not decided.differences:
        return [*said, "every outcome is as it was recorded"]
    return said + _shown("DECIDED OTHERWISE at event", decided.differences)


def _shown(head: str, found: Sequence[Difference]) -> list[str]:
    said = [f"{head} {one.seq}: {one.what}" for one in found[:MOST_SHOWN]]
    more = len(found) - len(said)
    return [*said, f"and {more:,} more"] if more else said


def _progress(done: int, of: int) -> None:
    _tell(done, of, "checked")


def _tell(done: int, of: int, what: str) -> None:
    beneath(sys.stderr).write(f"\r{done:,} of {of:,} events {what}")
    if done >= of:
        sys.stderr.write("\n")
    sys.stderr.flush()
