"""What the PC under the table looks after beside the play: its clock, its disk, its devices, the
second copy of the log.

One object for `controller.service.run`: what is recorded first, what is watched, what is shown.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import structlog

from controller.clock import boot_id, read_clocks, utc_of
from controller.eventlog.log import Log
from controller.events import AnyEvent, Check, SelfTested
from controller.outcomes import Dealt
from controller.service.clockwatch import ClockWatch, at_start
from controller.service.diskwatch import MB, DiskWatch
from controller.service.mirroring import Looked, Mirroring
from controller.service.selftest import self_test
from controller.service.units import DUE_WITHIN, Units
from controller.settings import TableSettings
from controller.table.owner import Taken
from controller.table.state import TableState
from drivers.attend import Attended

log = structlog.get_logger()


class Upkeep:
    """Looks at the table's PC from before its first event to its last.

    ``first`` is what is to be recorded before anything is sent or may be asked: how things are,
    and a clock that jumped while no controller ran.  ``units`` says which devices are used.
    """

    def __init__(
        self,
        settings: TableSettings,
        event_log: Log,
        state: TableState | None,
        devices: list[Attended],
        copy: Looked,
        keys_put_back: Sequence[int] = (),
        *,
        asks_for_room: bool = True,
    ) -> None:
        """Look at the log while it still ends where the last run left it.

        A rehearsal that need not last a day does not ask for its room.
        """
        now = read_clocks()
        self._disk = DiskWatch(
            settings.state,
            settings.room * MB,
            files=settings.room_files,
            asked=asks_for_room,
            told=bool(state and state.no_room),
        )
        self._disk.look()
        tested = self_test(settings, event_log, state, now, keys_put_back, self._disk.lacks)
        jumped = at_start(event_log, now, boot_id())
        self.first: list[AnyEvent] = [tested]
        self.first += [event for event in (jumped, copy.set_back) if event is not None]
        self.first += self._disk.news()
        self.units = Units(settings.devices, settings.source)
        self._tested = tested.checks
        self._devices = devices
        self._devices_are_due = False
        self._is_over = False
        self._clock = ClockWatch(now, latest=now.wall)
        self._copy = Mirroring(settings.state / "log", settings.mirror, copy)
        for check in tested.checks:
            _tell_journal(check)

    async def run(self, tell: Callable[[AnyEvent], None]) -> None:
        """Watch until cancelled; what happens is told as events."""
        await asyncio.gather(
            self._clock.run(tell),
            self._disk.run(tell),
            self._copy.run(tell),
            self._look_at_devices(tell),
        )

    def recorded(self, taken: Taken) -> None:
        """Take note of what is on disk now."""
        self._clock.recorded(taken.rows[-1].at)
        self._copy.recorded(taken.rows)
        if any(isinstance(one, Dealt) for one in taken.outcomes):
            self._is_over = True  # the first round: who wanted to see the self-test has seen it

    def view(self) -> dict[str, Any]:
        """Return what is to be seen of the PC: a warning, and until the first card the tests."""
        return {
            "warning": self._disk.warning,
            "self_test": [] if self._is_over else msgspec.to_builtins(self._shown()),
        }

    def _shown(self) -> tuple[Check, ...]:
        if not self._devices_are_due:
            return self._tested
        return (*self._tested, *_failed(self.units.checks(self._devices)))

    async def _look_at_devices(self, tell: Callable[[AnyEvent], None]) -> None:
        """Say once what is missing or is not what it should be, when all had time to come."""
        await asyncio.sleep(DUE_WITHIN)
        self._devices_are_due = True
        checks = self.units.checks(self._devices)
        if _failed(checks):
            now = read_clocks()
            tell(SelfTested(checks=checks, after=utc_of(now.wall), at=now.mono))
        for check in checks:
            _tell_journal(check)


def _failed(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    return tuple(check for check in checks if not check.ok)


def _tell_journal(check: Check) -> None:
    tell = log.info if check.ok else log.warning
    tell("self-test", name=check.name, ok=check.ok, words=check.words)
