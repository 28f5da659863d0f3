"""A demo from start to end: two processes, a dealer, and somebody who watches."""

import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.demo.chance import Chance
from controller.demo.dealer import Dealer, Do
from controller.demo.show import JsonLines, Lines, Screen, Show
from controller.demo.typed import typing
from controller.ending import end_as_by_ctrl_c
from controller.errors import TableError, TableGone, TableHeld, UsageError
from controller.eventlog.errors import NotALog
from controller.eventlog.read import LogReader
from controller.game.options import PONTOON_NSW, Game
from controller.rehearsal.bench import Bench, Setup, bench
from controller.service.claim import Claim, who_answers
from controller.service.client import Client, Watch
from controller.service.nearest import demo_folder
from controller.settings import read_game
from controller.terminal import Terminal

DEVICES: Final = ("shoe", "buttons", "pedal", "keys", "meter")
SHUFFLERS: Final = ("shuffler-1", "shuffler-2")
SOURCES: Final = ("shoe", "shuffler-1")
BEAT: Final = 0.6
"""Seconds of human pace: one card."""
BETWEEN_PRESSES: Final = 0.04
HEARD_WITHIN: Final = 5.0
"""Seconds until an event is expected to show; after that the table is looked at again."""
DO_NOT_RESTART: Final = frozenset({69, 70, 78})
HELD: Final = 69
NO_DEVICES: Final = 75
"""Exit status when the simulated devices are gone: try again."""
LET_GO_WITHIN: Final = 5.0
"""Seconds that a controller of a demo that was killed may take to let go of the log."""

Expected = Callable[[dict[str, Any]], bool]
"""Whether an event's own row is the one that is waited for."""


class Options(NamedTuple):
    """How a demo is played."""

    rounds: int | None = None
    fast: bool = False
    seed: int | None = None
    state: Path | None = None
    as_json: bool = False
    source: str = "shoe"


