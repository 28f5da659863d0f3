"""A real table whose disk is cut, and what was seen of it: each row, and how long the log was."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.system.real import RealTable
from tests.system.table import config, rows_of
from tests.system.talk import Answer, Row, Talk
from tests.system.user import NOBODY

UID = NOBODY


class Acknowledged(NamedTuple):
    """Something that was said to be done."""

    length: int
    """How long the disk's log was by then, in bytes: whoever has so much of it has this."""
    row: Row


class Said(NamedTuple):
    """Words that somebody was told, and how long the disk's log was by then, in bytes."""

    length: int
    words: str


class Person(NamedTuple):
    """Whether somebody may sign in with a PIN, as was said; with no PIN, as it is being changed."""

    length: int
    """How long the disk's log was by then, in bytes."""
    name: str
    pin: str = ""
    may: bool = True


class Noting(Talk):
    """A connection on which every row that is told is noted."""

    def __init__(self, path: Path, note: Callable[[Row], None]) -> None:
        self._note = note
        super().__init__(path)

    def _keep(self, line: Answer) -> None:
        for row in line.get("rows", ()):
            self._note(row)
        super()._keep(line)


class CutTable(RealTable):
    """A table whose state lies on a disk that is mounted at ``disk`` in its folder."""

    def __init__(self, folder: Path, name: str = "recorded", *, more: str = "") -> None:
        super().__init__(folder)
        self.state = folder / "disk" / "state"
        self.socket = folder / "run" / "control.sock"
        self.errors = folder / f"{name}.err"
        self.acknowledged: list[Acknowledged] = []
        self.length: Callable[[], int] = lambda: 0
        """How long the log of the disk's writes is now."""
        self._more = more

    def _start_devices(self) -> None:
        self.make_folders()
        text = config(self.folder, {"shoe": str(self.folder / "nothing")}, state=self.state)
        text = text.replace(str(self.folder / "control.sock"), str(self.socket))
        self.config.write_text(text.replace("[table]\n", f"[table]\n{self._more}"))

    def make_folders(self) -> None:
        """Make its state folder and that of its socket, as systemd does before each start."""
        for place in (self.state, self.socket.parent):
            place.mkdir(mode=0o700, exist_ok=True)
            if place.stat().st_uid != UID:
                os.chown(place, UID, UID)

    def _answers(self) -> bool:
        assert self.controller.poll() is None, self.errors.read_text()
        try:
            self._watch = Noting(self.socket, self.note).watch()
        except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
            return False
        self._note_all()
        return True

    def note(self, row: Row) -> None:
        """Note that a row was told."""
        self.acknowledged.append(Acknowledged(self.length(), row))

    def _note_all(self) -> None:
        """Note the rows of before somebody watched: a table that answers has them."""
        told = {one.row["seq"] for one in self.acknowledged}
        for row in rows_of(self.state):
            if row["seq"] not in told:
                self.note(row)
