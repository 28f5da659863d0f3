"""A script played at a table of processes whose controller is killed again and again.

Whoever plays does what people at a table do after a cut: the card that came out unseen is entered,
the layout is confirmed, what was asked and is not in the log is asked once more.
"""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

from controller.cards import Card
from controller.errors import TableGone
from controller.events import Ask, ConfirmLayout, EnterCard
from controller.game.moves import Cleared, PressJackpot
from controller.rehearsal.bench import Bench
from controller.scripts.perform import DEALER, Told
from controller.scripts.script import Script
from controller.scripts.wire import RECORDED_WITHIN, WireTable
from controller.service.client import Client, Watch
from tests.system.table import rows_of
from tests.system.talk import Row

LONGEST_WAIT: Final = 0.04
"""Seconds after the begin of a step in which the kill comes: the longest ones take about that."""

STARTING: Final = 1.0
"""Seconds after its start in which a controller is killed that is starting."""

OFTEN: Final = 0.5
"""How likely a step is cut; with a prize at stake it always is."""

AGAIN: Final = 0.12
"""How likely the start after a kill is cut as well."""

Step = Callable[[], Awaitable[Told]]
Is = Callable[[Row], bool]


class KilledTable(WireTable):
    """The table of a script over the wire; `cut_by` decides when its controller is killed."""

    def __init__(self, table: Bench, script: Script) -> None:
        super().__init__(table, script)
        self._luck: random.Random | None = None
        self._most = 0
        self._onlookers: list[tuple[Client, Watch]] = []
        self.told: list[Row] = []
        """Every row that somebody who only watches was told."""
        self.heads: list[tuple[int, str]] = []
        """Where the log stood at each kill."""
        self.moments: list[str] = []
        """When each kill came, in words."""

    def cut_by(self, luck: random.Random, most: int) -> Self:
        """Begin to kill, so many times at most; nothing is cut before."""
        self._luck, self._most = luck, most
        return self

    # --- what a script does ---------------------------------------------------------------------

    async def ask(self, ask: Ask, by: str = DEALER) -> Told:
        step = super().ask
        asked = _of_kind("asked", "pressed")
        # What asks for the layout to be confirmed is done by confirming it after the cut.
        again = self._confirm if isinstance(ask, ConfirmLayout) else None
        often = 1.0 if isinstance(ask, PressJackpot | Cleared) else OFTEN
        return await self._through(f"ask {ask}", lambda: step(ask, by), asked, again, often=often)

    async def card(self, card: Card) -> Told:
        step = super().card
        return await self._through(
            f"card {card}", lambda: step(card), _of_kind("card-out"), lambda: self._enter(card)
        )

    async def cutting_card(self) -> Told:
        step = super().cutting_card
        return await self._through("cutting card", step, _of_kind("cutting-card"))

    async def press(self, device: str, control: str) -> Told:
        step = super().press
        name = f"press {device} {control}"
        return await self._through(name, lambda: step(device, control), _of_kind("pressed"))

    async def fault(self, device: str, code: str) -> Told:
        step = super().fault
        return await self._through(
            f"fault {device} {code}",
            lambda: step(device, code),
            _of_kind("device-fault", "device-reports", device=device),
            lambda: self._until_seen(lambda view: bool(view["devices"][device]["trouble"])),
        )

    async def clear(self, device: str) -> Told:
        step = super().clear
        return await self._through(
            f"clear {device}",
            lambda: step(device),
            _of_kind("device-cleared", "device-reports", device=device),
            lambda: self._until_seen(lambda view: not view["devices"][device]["trouble"]),
        )

    # --- cutting --------------------------------------------------------------------------------

    async def _through(
        self,
        name: str,
        step: Step,
        is_it: Is,
        again: Step | None = None,
        *,
        often: float = OFTEN,
    ) -> Told:
        """Take a step, perhaps with a kill; return what the table says to it in the end."""
        if self._luck is None or self._luck.random() > often or len(self.moments) >= self._most:
            return await step()
        before = self._rows()[-1]["seq"]
        delay = self._luck.uniform(0, LONGEST_WAIT)
        killing = asyncio.ensure_future(self._kill_after(delay, f"{delay:.4f} s after: {name}"))
        with contextlib.suppress(TableGone):  # what the log has counts
            await step()
        await killing
        await self._start_again()
        recorded = _told(self._rows(), before, is_it)
        if recorded is not None:
            await self._confirm()
            return await self._with_recorded_chance(recorded)
        if again is not None:
            told = await again()
            await self._confirm()
            return told
        await self._confirm()
        return await step()

    async def _kill_after(self, delay: float, when: str) -> None:
        await asyncio.sleep(delay)
        self._bench.controller.kill()
        await self._bench.controller.ended()
        self.moments.append(when)
        last = self._rows()[-1]
        self.heads.append((last["seq"], last["hash"]))

    async def _start_again(self) -> None:
        assert self._luck is not None
        while self._luck.random() < AGAIN and len(self.moments) < self._most:
            await self._bench.start_controller()
            delay = self._luck.uniform(0, STARTING)
            await self._kill_after(delay, f"{delay:.4f} s after: start")
        await self.power_cut()

    async def _confirm(self) -> Told:
        return await super().ask(ConfirmLayout()) if self._view["in_doubt"] else Told([])

    async def _enter(self, card: Card) -> Told:
        """Enter the card that came out while nobody looked, before the layout is confirmed."""
        assert self._client is not None
        return await super().ask(EnterCard(card))

    async def _until_seen(self, seen: Callable[[dict[str, Any]], bool]) -> Told:
        assert self._watch is not None
        async with asyncio.timeout(RECORDED_WITHIN):
            while not seen(self._view):
                await self._watch.next()
        return Told([])

    async def _with_recorded_chance(self, told: Told) -> Told:
        """Wait for the prize that was due when the power failed, unless it was drawn."""
        if not any(row["kind"] == "draw-due" for row in told.rows):
            return told
        assert self._watch is not None
        async with asyncio.timeout(RECORDED_WITHIN):
            while not any(row["seq"] > told.rows[0]["seq"] for row in drawn(self._rows())):
                await self._watch.next()
        return told

    # --- looking --------------------------------------------------------------------------------

    async def _connect(self) -> None:
        await super()._connect()
        client = await Client.connect(self._bench.socket)
        self._onlookers.append((client, await client.watch()))

    async def _disconnect(self) -> None:
        await super()._disconnect()
        for client, watch in self._onlookers:
            with contextlib.suppress(TableGone, TimeoutError):
                while True:
                    self.told += await watch.next(0.5)
            await client.close()
        self._onlookers.clear()

    def _rows(self) -> list[Row]:
        return rows_of(self._bench.state)