class ControllerEnded(TableError):
    """The controller will not run; ``status`` is its exit status."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def demo(options: Options) -> int:
    """Play the demo and return the exit status.

    Raises:
        UsageError: the state folder cannot be used.
    """
    state = _state(options)
    game = read_game(PONTOON_NSW, {})
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4))
    if not options.as_json:
        sys.stdout.write(f"state: {state}   seed: {seed}\n")
        sys.stdout.flush()
    end_as_by_ctrl_c()
    try:
        asyncio.run(_Demo(options, state, game, Chance(seed)).run())
    except ControllerEnded as ended:
        sys.stderr.write(f"tablekeeper: {ended}\n")
        return ended.status
    except KeyboardInterrupt:
        return 0
    return 0


def _state(options: Options) -> Path:
    state = options.state or demo_folder()
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=state):
            pass  # something can be written there
    except OSError as fault:
        raise UsageError(f"--state {state}: {fault.strerror}") from None
    return state.resolve()


def _make_way(link: Path) -> None:
    """Take away what an earlier demo has left where the link to the socket is to be.

    Raises:
        TableHeld: a table answers there.
        SettingsError: what stands there is none of a table's.
    """
    if not link.is_symlink():
        Claim(link).make_way()
        return
    with contextlib.suppress(OSError):  # it leads nowhere
        if (pid := who_answers(link)) is not None:
            raise TableHeld(f"{link}: process {pid} answers there: stop that table first", pid)
    link.unlink()


def _head(state: Path) -> int:
    """Return the last event of the log as it stands before the demo."""
    try:
        with contextlib.closing(LogReader.open(state)) as reader:
            return reader.head.seq
    except NotALog:
        return 0


class _Demo:
    def __init__(self, options: Options, state: Path, game: Game, chance: Chance) -> None:
        self._options = options
        self._state = state
        self._game = game
        self._source = options.source
        more = SHUFFLERS if options.source in SHUFFLERS else ()
        self._needed = {options.source, "pedal", "keys", "buttons"}
        self._setup = Setup("Demo", game, (*more, *DEVICES), options.source)
        self._chance = chance
        self._dealer = Dealer(game, chance, options.source)
        self._left = options.rounds
        self._drawn = 0

    async def run(self) -> None:
        """Play until the rounds are played or somebody interrupts."""
        with (
            contextlib.closing(self._show()) as show,
            tempfile.TemporaryDirectory(prefix="tablekeeper-") as scratch,
        ):
            async with bench(self._setup, self._state, Path(scratch)) as table:
                await self._let_go_of_log(table)
                with self._socket_beside_state(table.socket):
                    async with typing(table.hands, show.say):
                        await self._play_while_devices_live(table, show)

    def _show(self) -> Show:
        if self._options.as_json:
            return JsonLines(self._state, _head(self._state))
        console = Terminal()
        return Screen(console) if console.is_terminal else Lines()

    @contextlib.contextmanager
    def _socket_beside_state(self, socket: Path) -> Iterator[None]:
        """Let ``tablekeeper watch`` find the table where its state is."""
        link = self._state / "control.sock"
        _make_way(link)
        link.symlink_to(socket)
        try:
            yield
        finally:
            if link.is_symlink() and link.readlink() == socket:
                link.unlink()

    async def _play_while_devices_live(self, table: Bench, show: Show) -> None:
        """Play until the rounds are played; without its devices there is nothing to play on."""
        playing = asyncio.ensure_future(self._play(table, show))
        dying = asyncio.ensure_future(table.devices.ended())
        try:
            await asyncio.wait({playing, dying}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                raise ControllerEnded(NO_DEVICES, "the simulated devices ended")
            playing.result()
        except TableGone as gone:
            raise ControllerEnded(NO_DEVICES, str(gone)) from None
        finally:
            for task in (playing, dying):
                task.cancel()
            await asyncio.gather(playing, dying, return_exceptions=True)

    async def _let_go_of_log(self, table: Bench) -> None:
        """Start again while the controller of a killed demo still holds the log."""
        deadline = asyncio.get_running_loop().time() + LET_GO_WITHIN
        while asyncio.get_running_loop().time() < deadline:
            with contextlib.suppress(TableGone):
                await (await table.connect()).close()
                return
            status = await table.controller.ended()
            if status != HELD:
                raise self._ended(table, status)
            await asyncio.sleep(0.2)
            await table.start_controller()
        raise self._ended(table, await table.controller.ended())

    def _ended(self, table: Bench, status: int) -> ControllerEnded:
        return ControllerEnded(status, table.controller.last_words().removeprefix("tablekeeper: "))

    async def _play(self, table: Bench, show: Show) -> None:
        while self._left is None or self._left > 0:
            try:
                client = await table.connect()
            except TableGone:
                await self._start_again(table)
                continue
            try:
                await self._play_on(table, client, show)
            except TableGone:
                await self._start_again(table)
            finally:
                await client.close()
        await table.controller.end()

    async def _start_again(self, table: Bench) -> None:
        """Start the controller again, as systemd does on a table PC, unless it must not run."""
        status = await table.controller.ended()
        if status in DO_NOT_RESTART:
            raise self._ended(table, status)
        sys.stderr.write(f"the controller ended ({status}); it is started again\n")
        await table.start_controller()

    async def _play_on(self, table: Bench, client: Client, show: Show) -> None:
        watch = await client.watch()
        show.tell([], watch.view)
        self._drawn = (await table.hands.do("status"))["devices"][self._source]["drawn"]
        while self._left is None or self._left > 0:
            if not all(watch.view["devices"][name]["online"] for name in self._needed):
                await self._hear(watch, show, lambda _row: True)
                continue
            next_thing = self._dealer.next(watch.view, self._drawn)
            if not self._options.fast:
                await asyncio.sleep(next_thing.beats * BEAT)
            round_ = watch.view["round"]
            for expected in await self._do(next_thing, table, client):
                await self._hear(watch, show, expected)
            if watch.view["round"] > round_ and self._left is not None:
                self._left -= 1

    async def _hear(self, watch: Watch, show: Show, expected: Expected) -> None:
        """Show every event until the expected one is on disk; after a while look again anyhow."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HEARD_WITHIN):
                while True:
                    rows = await watch.next()
                    show.tell(rows, watch.view)
                    if rows and expected(rows[0]):
                        return

    async def _do(self, next_thing: Do, table: Bench, client: Client) -> list[Expected]:
        """Do it, and return the events by which it will be heard of."""
        match next_thing:
            case Do("draw"):
                answer = await table.hands.do("draw", device=self._source)
                self._drawn = answer["drawn"]
                return [_is("card-out", "cutting-card")]
            case Do("press", (device, control)):
                return await self._press(table, device, (control,))
            case Do("keys", keys):
                return await self._press(table, "keys", keys)
            case Do("ask", (ask,)):
                return await self._ask(client, ask)
            case Do("enter", (at,)):
                file = "pack.json" if self._source == "shoe" else f"pack.json.{self._source}"
                pack = msgspec.json.decode((self._state / file).read_bytes())
                return await self._ask(client, {"do": "enter-card", "card": pack["cards"][at]})
            case Do("load", (shoe, ask)):
                await self._load(table, shoe)
                return await self._ask(client, ask)
        return [_is()]

    async def _press(self, table: Bench, device: str, controls: Sequence[str]) -> list[Expected]:
        for control in controls:
            await table.hands.do("press", device=device, control=control)
            await asyncio.sleep(BETWEEN_PRESSES)
        return [_is("pressed")] * len(controls)

    async def _ask(self, client: Client, ask: dict[str, Any]) -> list[Expected]:
        answer = await client.ask(ask)
        return [lambda row: bool(row["seq"] == answer["seq"])]

    async def _load(self, table: Bench, shoe: int) -> None:
        loaded = self._chance.shuffled(self._game, shoe)
        cutting_card = None if self._source in SHUFFLERS else loaded.cutting_card
        await table.hands.do(
            "load", device=self._source, cards=loaded.cards, cutting_card=cutting_card
        )
        self._drawn = 0


def _is(*kinds: str) -> Expected:
    return lambda row: row["kind"] in kinds
