"""The client's end of a control socket, as somebody who read its description would write it."""

import json
import socket
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.system.processes import PATIENCE

Answer = dict[str, Any]
View = dict[str, Any]
Row = dict[str, Any]


class Talk:
    """One connection, a line at a time; a context manager."""

    patience = PATIENCE
    """Seconds to wait for anything."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(self.patience)
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self._lines = self.socket.makefile("rb")
        self.raw: list[bytes] = []
        """Every line that ever came, as it came."""
        self.told: deque[Answer] = deque()
        """What was told without being asked for and has not been looked at."""
        self._number = 0
        self.view: View = {}
        """The latest view that was told."""
        try:
            self.hello = self.line()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._lines.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def line(self) -> Answer:
        """Return the next line."""
        line = self._lines.readline()
        if not line:
            raise ConnectionError("the table closed the connection")
        self.raw.append(line)
        plain: Answer = json.loads(line)
        return plain

    def request(self, **words: object) -> Answer:
        """Ask and return the answer; what is told meanwhile is kept."""
        self._number += 1
        self.send(json.dumps({"id": self._number, **words}).encode() + b"\n")
        return self.answer(self._number)

    def answer(self, number: int) -> Answer:
        """Return the answer to a request that was sent."""
        while True:
            line = self.line()
            if line.get("id") == number:
                return line
            self._keep(line)

    def _keep(self, line: Answer) -> None:
        self.told.append(line)
        if "view" in line:
            self.view = line["view"]

    def ask(self, do: str, **fields: object) -> Answer:
        """Ask the table for something."""
        return self.request(ask={"do": do, **fields})

    def must(self, do: str, **fields: object) -> Answer:
        """Ask the table for something that it has to accept."""
        answer = self.ask(do, **fields)
        assert answer["ok"], answer
        assert answer["accepted"], answer
        return answer

    def look(self) -> View:
        """Return the table's view now."""
        view: View = self.request(view=True)["view"]
        return view

    def watch(self) -> Self:
        """Begin to watch."""
        self.view = self.request(watch=True)["view"]
        return self

    def next_told(self) -> Answer:
        """Return what was told next."""
        if not self.told:
            self._keep(self.line())
        return self.told.popleft()

    def until(self, true: Callable[[View], Any], what: str = "") -> View:
        """Wait until a view is told for which it is true."""
        deadline = time.monotonic() + self.patience
        while not true(self.view):
            try:
                self.next_told()
            except TimeoutError:
                deadline = 0.0
            if time.monotonic() > deadline:
                raise AssertionError(f"did not happen: {what}; the view is {self.view}")
        return self.view

    def event(self, *kinds: str) -> list[Row]:
        """Wait for an event of one of the kinds; return its rows."""
        while True:
            rows: list[Row] = self.next_told()["rows"]
            if rows and rows[0]["kind"] in kinds:
                return rows
