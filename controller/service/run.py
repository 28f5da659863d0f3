"""A table from start to stop.

Start: take the log, go on where it ends, test oneself, then the devices and the socket.  Stop:
the devices first, then the last event is recorded and the log let go.
"""

import asyncio
import contextlib
import faulthandler
import os
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from controller import custody
from controller.bounded import HANGS_AFTER, within
from controller.characters import printable, printable_in
from controller.clock import boot_id, utc_now
from controller.ending import told_to_end
from controller.errors import SettingsError
from controller.eventlog.errors import LogWriteFailed
from controller.eventlog.store import EventLog
from controller.events import CommandFailed, Started, Stopped
from controller.game.prizes import percent, theoretical_return
from controller.operators.store import Store
from controller.outcomes import Commanded
from controller.service.alive import Living, keep_alive, opening_the_log
from controller.service.claim import Claim, claimed
from controller.service.control import Control
from controller.service.days import Days, gaming_day, local_now
from controller.service.gave_up import take_away
from controller.service.inbox import Inbox
from controller.service.mirroring import Looked, check_copy
from controller.service.notify import Systemd
from controller.service.people import People
from controller.service.progress import Followed, Progress
from controller.service.selftest import check_room
from controller.service.translate import command_of, heard, translate
from controller.service.upkeep import Upkeep
from controller.settings import TableSettings
from controller.table.decide import DECIDER
from controller.table.owner import Table, Taken
from controller.table.resume import resume
from controller.table.state import is_between_rounds
from controller.table.view import view
from drivers.attend import Attended
from drivers.errors import LinkLost, OptionError
from drivers.events import DeviceEvent
from drivers.registry import find_driver

HEALTH_EVERY: Final = 1.0
"""Seconds between looks at the devices' health, for who watches."""

LOCK_EVERY: Final = 2.0
"""Seconds between looks whether the lock of the log is still this table's."""

STOP_WITHIN: Final = 5.0
"""Seconds that the last event has to be recorded; a disk that refuses is not waited for."""

log = structlog.get_logger()


def run(
    settings: TableSettings,
    *,
    rehearsal: bool = False,
    capture: Path | None = None,
    until_stdin_closes: bool = False,
) -> None:
    """Run the table until a signal tells it to stop.

    ``rehearsal`` accepts simulated ports, root and claimed roles, as demo and scripts need;
    ``capture`` keeps every byte of each device in a file of that name with the device's added.

    Raises:
        SettingsError: the configuration cannot be used here.
        TableHeld: another controller has the socket.
        EventLogError: another controller holds the table, or its log is not as it was left.
        OutcomesDiffer: the last round is decided otherwise now than it was.
    """
    faulthandler.enable()  # a table that the watchdog ends tells the journal where it stood
    devices = _devices(settings, capture, rehearsal=rehearsal)
    real = None if rehearsal else settings.path
    custody.check(settings.state, custody.Custodian(), config=real)
    _make_folder(settings.state)
    asks_for_room = settings.room_is_said or not rehearsal  # a rehearsal need not last a day
    if asks_for_room and not (settings.state / "log").exists():
        check_room(settings)
    living = Living(Systemd.from_environment(), Progress())
    with (
        claimed(settings.socket) as claim,
        contextlib.closing(_opened(settings, living)) as event_log,
    ):
        days = Days(settings, event_log)
        had = days.carried.copied_to(settings.mirror)
        log_folder, mirror = settings.state / "log", settings.mirror
        # A disk beside the log that hangs is told of once the table is open.
        copy = within(HANGS_AFTER, lambda: check_copy(log_folder, mirror, had), Looked(had))
        table = Table(Followed(event_log, living.progress), utc_now, resume(event_log))
        if asks_for_room and (table.state is None or is_between_rounds(table.state)):
            check_room(settings)
        put_back = event_log.keys_put_back
        upkeep = Upkeep(
            settings,
            event_log,
            table.state,
            devices,
            copy,
            put_back,
            asks_for_room=asks_for_room,
        )
        parts = (settings, table, devices, days, upkeep, living, claim)
        service = _Service(*parts, event_log.keep_lock, rehearsal=rehearsal)
        asyncio.run(service.run(until_stdin_closes=until_stdin_closes))


def _opened(settings: TableSettings, living: Living) -> EventLog:
    with opening_the_log(living.systemd):
        today = gaming_day(local_now(), settings.day_starts)
        return EventLog.open(settings.state / "log", date=today.isoformat())


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise SettingsError(f"table.state = {folder} cannot be used: {fault.strerror}") from None


