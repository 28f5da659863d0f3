"""This end of the line to the porter inside a table PC."""

import base64
import contextlib
import itertools
import json
import queue
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

AT_ONCE = 64 * 1024
Told = dict[str, Any]


class Line:
    """The line; threads read it and what is connected through it."""

    def __init__(self, there: socket.socket) -> None:
        self._socket = there
        self._writing = threading.Lock()
        self._numbers = itertools.count(1)
        self._answers: dict[int, queue.SimpleQueue[Told]] = {}
        self._channels: dict[int, socket.socket] = {}
        self._doors: list[socket.socket] = []
        threading.Thread(target=self._read, daemon=True).start()

    def close(self) -> None:
        for door in self._doors:
            door.close()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    # --- questions --------------------------------------------------------------------------------

    def ask(self, within: float, **asked: object) -> Told:
        """Ask the porter for something; return the answer.

        Raises TimeoutError if there is none in time, ConnectionError if the machine is off.
        """
        number = next(self._numbers)
        answer = self._answers[number] = queue.SimpleQueue()
        try:
            self._say({"id": number, **asked})
            told = answer.get(timeout=within)
        except queue.Empty:
            raise TimeoutError(f"no answer within {within:.0f} s to {asked}") from None
        finally:
            del self._answers[number]
        if told.get("off"):
            raise ConnectionError("the machine is off")
        if "fault" in told:
            raise OSError(told["fault"])
        return told

    def run(self, command: list[str], within: float) -> "subprocess.CompletedProcess[str]":
        """Run a command inside to its end."""
        told = self.ask(within, run=command)
        out, err = (
            base64.b64decode(told[name]).decode(errors="replace") for name in ("out", "err")
        )
        return subprocess.CompletedProcess(command, told["rc"], out, err)

    def write(self, path: str, data: bytes, within: float) -> None:
        """Write a file inside."""
        self.ask(within, write=path, data=base64.b64encode(data).decode())

    def read(self, path: str, within: float) -> bytes:
        """Read a file inside."""
        return base64.b64decode(self.ask(within, read=path)["data"])

    # --- sockets ----------------------------------------------------------------------------------

    def door(self, ours: Path, theirs: str) -> None:
        """Make a socket here that leads to one inside; who is refused there is cut off here."""
        door = socket.socket(socket.AF_UNIX)
        door.bind(str(ours))
        door.listen()
        self._doors.append(door)
        threading.Thread(target=self._open, args=(door, theirs), daemon=True).start()

    def _open(self, door: socket.socket, theirs: str) -> None:
        with contextlib.suppress(OSError):  # closed: that is the end
            while True:
                here, _ = door.accept()
                channel = next(self._numbers)
                self._channels[channel] = here
                self._say({"channel": channel, "connect": theirs})
                threading.Thread(target=self._pass_on, args=(channel, here), daemon=True).start()

    def _pass_on(self, channel: int, here: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := here.recv(AT_ONCE):
                self._say({"channel": channel, "data": base64.b64encode(data).decode()})
            self._say({"channel": channel, "closed": True})

    # --- the line ---------------------------------------------------------------------------------

    def _say(self, asked: Told) -> None:
        with self._writing:
            try:
                self._socket.sendall(json.dumps(asked).encode() + b"\n")
            except OSError:
                raise ConnectionError("the machine is off") from None

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for line in lines:
                self._take(json.loads(line))
        for answer in list(self._answers.values()):
            answer.put({"off": True})
        for channel in list(self._channels):
            self._cut(channel)

    def _take(self, told: Told) -> None:
        if "channel" not in told:
            if told["id"] in self._answers:
                self._answers[told["id"]].put(told)
        elif told.get("closed"):
            self._cut(told["channel"])
        elif told["channel"] in self._channels:
            with contextlib.suppress(OSError):
                self._channels[told["channel"]].sendall(base64.b64decode(told["data"]))

    def _cut(self, channel: int) -> None:
        here = self._channels.pop(channel, None)
        if here is not None:
            with contextlib.suppress(OSError):
                here.shutdown(socket.SHUT_RDWR)
            here.close()


def connected(path: Path, within: float) -> socket.socket:
    """Connect to a socket that another process is making."""
    deadline = time.monotonic() + within
    while True:
        there = socket.socket(socket.AF_UNIX)
        try:
            there.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            there.close()
            assert time.monotonic() < deadline, f"nobody answers at {path}"
            time.sleep(0.01)
        else:
            return there