def drawn(rows: Sequence[Row]) -> list[Row]:
    """Return the rows by which a prize was drawn."""
    return [row for row in rows if row["kind"] == "drawn"]


def _of_kind(*kinds: str, device: str | None = None) -> Is:
    return lambda row: row["kind"] in kinds and device in {None, row["body"].get("device")}


def _told(rows: Sequence[Row], since: int, is_it: Is) -> Told | None:
    """Return the event that was recorded since then with its outcomes, if it was."""
    for row in rows:
        if row["seq"] > since and row["cause"] is None and is_it(row):
            return Told([row, *(one for one in rows if one["cause"] == row["seq"])])
    return None


def faults_of(table: KilledTable, state: Path) -> list[str]:
    """Return what is wrong with the log after a script that was cut again and again."""
    rows = rows_of(state)
    at = {row["seq"]: row for row in rows}
    found = []
    for seq, head in table.heads:
        if seq not in at or at[seq]["hash"] != head:
            found.append(f"event {seq} stood in the log at a kill and stands there no more")
    for told in table.told:
        recorded = at.get(told["seq"])
        if recorded is None or recorded["kind"] != told["kind"]:
            found.append(f"{told['kind']} {told['seq']} was told and is not in the log")
    found += _prizes(rows)
    found += [f"undecided: {row['body']}" for row in rows if row["kind"] == "undecided"]
    return found


def _prizes(rows: Sequence[Row]) -> list[str]:
    """Tell which box did not get one prize for each accepted press, drawn from one chance."""
    found = []
    pressed = [
        row["body"]["what"]["box"]
        for row in rows
        if row["kind"] == "accepted" and row["body"]["what"]["do"] == "jackpot"
    ]
    prizes = [row["body"]["box"] for row in drawn(rows)]
    if sorted(pressed) != sorted(prizes):
        found.append(f"jackpot pressed for {pressed}, prizes drawn for {prizes}")
    asked_again = [
        row for row in rows if row["kind"] == "draw-due" and at_kind(rows, row["cause"]) == "chance"
    ]
    chances = [row for row in rows if row["kind"] == "chance"]
    if len(chances) != len(prizes) + len(asked_again):
        found.append(f"{len(chances)} chances for {len(prizes)} prizes")
    return found


def at_kind(rows: Sequence[Row], seq: int) -> str:
    """Return the kind of an event."""
    return next(str(row["kind"]) for row in rows if row["seq"] == seq)