def _devices(settings: TableSettings, capture: Path | None, *, rehearsal: bool) -> list[Attended]:
    if os.geteuid() == 0 and not rehearsal:
        raise SettingsError("a table does not run as root: use the tablekeeper user of the service")
    if settings.cards_ready and not rehearsal:
        what = (
            "table.cards_ready is for rehearsals: at a real table the shuffle is confirmed (4.1.1)"
        )
        raise SettingsError(f"{settings.path}: {what}")
    attended = []
    for name, device in settings.devices.items():
        if device.port.startswith("simulated:") and not rehearsal:
            what = f"devices.{name}: {device.port} is a simulated port, not a device"
            raise SettingsError(f"{settings.path}: {what}")
        try:
            driver = find_driver(device.driver)
            kept = capture and capture.with_name(f"{capture.name}.{name}")
            attended.append(Attended(name, driver, device.port, device.options, capture=kept))
        except OptionError as fault:
            raise SettingsError(f"{settings.path}: devices.{name}: {fault}") from None
    return attended


def _pressed_at(settings: TableSettings) -> frozenset[str]:
    """Return the devices of the table, and those that a screen may stand for by its keys."""
    stood_for = (control.partition(".")[0] for control in settings.controls)
    return frozenset({*settings.devices, *stood_for})


