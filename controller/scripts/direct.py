"""A script's table in this process: the same events, without ports and processes."""

from pathlib import Path
from typing import Any

import msgspec

from controller.cards import Card
from controller.clock import utc_now
from controller.errors import UsageError
from controller.eventlog.chain import START
from controller.eventlog.log import Log
from controller.eventlog.memory import MemoryLog
from controller.eventlog.row import as_json_line
from controller.eventlog.store import EventLog
from controller.events import (
    AnyEvent,
    Ask,
    Asked,
    CardOut,
    CommandDone,
    CuttingCardOut,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    Pressed,
    Started,
    Stopped,
)
from controller.scripts.perform import DEALER, Told
from controller.scripts.script import Script
from controller.scripts.steps import DEVICES
from controller.table.controls import DEFAULT_CONTROLS
from controller.table.decide import DECIDER
from controller.table.owner import Table
from controller.table.prizes import chance_for
from controller.table.procedure import IDLE, READY, TROUBLE
from controller.table.state import TableState, cards_in_pack
from controller.table.view import view

SILENT = "the meter does not answer"


class DirectTable:
    """A fresh table with a throw-away log, or one that lasts if a folder is given."""

    def __init__(self, script: Script, state: Path | None, version: str) -> None:
        self._log: Log = MemoryLog() if state is None else EventLog.open(state / "log")
        self._table = Table(self._log, utc_now)
        if self._log.head == START:
            self._table.begin_day({"date": utc_now()[:10], "table": script.title})
        self._take(
            Started(
                version=version,
                decider=DECIDER,
                config="",
                boot="",
                game=script.game,
                controls=dict(DEFAULT_CONTROLS),
                devices=dict(DEVICES),
                source=script.source,
                cards_ready=True,
            )
        )
        for name in DEVICES:
            self._take(DeviceOnline(device=name, port="direct"))
            self._ready(name)

    @property
    def _state(self) -> TableState:
        assert self._table.state is not None
        return self._table.state

    def _ready(self, device: str) -> Told:
        """Let a shuffling device say that it is ready, with the cards that are left in use."""
        if DEVICES[device] not in {"shuffler", "multishuffler"}:
            return Told([])
        inside = None
        if device == self._state.source:
            inside = cards_in_pack(self._state.play.game) - self._state.ledger.count
        return self._take(DeviceReports(device=device, state=READY, cards_inside=inside))

    async def ask(self, ask: Ask, by: str = DEALER) -> Told:
        """Ask for something."""
        return self._take(Asked(ask=ask, by=by))

    async def card(self, card: Card) -> Told:
        """A card leaves the shoe."""
        return self._take(CardOut(device=self._state.source, card=card))

    async def cutting_card(self) -> Told:
        """The cutting card leaves the shoe."""
        return self._take(CuttingCardOut(device=self._state.source))

    async def press(self, device: str, control: str) -> Told:
        """Press a raw control."""
        return self._take(Pressed(device=device, control=control))

    async def unplug(self, device: str) -> Told:
        """Pull the cable."""
        return self._take(DeviceLost(device=device, why="unplugged"))

    async def plug(self, device: str) -> Told:
        """Put the cable back."""
        told = self._take(DeviceOnline(device=device, port="direct"))
        self._ready(device)
        return told

    async def fault(self, device: str, code: str) -> Told:
        """Bring a device into trouble."""
        if DEVICES[device] == "shoe":
            return self._take(DeviceFault(device=device, code=code, text=TROUBLE[code]))
        return self._take(DeviceReports(device=device, state=code))

    async def clear(self, device: str) -> Told:
        """Bring it out of trouble."""
        if DEVICES[device] == "shoe":
            return self._take(DeviceCleared(device=device, code=""))
        return self._ready(device)

    async def hold(self, device: str, cards: int) -> None:
        """From now on so many cards lie in a shuffling device: one that is well tells it."""
        known = self._state.devices[device]
        if known.online and not known.trouble:
            state = READY if cards else IDLE
            self._take(DeviceReports(device=device, state=state, cards_inside=cards))

    async def taken_out(self, device: str) -> None:
        """A card was taken out by hand: no device here counts by itself."""

    async def meter(self, *, shown: bool) -> Told:
        """From now on the meter acknowledges what it is told to show, or it does not."""
        if not shown:
            return self._take(DeviceFault(device="meter", code="silent", text=SILENT))
        for sent in self._state.commands.values():
            if "prize" in sent.what["do"] and not sent.done:
                self._take(CommandDone(device="meter", id=sent.id))
        return self._take(DeviceCleared(device="meter", code="silent"))

    async def switch(self, device: str, name: str, *, value: object) -> None:
        """There is no wire to disturb."""
        raise UsageError("switch needs a table of its own process: play --over wire")

    async def power_cut(self) -> None:
        """There is no process to kill."""
        raise UsageError("power-cut needs a table of its own process: play --over wire")

    async def waiting(self) -> list[Card]:
        """Return the cards that wait for the dealer's word."""
        return [*self._state.in_hand, *self._state.play.undue]

    async def reads_cards(self) -> bool:
        """Tell whether the device in use is there and well."""
        source = self._state.devices[self._state.source]
        return source.online and not source.trouble

    async def view(self) -> dict[str, Any]:
        """Return the table's view."""
        return view(self._state)

    async def log_head(self) -> tuple[int, str]:
        """Return the number of events in the log and the hash of the last."""
        head = self._log.head
        return head.seq, head.hash

    def close(self) -> None:
        """Leave the table."""
        self._take(Stopped())
        self._log.close()

    def _take(self, event: AnyEvent) -> Told:
        taken = self._table.take(event)
        rows = [msgspec.json.decode(as_json_line(row)) for row in taken.rows]
        for chance in chance_for(taken.outcomes):
            rows += self._take(chance).rows
        return Told(rows)
