"""What a table looks at before it opens: its log, its configuration, its disk, its clock.

Before anything is sent to a device and before anybody may ask for something.  What was found is an
event and is shown until the first card.  A table that could not record a day does not open at all,
unless a round lies on it, which is played to its end; whatever else is found is told, since play
does not depend on it.  Devices tell who they are only
once they are listened to: see `controller.service.units`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from controller.clock import FIRST_YEAR, LAST_YEAR, Reading, utc_of
from controller.errors import SettingsError
from controller.eventlog.log import Log
from controller.events import Check, SelfTested
from controller.service.clockwatch import last_row, time_of
from controller.service.diskwatch import MB, free_bytes, lacking
from controller.settings import TableSettings
from controller.table.state import TableState

DIGEST_SHOWN: Final = 12
"""As many digits of a digest tell two configurations apart for people."""


def check_room(settings: TableSettings) -> None:
    """Let no table open that could not record a day, for want of bytes or of files.

    Raises:
        SettingsError: less is free than the configuration wants; says how much, and what to do.
    """
    if lacks := lacking(settings.state, settings.room * MB, settings.room_files):
        raise SettingsError(f"{settings.state}: {lacks}")


def self_test(
    settings: TableSettings,
    log: Log,
    state: TableState | None,
    now: Reading,
    keys_put_back: Sequence[int] = (),
    lacks: str = "",
) -> SelfTested:
    """Look at everything that can be looked at without a device; return the event of it.

    ``log`` was opened and ``state`` resumed from it, so that both hold together already.  ``lacks``
    is what the disk has too little of.
    """
    checks = (
        *check_keys(keys_put_back),
        check_log(log),
        check_configuration(settings, state),
        check_disk(settings.state, lacks),
        check_clock(log, now),
    )
    return SelfTested(checks=checks, after=utc_of(now.wall), at=now.mono)


def check_log(log: Log) -> Check:
    """Tell how far the log goes: whoever opened it has checked it, or it would not be open.

    That is what came after the last checkpoint, at least, the signature there, and the witness.
    """
    head = log.head
    if not head.seq:
        return Check("log", ok=True, words="new: nothing is recorded yet")
    words = f"{head.seq} events, intact since the last checkpoint, which is signed"
    return Check("log", ok=True, words=words)


def check_keys(put_back: Sequence[int]) -> Iterator[Check]:
    """Tell that private keys of days that are over lay there again: somebody had kept them."""
    for day in put_back:
        words = (
            f"the private key of day {day} lay beside the log again, which was destroyed when that"
            " day ended: somebody had kept it, and could sign that day anew; it is destroyed again."
            " Verify the log with a checkpoint that was written down"
        )
        yield Check("log keys", ok=False, words=words)


def check_configuration(settings: TableSettings, state: TableState | None) -> Check:
    """Tell which configuration is in force, and whether it is another than the last run's."""
    now = settings.digest[:DIGEST_SHOWN]
    if state is None:
        return Check("configuration", ok=True, words=f"{settings.path}: {now}")
    before = state.config[:DIGEST_SHOWN]
    if state.config == settings.digest:
        return Check("configuration", ok=True, words=f"{settings.path}: {now}, as before")
    words = f"{settings.path} has changed since the last run: it was {before}, it is {now}"
    return Check("configuration", ok=True, words=words)


def check_disk(folder: Path, lacks: str = "") -> Check:
    """Tell how much room there is; with too little only a round gets here (`check_room`)."""
    if lacks:
        return Check("disk", ok=False, words=f"the round can be played to its end; {lacks}")
    words = f"{free_bytes(folder) // MB} MB are free for {folder}"
    return Check("disk", ok=True, words=words)


def check_clock(log: Log, now: Reading) -> Check:
    """Tell whether the wall clock can be right: not before this version, nor before the log."""
    shows = utc_of(now.wall)[:19]
    last = last_row(log)
    year = int(shows[:4])
    if not FIRST_YEAR <= year <= LAST_YEAR:
        off = f"before {FIRST_YEAR}" if year < FIRST_YEAR else f"after {LAST_YEAR}"
        words = f"the clock of this PC shows {shows} UTC, {off}: set it"
        return Check("clock", ok=False, words=words)
    if last is not None and now.wall < time_of(last):
        recorded = f"event {last.seq} of the log was recorded at {last.at[:19]} UTC"
        words = f"the clock of this PC shows {shows} UTC, but {recorded}: set the clock"
        return Check("clock", ok=False, words=words)
    return Check("clock", ok=True, words=f"{shows} UTC")