class _Service:
    def __init__(
        self,
        settings: TableSettings,
        table: Table,
        devices: list[Attended],
        days: Days,
        upkeep: Upkeep,
        living: Living,
        claim: Claim,
        keep_lock: Callable[[], bool],
        *,
        rehearsal: bool,
    ) -> None:
        self._living = living
        self._keep_lock = keep_lock
        self._upkeep = upkeep
        self._settings = settings
        self._rehearsal = rehearsal
        self._table = table
        self._devices = devices
        self._days = days
        self._inbox = Inbox(
            table, self._act, days, living.progress, lambda: self._control.tell_view()
        )
        self._sending: set[asyncio.Task[None]] = set()
        roll = days.carried.roll
        self._people = People(Store(settings.state), self._inbox, roll, rehearsal=rehearsal)
        hello = {
            "table": settings.name,
            "version": version("tablekeeper"),
            "rehearsal": rehearsal,
        }
        parts = (self._inbox, self._people, self._view)
        self._control = Control(claim, hello, *parts, devices=_pressed_at(settings))

    async def run(self, *, until_stdin_closes: bool) -> None:
        """Serve the table until a signal says stop, or whoever started it is gone."""
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in told_to_end():
            loop.add_signal_handler(number, stop.set)
        if until_stdin_closes:
            loop.add_reader(sys.stdin, lambda: stop.set() if not os.read(0, 4096) else None)
        owner = asyncio.create_task(self._inbox.run(), name="owner")
        living = keep_alive(self._living, self._control.opened, self._status)
        alive = asyncio.create_task(living, name="alive")
        starting = asyncio.ensure_future(self._begin())
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait({starting, stopping, owner}, return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():  # a disk that refuses: nothing was opened yet
            await _cancel(starting, stopping, alive)
            if owner.done():
                owner.result()  # what it met is not to pass for an orderly stop
            await _cancel(owner)
            return
        starting.result()  # a table whose start has failed is not opened
        around = [
            asyncio.create_task(self._upkeep.run(self._inbox.put), name="upkeep"),
            asyncio.create_task(self._control.run(), name="control"),
            asyncio.create_task(self._watch_health(), name="health"),
            asyncio.create_task(self._people.run(), name="people"),
            asyncio.create_task(_keep(self._keep_lock), name="lock"),
            *(asyncio.create_task(one.run(self._tell), name=one.name) for one in self._devices),
        ]
        log.info("table open", table=self._settings.name, socket=str(self._settings.socket))
        self._tell_return()
        take_away(self._settings.socket)
        try:
            await _first_of(stopping, owner, alive, *around)
        finally:
            self._living.systemd.stopping()
            await _cancel(*around, *self._sending)
            last = ""
            if not owner.done():
                with contextlib.suppress(TimeoutError):
                    stopped = await asyncio.wait_for(self._inbox.ask(Stopped()), STOP_WITHIN)
                    last = self._days.line_at(stopped.rows[-1])
            await _cancel(owner, alive)
            log.info("table closed", table=self._settings.name, write_down=last)

    async def _begin(self) -> None:
        """Record what comes before anything is sent to a device or may be asked."""
        for event in (self._started(), *self._upkeep.first):
            await self._inbox.ask(event)

    def _started(self) -> Started:
        roles = {
            name: find_driver(device.driver).role for name, device in self._settings.devices.items()
        }
        return Started(
            version=version("tablekeeper"),
            decider=DECIDER,
            config=self._settings.digest,
            boot=boot_id(),
            game=self._settings.game,
            controls=self._settings.controls,
            devices=dict(roles),
            source=self._settings.source,
            rehearsal=self._rehearsal,
            cards_ready=self._settings.cards_ready,
        )

    def _tell_return(self) -> None:
        """Tell what Pontoon Pandemonium returns by its configured prizes (18.14.6)."""
        game = self._settings.game
        if game.pandemonium and game.prizes:
            returned = percent(theoretical_return(game.prizes, game.decks))
            log.info("pandemonium", theoretical_return=returned)

    def _tell(self, device: str, event: DeviceEvent) -> None:
        for admitted in self._upkeep.units.admitted(device, heard(event)):
            translated = translate(device, admitted)
            if translated is not None:
                self._inbox.put(translated)

    def _act(self, taken: Taken) -> None:
        self._upkeep.recorded(taken)
        self._days.recorded(taken)
        self._control.tell(taken)
        for outcome in taken.outcomes:
            if isinstance(outcome, Commanded):
                sending = asyncio.create_task(self._send(outcome), name="command")
                self._sending.add(sending)
                sending.add_done_callback(self._sending.discard)

    async def _send(self, commanded: Commanded) -> None:
        """Send a command that is on disk; what became of it is an event of its own."""
        device = next(one for one in self._devices if one.name == commanded.device)
        try:
            self._upkeep.units.must_be_used(device.name)
            await device.send(command_of(commanded.what), commanded.id)
        except LinkLost as lost:
            failed = CommandFailed(
                device=commanded.device, id=commanded.id, why=printable(str(lost))
            )
            self._inbox.put(failed)

    def _view(self) -> dict[str, Any]:
        state = self._table.state
        assert state is not None  # Started is the first event, before the socket opens
        health = _health(self._devices)
        seen = view(state)
        return {
            "table": self._settings.name,
            **seen,
            "devices": _of_present_units(seen["devices"], health),
            "health": health,
            "trouble": self._inbox.trouble,
            "write_down": self._days.write_down,
            **self._upkeep.view(),
        }

    def _status(self) -> str:
        """Return how the table does in one line, for the technician."""
        if (state := self._table.state) is None:
            return self._inbox.trouble or "going on where the log ends"
        lost = [name for name, device in state.devices.items() if not device.online]
        words = f"round {state.round}, {state.play.state.value}"
        away = f"not there: {', '.join(lost)}" if lost else ""
        return "; ".join(filter(None, [words, away, self._inbox.trouble]))

    async def _watch_health(self) -> None:
        """Show who watches that a device fell silent, or that the disk refuses or fills up."""
        shown: object = None
        while True:
            await asyncio.sleep(HEALTH_EVERY)
            now = ([(one.health().state, one.health().detail) for one in self._devices],)
            seen = (now, self._inbox.trouble, self._days.write_down, self._upkeep.view())
            if seen != shown:
                shown = seen
                self._control.tell_view()


async def _keep(keep_lock: Callable[[], bool]) -> None:
    """Keep the lock of the log, whatever becomes of its file; end the table if there are two.

    Raises:
        LogHeld: another controller has the lock that is there now.
    """
    told = ""
    while True:
        await asyncio.sleep(LOCK_EVERY)
        try:
            if await asyncio.to_thread(keep_lock):
                log.warning("the lock of the log was taken away and is made anew")
            told = ""
        except LogWriteFailed as fault:
            if str(fault) != told:
                told = str(fault)
                log.error("the lock of the log was taken away", why=told)


def _health(devices: Iterable[Attended]) -> dict[str, Any]:
    told = {device.name: msgspec.to_builtins(device.health()) for device in devices}
    return dict(printable_in(told))


def _of_present_units(devices: dict[str, Any], health: dict[str, Any]) -> dict[str, Any]:
    """Say of devices that are not there what is found at their places now: another unit, perhaps.

    What is recorded of them is how they were lost.
    """
    return {
        name: {**device, "trouble": health[name]["detail"] or device["trouble"]}
        if name in health and health[name]["state"] in {"waiting", "lost"}
        else device
        for name, device in devices.items()
    }


async def _first_of(*waiting: Any) -> None:
    """Wait for the first to end; if it ended with an error, that is raised."""
    tasks = [asyncio.ensure_future(one) for one in waiting]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    tasks[0].cancel()
    for task in done:
        task.result()


async def _cancel(*tasks: "asyncio.Future[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
