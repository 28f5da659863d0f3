"""A table that runs as a real one does: no rehearsal, an ordinary user, no simulated port.

Nothing is plugged in: the dealer enters the cards.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.system.processes import PATIENCE, PROGRAM
from tests.system.table import Running, config
from tests.system.talk import Answer, Talk
from tests.system.user import NOBODY, as_ordinary_user

SUPERVISOR, PIN = "ines", "83920174651"
"""An operator of the tests, and a PIN that nothing else looks like."""


class RealTable(Running):
    """See `Running`."""

    program = (*as_ordinary_user(), *PROGRAM, "run")

    def _start_devices(self) -> None:
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        self.config.write_text(config(self.folder, {"shoe": str(self.folder / "nothing")}))

    def start(self, *, online: bool = False) -> None:
        """Start the controller and wait for the table."""
        super().start(online=online)

    def operators(self, *words: str, pin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run ``tablekeeper operators`` as the table's user, with a PIN in a pipe."""
        return self.command("operators", *words, "--state", self.state, pin=pin)

    def command(self, *words: object, pin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run the program as the table's user, with a PIN in a pipe."""
        return subprocess.run(
            [*as_ordinary_user(), *PROGRAM, *map(str, words)],
            input=f"{pin}\n" if pin else "",
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def add(self, name: str = SUPERVISOR, role: str = "game-supervisor", pin: str = PIN) -> None:
        """Add an operator, and wait until the running table has recorded it."""
        done = self.operators("add", name, role, pin=pin)
        assert (done.returncode, done.stderr) == (0, "")
        self.watch.event("operator-added")


def sign_in(talk: Talk, name: str = SUPERVISOR, pin: str = PIN) -> Answer:
    """Sign in on a connection."""
    answer: dict[str, Any] = talk.request(sign_in={"name": name, "pin": pin})
    return answer


def signed_in(talk: Talk, name: str = SUPERVISOR, pin: str = PIN) -> Talk:
    """Sign in on a connection, successfully."""
    answer = sign_in(talk, name, pin)
    assert answer["ok"], answer
    return talk


def give_back(table: RealTable) -> None:
    """Give what was written in the table's folder to the table's user."""
    if os.geteuid() == 0:
        for file in table.state.glob("operators.db*"):
            os.chown(file, NOBODY, NOBODY)


@contextlib.contextmanager
def real_table(folder: Path) -> Iterator[RealTable]:
    """Run a real table in the folder; afterwards nothing of it runs any more."""
    with RealTable(folder) as table:
        yield table
