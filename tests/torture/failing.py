"""A script played on a disk that fails in the middle of steps and comes back.

While the disk refuses, nobody may be told or shown anything that is not in the log: neither who
watches the control socket nor whoever stands at the devices.  When it takes writes again, the step
must come to its end by itself.
"""

import asyncio
import contextlib
import errno
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, Self

from controller.cards import Card
from controller.errors import TableGone
from controller.events import Ask
from controller.rehearsal.bench import Bench
from controller.scripts.perform import DEALER, Told
from controller.scripts.script import Script
from controller.scripts.wire import WireTable
from controller.service.client import Client, Watch
from tests.system.table import rows_of
from tests.system.talk import Row
from tests.torture.disk import FOR_EVER, Disk

STOPPED_WITHIN: Final = 10.0
"""Seconds in which a table must say that it cannot record, or that it can again."""

LOOK_AGAIN: Final = 0.05
"""Seconds between two looks at a disk that tells nobody that it was called."""

STOPPED: Final = "Stop: nothing can be recorded"
"""How a table begins to say it."""

NOT_COMPARED: Final = frozenset({"trouble", "health"})
"""What a view may show although nothing was recorded: how disk and devices are."""


class Attempt(NamedTuple):
    """How the disk fails in one step: from which of its calls on, for how many, and how."""

    first: int
    code: int
    count: int = FOR_EVER

    def __str__(self) -> str:
        """Say it as the report does."""
        how_long = "until it is mended" if self.count == FOR_EVER else f"{self.count} calls long"
        return f"{errno.errorcode[self.code]} from call {self.first} of the step on, {how_long}"


Plan = Callable[[int], Attempt | None]
"""Tells for the number of a step, counted from 0, how the disk fails in it, if it does."""


