"""Every byte of one device's line in a file, so that a fault in the field becomes a test.

One JSON object a line: ``t`` seconds since the first line, ``dir`` what happened, and the bytes in
``hex``.

========  =========================================================
``in``    these bytes came from the device
``out``   these bytes were sent to it
``open``  the line was opened
``lost``  the line was lost or closed; ``hex`` is empty for both
========  =========================================================
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

Direction = Literal["in", "out", "open", "lost"]


class Captured(
    msgspec.Struct, frozen=True, rename={"direction": "dir"}, forbid_unknown_fields=True
):
    """One line of a capture."""

    t: float
    direction: Direction
    hex: str = ""

    @property
    def data(self) -> bytes:
        """The bytes.

        Raises:
            ValueError: ``hex`` is not hexadecimal.

        """
        return bytes.fromhex(self.hex)


class Capture:
    """Writes one file; may be called from any thread, and never disturbs the device."""

    def __init__(self, file: Path, clock: Callable[[], float]) -> None:
        """Take the file, to which lines are added, and the clock for their times."""
        self._file = file
        self._clock = clock
        self._began: float | None = None
        self._lock = threading.Lock()
        self.trouble = ""
        """Why nothing more is captured, "" while all is well."""

    def note(self, direction: Direction, data: bytes = b"") -> None:
        """Add a line now; after a first failure nothing more is tried."""
        with self._lock:
            if self.trouble:
                return
            now = self._clock()
            if self._began is None:
                self._began = now
            line = Captured(round(now - self._began, 6), direction, data.hex())
            try:
                with self._file.open("ab") as stream:
                    stream.write(msgspec.json.encode(line) + b"\n")
            except OSError as error:
                self.trouble = f"capture into {self._file} has stopped: {error}"


def read_capture(file: Path) -> list[Captured]:
    """Return the lines of a capture.

    Raises:
        OSError: it cannot be read.
        ValueError: a line is not of a capture; names the line.

    """
    lines: list[Captured] = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            captured = msgspec.json.decode(line, type=Captured)
            bytes.fromhex(captured.hex)
        except (msgspec.MsgspecError, ValueError) as error:
            raise ValueError(f"{file}, line {number} is no line of a capture: {error}") from error
        lines.append(captured)
    return lines
