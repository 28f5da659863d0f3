"""A script's table as it stands in a casino: the controller a process, the devices at its ports.

Every step goes the way it goes at a table, and the next one waits until this one is recorded.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.cards import Card, pack
from controller.errors import TableGone
from controller.eventlog.read import LogReader
from controller.events import Ask, ForNext, TakeBack
from controller.game.moves import Double, Forfeit, PressJackpot, Split, Surrender
from controller.rehearsal.bench import Bench, Setup, bench
from controller.scripts.perform import DEALER, Told
from controller.scripts.script import Script
from controller.scripts.steps import DEVICES
from controller.service.client import Client, Watch
from controller.table.procedure import IDLE, READY

RECORDED_WITHIN: Final = 10.0
"""Seconds until a step that was carried out must be in the log."""

BETWEEN_PRESSES: Final = 0.04
"""Seconds between two presses: more than a bounce lasts."""

SHORT: Final = 0.05
HELD: Final = 0.75
"""Seconds that a control is pressed, or held."""


SHOE_FAULTS: Final = {
    "jam": "draw-time-out",
    "door-open": "mishandled-button",
    "count-mismatch": "overdraw",
    "duplicate-card": "card-code",
    "unreadable-card": "cannot-read",
    "damaged-card": "reverse-midway",
    "service": "reverse-at-exit",
}
"""What a card-reading shoe calls the trouble that a script names."""


NEEDED: Final = {
    "surrender": frozenset({"buttons"}),
    "press": frozenset({"buttons", "meter"}),
    "meter": frozenset({"meter"}),
}
"""The devices that a step needs without naming them."""


STATES: Final = frozenset({"door-open", "service"})
"""What is a state of a shuffling device and no fault of it."""


class Press(NamedTuple):
    """One press of a control."""

    device: str
    control: str
    hold: float = SHORT


class WireTable:
    """A fresh table of two processes, and the one connection that watches it."""

    def __init__(self, table: Bench, script: Script) -> None:
        self._bench = table
        self._script = script
        self._faults: dict[str, str] = {}
        self._client: Client | None = None
        self._watch: Watch | None = None
        self._unplugged: set[str] = set()

    @classmethod
    @contextlib.asynccontextmanager
    async def set_up(
        cls, script: Script, state: Path, scratch: Path, capture: Path | None = None
    ) -> "AsyncIterator[WireTable]":
        """Start the table of a script, and end it afterwards; ``capture`` keeps its bytes."""
        devices = _devices_of(script)
        setup = Setup("rehearsal", script.game, devices, script.source, capture)
        async with bench(setup, state, scratch) as processes:
            table = cls(processes, script)
            try:
                await table._connect()
                await table._load_source()
                yield table
            finally:
                await table._disconnect()

    async def _connect(self) -> None:
        self._client = await self._bench.connect()
        self._watch = await self._client.watch()
        async with asyncio.timeout(RECORDED_WITHIN):
            while not self._all_there():
                await self._watch.next()

    async def _disconnect(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _all_there(self) -> bool:
        online = {name for name, device in self._view["devices"].items() if device["online"]}
        return online >= set(self._bench.setup.devices) - self._unplugged

    @property
    def _view(self) -> dict[str, Any]:
        assert self._watch is not None
        return self._watch.view

    async def _until(self, wanted: Callable[[dict[str, Any]], bool]) -> Told:
        """Wait for the event that is wanted, until it is on disk."""
        assert self._watch is not None
        try:
            return Told(await self._watch.event(wanted, RECORDED_WITHIN))
        except TableGone:
            last = self._bench.controller.last_words()
            raise TableGone(f"the controller ended: {last}") from None
        except TimeoutError:
            raise TableGone("the controller does not tell what became of a step") from None

    async def ask(self, ask: Ask, by: str = DEALER) -> Told:
        """Ask by pedal or key where that says it, else over the socket."""
        if presses := self._by_hand(ask):
            told = Told([])
            for press in presses:
                told = await self._press(*press)
            return await self._with_chance(told)
        assert self._client is not None
        answer = await self._client.ask(msgspec.to_builtins(ask), by)
        if not answer["ok"]:
            raise TableGone(f"the controller does not understand a step: {answer['error']}")
        told = await self._until(lambda row: bool(row["seq"] == answer["seq"]))
        return await self._with_chance(told)

    async def _with_chance(self, told: Told) -> Told:
        """Wait for the prize as well, where chance was asked for one."""
        if not any(row["kind"] == "draw-due" for row in told.rows):
            return told
        drawn = await self._until(_is("chance"))
        return Told([*told.rows, *drawn.rows])

    def _by_hand(self, ask: Ask) -> list[Press]:
        """Return the presses that say it at this moment; none if only words can."""
        presses = self._by_keys(ask)
        if self._view["go_on"] == msgspec.to_builtins(ask):
            presses = [Press("pedal", "middle")]
        there = self._view["devices"]
        return presses if all(there[press.device]["online"] for press in presses) else []

    def _by_keys(self, ask: Ask) -> list[Press]:
        if self._view["in_doubt"]:
            return []
        step = self._view["take_back"]
        match ask:
            case Double(players=()) if self._view["turn"]:
                return [Press("keys", "D")]
            case Split(players=()) if self._view["turn"]:
                return [Press("keys", "P")]
            case Forfeit(players=(one,)) if self._view["may_forfeit"] == [one]:
                return [Press("keys", "F")]
            case Surrender(box=box, players=()):
                return [Press("buttons", f"surrender-{box}")]
            case PressJackpot(box=box):
                return [Press("buttons", f"jackpot-{box}")]
            case TakeBack() if step and not step["needs_supervisor"]:
                return [Press("pedal", "left", HELD)]
            case ForNext() if step and not step["needs_supervisor"]:
                return [Press("pedal", "right")]
        return []

    async def card(self, card: Card) -> Told:
        """A card leaves the shoe."""
        await self._bench.hands.do("draw", device=self._view["source"], card=card)
        return await self._until(_is("card-out"))

    async def cutting_card(self) -> Told:
        """The cutting card leaves the shoe."""
        await self._bench.hands.do("cutting-card", device=self._view["source"])
        return await self._until(_is("cutting-card"))

    async def press(self, device: str, control: str) -> Told:
        """Press a raw control."""
        return await self._press(device, control, SHORT)

    async def _press(self, device: str, control: str, hold: float) -> Told:
        await self._bench.hands.do("press", device=device, control=control, hold=hold)
        told = await self._until(_is("pressed"))
        await asyncio.sleep(BETWEEN_PRESSES)
        return told

    async def unplug(self, device: str) -> Told:
        """Pull the cable."""
        self._unplugged.add(device)
        await self._bench.hands.do("unplug", device=device)
        return await self._until(_of(device, "device-lost"))

    async def plug(self, device: str) -> Told:
        """Put the cable back."""
        self._unplugged.discard(device)
        await self._bench.hands.do("plug", device=device)
        return await self._until(_of(device, "device-online"))

    async def fault(self, device: str, code: str) -> Told:
        """Bring a device into trouble."""
        code = SHOE_FAULTS[code] if DEVICES[device] == "shoe" else code
        if self._faults.get(device) == code:
            return Told([])  # it is in that trouble already, and says nothing more
        self._faults[device] = code
        if code in STATES and DEVICES[device] != "shoe":
            await self._bench.hands.do("state", device=device, state=code)
        else:
            await self._bench.hands.do("fault", device=device, code=code)
        return await self._until(_of(device, "device-fault", "device-reports"))

    async def clear(self, device: str) -> Told:
        """Bring it out of trouble."""
        code = self._faults.pop(device, "")
        if not code:
            return Told([])
        await self._bench.hands.do("clear", device=device, code=code)
        return await self._until(_of(device, "device-cleared", "device-reports"))

    async def hold(self, device: str, cards: int) -> None:
        """From now on so many cards lie in a shuffling device: one that is well tells it."""
        if not cards:
            await self._empty(device)
        elif device not in self._faults and device not in self._unplugged:
            await self._load(device, cards)

    async def _load_source(self) -> None:
        """Put the pack into the device in use, where it is one that tells how many it holds."""
        if self._script.source != "shoe":
            await self._load(self._script.source, self._view["shoe"]["left"])

    async def _load(self, device: str, number: int) -> None:
        """Load so many cards and wait until the device is ready; which they are, a script says."""
        game = self._script.game
        cards = pack(game.decks, tens=game.tens)[:number]
        await self._bench.hands.do("load", device=device, cards=cards)
        await self._until(_of(device, "device-reports", state=READY))

    async def taken_out(self, device: str) -> None:
        """A card was taken out of a device by hand: the device tells nothing of it."""
        devices = (await self._bench.hands.do("status"))["devices"]
        if DEVICES[device] == "shuffler" and devices[device]["left"]:
            await self._bench.hands.do("take-out", device=device, number=1)

    async def _empty(self, device: str) -> None:
        """Take the cards out by hand; a device in trouble does not notice."""
        taken = await self._bench.hands.do("take-out", device=device)
        if taken["sent"] and device not in self._unplugged:
            await self._until(_of(device, "device-reports", state=IDLE))

    async def meter(self, *, shown: bool) -> Told:
        """From now on the meter acknowledges what it is told to show, or it does not."""
        silent = not shown
        await self._bench.hands.do("switch", device="meter", name="silent", value=silent)
        return Told([])

    async def switch(self, device: str, name: str, *, value: object) -> None:
        """Set a fault switch of a simulated device."""
        await self._bench.hands.do("switch", device=device, name=name, value=value)

    async def power_cut(self) -> None:
        """Kill the controller at once and start it again."""
        self._bench.controller.kill()
        await self._bench.controller.ended()
        await self._disconnect()
        await self._bench.start_controller()
        await self._connect()

    async def waiting(self) -> list[Card]:
        """Return the cards that wait for the dealer's word."""
        return [Card(card) for card in self._view["undue"]]

    async def reads_cards(self) -> bool:
        """Tell whether the device in use is there and well."""
        source = self._view["devices"][self._view["source"]]
        return bool(source["online"]) and not source["trouble"]

    async def view(self) -> dict[str, Any]:
        """Return the table's view."""
        return self._view

    async def log_head(self) -> tuple[int, str]:
        """Return the number of events in the log and the hash of the last."""
        with contextlib.closing(LogReader.open(self._bench.state)) as log:
            return log.head.seq, log.head.hash


def _devices_of(script: Script) -> tuple[str, ...]:
    """Return the devices that stand at the table of a script: the usual, and what it speaks of."""
    wanted = {"shoe", "pedal", "keys", script.source}
    for step in script.steps:
        wanted |= {word for word in step.text.split() if word in DEVICES}
        wanted |= NEEDED.get(step.word, frozenset())
    if wanted & {"shuffler-1", "shuffler-2"}:
        wanted |= {"shuffler-1", "shuffler-2"}
    return tuple(device for device in DEVICES if device in wanted)


def _is(*kinds: str) -> Callable[[dict[str, Any]], bool]:
    return lambda row: row["kind"] in kinds


def _of(device: str, *kinds: str, **body: object) -> Callable[[dict[str, Any]], bool]:
    """Return whether an event is of the device and one of the kinds, with such a body."""
    wanted = {"device": device, **body}
    return lambda row: row["kind"] in kinds and wanted.items() <= row["body"].items()
