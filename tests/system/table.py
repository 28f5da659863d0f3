"""A table that runs: simulated devices, the real controller, and somebody who watches."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from controller.eventlog import LogReader
from drivers.simulated.client import Client as Hands
from tests.system.processes import PATIENCE, PROGRAM, end, eventually, started
from tests.system.talk import Row, Talk, View

DRIVERS = {"shoe": "angel-eye", "pedal": "pcsensor", "keys": "boot-keyboard"}


def config(
    folder: Path,
    ports: dict[str, str],
    *,
    game: str = "pontoon-nsw",
    state: Path | None = None,
    more: str = "",
) -> str:
    """Return a table's configuration as a technician would write it."""
    devices = "".join(
        f'[devices.{name}]\ndriver = "{DRIVERS[name]}"\nport = "{port}"\n'
        for name, port in ports.items()
    )
    return (
        f'[table]\nname = "Test 1"\ngame = "{game}"\n'
        f'state = "{state or folder / "state"}"\nsocket = "{folder / "control.sock"}"\n'
        f"{devices or '[devices]'}\n{more}"
    )


class Running:
    """The table in ``folder``: its devices, and its controller from `start` to its end."""

    program: Sequence[str] = (*PROGRAM, "run", "--rehearsal")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.socket = folder / "control.sock"
        self.config = folder / "table.toml"
        self.errors = folder / "controller.err"
        self.environment: dict[str, str] = {}
        """What the controller has in its environment besides our own."""
        self.under: list[str] = []
        """What the controller is started by, as ``unshare`` with its options."""
        self._stack = contextlib.ExitStack()
        self._controller: subprocess.Popen[bytes] | None = None
        self._hands: Hands | None = None
        self._watch: Talk | None = None

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            self._start_devices()
            self.start()
            undo.pop_all()
        return self

    def __exit__(self, *_what: object) -> None:
        self.close()

    def close(self) -> None:
        """End everything."""
        self._leave()
        if self._controller is not None:
            end(self._controller)
        self._stack.close()

    # --- its processes ----------------------------------------------------------------------------

    @property
    def controller(self) -> "subprocess.Popen[bytes]":
        assert self._controller is not None
        return self._controller

    @property
    def hands(self) -> Hands:
        """Whoever moves cards, feet and cables."""
        assert self._hands is not None
        return self._hands

    @property
    def watch(self) -> Talk:
        """Somebody who watches since the controller's start."""
        assert self._watch is not None
        return self._watch

    def _start_devices(self) -> None:
        arguments = [sys.executable, "-m", "drivers.simulated", self.folder / "dev"]
        errors = self.folder / "devices.err"
        devices = self._stack.enter_context(
            started([*arguments, "--until-stdin-closes"], errors=errors)
        )
        assert devices.stdout is not None
        line = devices.stdout.readline()
        assert line, errors.read_text()
        ready = json.loads(line)
        self.ports: dict[str, str] = ready["ports"]
        self._hands = self._stack.enter_context(Hands(Path(ready["control"])))
        self.config.write_text(config(self.folder, self.ports))

    def start(self, *, online: bool = True) -> None:
        """Start the controller and wait for the table, with its devices if they are there."""
        with self.errors.open("ab") as err:
            self._controller = subprocess.Popen(
                [*self.under, *self.program, "--until-stdin-closes", "--config", str(self.config)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=err,
                env={**os.environ, **self.environment},
            )
        eventually(self._answers, "the table answers")
        if online:
            self.until_online(*DRIVERS)

    def _answers(self) -> bool:
        assert self.controller.poll() is None, self.errors.read_text()
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
            self._watch = Talk(self.socket).watch()
        return self._watch is not None

    def watch_anew(self) -> None:
        """Watch from now on: what was told before is forgotten."""
        self._leave()
        self._watch = Talk(self.socket).watch()

    def _leave(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Tell the controller to stop; return its exit status."""
        self.controller.send_signal(how)
        return self.ended()

    def ended(self) -> int:
        """Wait for the controller's end; return its exit status."""
        status = self.controller.wait(PATIENCE)
        self._leave()
        end(self.controller)
        return status

    def kill(self) -> None:
        """End the controller as a power cut does."""
        self.controller.kill()
        self.ended()

    # --- what happens at it -----------------------------------------------------------------------

    def until_online(self, *devices: str) -> View:
        """Wait until the devices are there."""
        return self.watch.until(
            lambda view: all(view["devices"][name]["online"] for name in devices),
            f"{', '.join(devices)} online",
        )

    def draw(self, *cards: str) -> list[Row]:
        """Draw the cards from the shoe; return the rows of the last when all are recorded."""
        rows: list[Row] = []
        for card in cards:
            self.hands.ask("draw", device="shoe", card=card)
            rows = self.watch.event("card-out")
        return rows

    def press(self, device: str, *controls: str) -> list[Row]:
        """Press the controls; return the rows of the last when all are recorded."""
        rows: list[Row] = []
        for control in controls:
            self.hands.ask("press", device=device, control=control)
            rows = self.watch.event("pressed")
        return rows

    def go_on(self) -> list[Row]:
        """Press the pedal that means go on."""
        return self.press("pedal", "middle")

    def deal(self) -> View:
        """Begin a round: ann on box 2 has 15 against the dealer's 9 and is in turn."""
        self.watch.must("wager", box=2, player="ann", main=1000)
        self.go_on()
        self.draw("KS", "9H", "5D")
        return self.watch.until(lambda view: view["turn"] == {"box": 2, "hand": 1}, "box 2 in turn")

    def finish(self) -> View:
        """End the round that `deal` began, from box 2's turn on: ann stands on 15 and loses."""
        self.go_on()
        self.draw("8C")
        assert self.watch.view["state"] == "final settlement"
        (row,) = self.watch.view["settlements"]
        assert (row["player"], row["result"]) == ("ann", "lose")
        self.go_on()
        return self.watch.view

    def layout(self) -> dict[str, Any]:
        """Return what lies on the table: every card, and whose turn it is."""
        view = self.watch.look()
        return {
            "round": view["round"],
            "state": view["state"],
            "turn": view["turn"],
            "dealer": view["dealer"]["cards"],
            "boxes": [(box["box"], box["players"], box["hands"]) for box in view["boxes"]],
        }

    # --- what is recorded -------------------------------------------------------------------------

    def rows(self, *kinds: str) -> list[Row]:
        """Return the log's rows, all or those of some kinds."""
        return rows_of(self.state, *kinds)


def rows_of(state: Path, *kinds: str) -> list[Row]:
    """Return the rows of a log as plain objects, all or those of some kinds."""
    with contextlib.closing(LogReader.open(state)) as reader:
        return [
            {
                "seq": row.seq,
                "at": row.at,
                "round": row.round,
                "kind": row.kind,
                "cause": row.cause,
                "body": json.loads(bytes(row.body)),
                "hash": row.hash,
            }
            for row in reader.rows()
            if not kinds or row.kind in kinds
        ]


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Running]:
    """Run a table in the folder; afterwards nothing of it runs any more."""
    with Running(folder) as table:
        yield table