class FailingTable(WireTable):
    """The table of a script over the wire; `fail_by` decides how its disk fails."""

    def __init__(self, table: Bench, script: Script) -> None:
        super().__init__(table, script)
        self._disk: Disk | None = None
        self._plan: Plan = lambda _step: None
        self._onlooker: tuple[Client, Watch] | None = None
        self.steps = 0
        """Steps begun so far."""
        self.now: str = ""
        """The latest step, and how the disk failed in it."""
        self.hits = 0
        """How often the disk refused a step."""
        self.reached: set[int] = set()
        """The first calls that a step came to."""
        self.troubles: set[str] = set()
        """What the table said while it could not record."""
        self.wrong: list[str] = []
        """What was shown and not recorded."""

    async def fail_by(self, disk: Disk, plan: Plan) -> Self:
        """Begin to fail; nothing fails before."""
        self._disk, self._plan = disk, plan
        client = await Client.connect(self._bench.socket)
        self._onlooker = client, await client.watch()
        return self

    # --- what a script does ---------------------------------------------------------------------

    async def ask(self, ask: Ask, by: str = DEALER) -> Told:
        step = super().ask
        return await self._through(f"ask {ask}", lambda: step(ask, by))

    async def card(self, card: Card) -> Told:
        step = super().card
        return await self._through(f"card {card}", lambda: step(card))

    async def press(self, device: str, control: str) -> Told:
        step = super().press
        return await self._through(f"press {device} {control}", lambda: step(device, control))

    async def fault(self, device: str, code: str) -> Told:
        step = super().fault
        return await self._through(f"fault {device} {code}", lambda: step(device, code))

    # --- failing --------------------------------------------------------------------------------

    async def _through(self, name: str, step: Callable[[], Awaitable[Told]]) -> Told:
        attempt = self._plan(self.steps)
        self.steps += 1
        if attempt is None or self._disk is None:
            return await step()
        self.now = f"step {self.steps} ({name}), {attempt}"
        await self._until_well()
        rows_before, view_before = self._rows(), self._shown()
        refused = self._disk.failed
        self._disk.fail(attempt.code, first=attempt.first, count=attempt.count)
        doing = asyncio.ensure_future(step())
        try:
            if attempt.count == FOR_EVER:
                await self._until_stopped(doing, refused)
                await self._look(rows_before, view_before)
            else:
                await asyncio.wait({doing}, timeout=STOPPED_WITHIN)
        finally:
            self._disk.mend()
            if self._disk.failed > refused:
                self.hits += 1
                self.reached.add(attempt.first)
        told = await doing
        await self._until_well()
        return told

    async def _until_stopped(self, doing: "asyncio.Future[Told]", refused: int) -> None:
        """Wait until the table says that it stands still, or the step is done all the same."""
        assert self._disk is not None
        async with asyncio.timeout(STOPPED_WITHIN):
            while not (doing.done() or (self._disk.failed > refused and self._trouble())):
                with contextlib.suppress(TimeoutError):
                    await self._hear()
        if trouble := self._trouble():
            self.troubles.add(trouble)
            if not trouble.startswith(STOPPED) or "Traceback" in trouble:
                self.wrong.append(f"{self.now}: no plain message: {trouble}")

    async def _until_well(self) -> None:
        await self._hear_all()
        async with asyncio.timeout(STOPPED_WITHIN):
            while self._trouble():
                with contextlib.suppress(TimeoutError):
                    await self._hear()

    def _trouble(self) -> str:
        return str(self._watching.view["trouble"])

    @property
    def _watching(self) -> Watch:
        assert self._onlooker is not None
        return self._onlooker[1]

    async def _hear(self) -> None:
        """Hear what who only watches is told; each row of it must be in the log by now."""
        self._must_be_recorded(await self._watching.next(LOOK_AGAIN))

    async def _hear_all(self) -> None:
        """Hear until nothing more is told."""
        with contextlib.suppress(TimeoutError):
            while True:
                await self._hear()

    def _must_be_recorded(self, told: list[Row]) -> None:
        recorded = {row["seq"]: row["kind"] for row in self._rows()} if told else {}
        for row in told:
            if recorded.get(row["seq"]) != row["kind"]:
                self.wrong.append(f"{self.now}: {row['kind']} {row['seq']} was told, not recorded")

    # --- looking --------------------------------------------------------------------------------

    async def _look(self, rows_before: list[Row], view_before: dict[str, Any]) -> None:
        """Compare what is shown with what is recorded, while the disk refuses everything."""
        await self._hear_all()
        rows = self._rows()
        if len(rows) == len(rows_before) and self._shown() != view_before:
            self.wrong.append(f"{self.now}: the view has changed and nothing was recorded")
        settled = [row["body"]["row"] for row in rows if row["kind"] == "settled"]
        for paid in self._shown()["settlements"]:
            if paid not in settled:
                self.wrong.append(f"{self.now}: {paid} is shown and not recorded")
        await self._look_at_devices(rows)

    async def _look_at_devices(self, rows: list[Row]) -> None:
        """What the meter displays and which lamps are lit must have been commanded in the log."""
        commands = [row["body"]["what"] for row in rows if row["kind"] == "command"]
        devices = (await self._bench.hands.do("status"))["devices"]
        texts = ["", *(one["text"] for one in commands if "text" in one)]
        lamps = [[], *(sorted(one["lit"]) for one in commands if "lit" in one)]
        boxes = [None, *(one["box"] for one in commands if one["do"] == "arm")]
        if "meter" in devices and devices["meter"]["displayed"] not in texts:
            self.wrong.append(f"{self.now}: the meter shows {devices['meter']['displayed']!r}")
        if "buttons" in devices and devices["buttons"]["lit"] not in lamps:
            self.wrong.append(f"{self.now}: the lamps {devices['buttons']['lit']} are lit")
        if "buttons" in devices and devices["buttons"]["armed"] not in boxes:
            self.wrong.append(f"{self.now}: box {devices['buttons']['armed']} is armed")

    def _shown(self) -> dict[str, Any]:
        view = self._watching.view
        return {key: value for key, value in view.items() if key not in NOT_COMPARED}

    def _rows(self) -> list[Row]:
        return rows_of(self._bench.state)

    async def _disconnect(self) -> None:
        await super()._disconnect()
        if self._onlooker is not None:
            await self._onlooker[0].close()


async def played_to_its_end(playing: Awaitable[object], table: FailingTable) -> str:
    """Wait for a script's end; return why it did not come to it, or nothing."""
    try:
        await playing
    except (TableGone, TimeoutError) as gone:
        return f"{table.now}: the table did not go on by itself: {gone or 'nothing for too long'}"
    return ""
