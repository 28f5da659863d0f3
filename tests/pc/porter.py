"""Runs inside the table PC and does what is asked for over a virtual serial line.

One JSON object a line.  ``{"id", "run", "input"}`` runs a command to its end; ``{"id", "write",
"data"}`` and ``{"id", "read"}`` move a file.  ``{"channel", "connect"}`` connects to a Unix socket;
what is said there goes as ``{"channel", "data"}`` both ways until ``{"channel", "closed"}``.  Bytes
are in base64.  The line stays open while nobody is at its other end, also when the machine is
frozen in one place and goes on in another.
"""

import base64
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

LINE = "/dev/virtio-ports/porter"
AT_ONCE = 64 * 1024
Line = dict[str, object]


class Porter:
    """The end inside of the line."""

    def __init__(self, line: int) -> None:
        self._line = line
        self._writing = threading.Lock()
        self._sockets: dict[int, socket.socket] = {}

    def serve(self) -> None:
        held = b""
        while True:
            data = os.read(self._line, AT_ONCE)
            if not data:
                time.sleep(0.02)  # nobody is there
                continue
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                if line.strip():
                    self._take(json.loads(line))

    def _take(self, asked: Line) -> None:
        channel = asked.get("channel")
        if not isinstance(channel, int):
            threading.Thread(target=self._answer, args=(asked,), daemon=True).start()
        elif "connect" in asked:
            self._connect(channel, str(asked["connect"]))
        elif channel in self._sockets:
            try:
                if "data" in asked:
                    self._sockets[channel].sendall(base64.b64decode(str(asked["data"])))
                else:
                    self._sockets[channel].shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # whoever reads there tells that it is closed

    def _say(self, told: Line) -> None:
        data = json.dumps(told).encode() + b"\n"
        with self._writing:
            while data:
                data = data[os.write(self._line, data) :]

    def _answer(self, asked: Line) -> None:
        try:
            told = _done(asked)
        except Exception as fault:  # noqa: BLE001 - whoever asked waits for an answer
            told = {"fault": repr(fault)}
        self._say({"id": asked["id"], **told})

    def _connect(self, channel: int, path: str) -> None:
        there = socket.socket(socket.AF_UNIX)
        try:
            there.connect(path)
        except OSError:
            there.close()
            self._say({"channel": channel, "closed": True})
            return
        self._sockets[channel] = there
        threading.Thread(target=self._pass_on, args=(channel, there), daemon=True).start()

    def _pass_on(self, channel: int, there: socket.socket) -> None:
        try:
            while data := there.recv(AT_ONCE):
                self._say({"channel": channel, "data": _text(data)})
        except OSError:
            pass
        self._sockets.pop(channel).close()
        self._say({"channel": channel, "closed": True})


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _done(asked: Line) -> Line:
    if "write" in asked:
        place = Path(str(asked["write"]))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(base64.b64decode(str(asked["data"])))
        return {}
    if "read" in asked:
        return {"data": _text(Path(str(asked["read"])).read_bytes())}
    command = asked["run"]
    assert isinstance(command, list)
    done = subprocess.run(
        command,
        input=base64.b64decode(str(asked.get("input", ""))),
        capture_output=True,
        check=False,
    )
    return {"rc": done.returncode, "out": _text(done.stdout), "err": _text(done.stderr)}


if __name__ == "__main__":
    Porter(os.open(sys.argv[1] if len(sys.argv) > 1 else LINE, os.O_RDWR)).serve()
