"""Somebody at a terminal with ``tablekeeper setup``, and hands at simulated devices."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from drivers.simulated.client import Client as Hands
from tests.system.processes import PROGRAM, eventually, started
from tests.system.terminal import Terminal


class Bench:
    """A setup that runs, and the devices on the table."""

    def __init__(self, terminal: Terminal, hands: Hands, ports: dict[str, str]) -> None:
        self.terminal = terminal
        self.hands = hands
        self.ports = ports

    def answer(self, question: str, line: str = "") -> None:
        """Wait for a question, and type a line; what stood there before is not looked at again."""
        self.terminal.until(question)
        self.terminal.forget()
        self.terminal.type(f"{line}\n")

    def sees(self, *words: str) -> str:
        return self.terminal.until(*words)

    def begin(self, state: Path) -> None:
        """Answer what is asked of the table: Pontoon 7, NSW Pontoon, cards from a shoe."""
        self.answer("Name of the table", "Pontoon 7")
        self.answer("Which [2]:", "2")
        self.answer("Folder for the record", str(state))
        self.answer("Which [1]:", "1")

    def number_of(self, port: str) -> str:
        """Return the number under which a port is listed."""
        text = self.sees("The ", port, "plug it in", "\n> ")
        (line,) = [line for line in text.splitlines() if line.split()[1:2] == [port]]
        return line.split()[0]

    def take(self, device: str) -> None:
        """Choose a device by its number in the list."""
        number = self.number_of(self.ports[device])
        self.terminal.forget()
        self.terminal.type(f"{number}\n")

    def none(self, words: str) -> None:
        """Say that the table has no such device."""
        self.answer(words)

    def press(self, device: str, control: str, **more: Any) -> None:
        """Press until the device's host has taken it: it may not be listening yet."""
        eventually(lambda: self.status(device)["host"], f"{device} is listened to")
        self.hands.ask("press", device=device, control=control, **more)

    def status(self, device: str) -> dict[str, Any]:
        found: dict[str, Any] = self.hands.ask("status")["devices"][device]
        return found

    def until(self, word: str, do: Callable[[], object]) -> None:
        """Do something again and again until a word is read: nobody tells who listens to a line."""

        def done() -> bool:
            do()
            return word in self.terminal.text

        eventually(done, f"{word} is read")

    def draw(self) -> None:
        """Draw cards until the shoe is found."""
        self.until(
            "card-reading shoe is there",
            lambda: self.hands.ask("draw", device="shoe", card="AS"),
        )


@contextlib.contextmanager
def bench(folder: Path, config: Path, devices: str = "shoe,pedal,keys") -> Iterator[Bench]:
    """Start the devices, and the setup in a terminal."""
    arguments = [sys.executable, "-m", "drivers.simulated", folder / "dev", "--devices", devices]
    with started([*arguments, "--until-stdin-closes"], errors=folder / "devices.err") as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        command = [*PROGRAM, "setup", "--config", config, "--simulated", folder / "dev"]
        with Hands(Path(ready["control"])) as hands, Terminal(command) as terminal:
            yield Bench(terminal, hands, ready["ports"])
