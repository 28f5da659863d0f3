"""A client of the control socket, for tests and demonstrations."""

import json
import socket
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from drivers.simulated.refused import Refused

ANSWER_WITHIN = 90.0
"""Seconds; longer than a control can be held."""


class Client:
    """One connection; a context manager."""

    def __init__(self, path: Path) -> None:
        """Connect to the socket at *path*.

        Raises:
            OSError: nobody is there.

        """
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(ANSWER_WITHIN)
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._lines = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect."""
        self.close()

    def close(self) -> None:
        """Disconnect."""
        self._lines.close()
        self._socket.close()

    def ask(self, do: str, **fields: object) -> dict[str, Any]:
        """Ask for something and return the answer.

        Raises:
            Refused: it cannot be done; says why.
            ConnectionError: the other end is gone.

        """
        self._socket.sendall(json.dumps({"do": do, **fields}).encode() + b"\n")
        line = self._lines.readline()
        if not line:
            raise ConnectionError("the simulated devices are gone")
        answer: dict[str, Any] = json.loads(line)
        if not answer["ok"]:
            raise Refused(answer["why"])
        return answer
