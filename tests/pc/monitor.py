"""QEMU's own control socket (QMP)."""

import json
import socket
from typing import Any

WITHIN = 120.0


class Monitor:
    """A connection to it."""

    def __init__(self, there: socket.socket) -> None:
        self._socket = there
        self._socket.settimeout(WITHIN)
        self._lines = self._socket.makefile("rb")
        self._lines.readline()
        self.do("qmp_capabilities")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def do(self, command: str, **arguments: object) -> Any:
        """Have a command done; underscores in the names of arguments are dashes."""
        plain = {name.replace("_", "-"): value for name, value in arguments.items()}
        asked = json.dumps({"execute": command, "arguments": plain})
        self._socket.sendall(asked.encode())
        while line := self._lines.readline():
            told = json.loads(line)
            if "return" in told:
                return told["return"]
            assert "error" not in told, f"{asked}: {told}"
        raise ConnectionError("the machine is off")

    def say(self, line: str) -> None:
        """Have a command for people done, of those that have no other form; it must say nothing."""
        said = self.do("human-monitor-command", command_line=line)
        assert not said.strip(), f"{line}: {said}"
