"""The table PC of the tests: installed as a technician does it, with a shoe on its serial line."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from drivers.simulated.client import Client as Hands
from tests.appliance.faults import FAULTS, FOLDER
from tests.appliance.machine import Machine
from tests.system.processes import eventually
from tests.system.talk import Talk, View

ROOT = Path(__file__).parents[2]
UNIT = "tablekeeper.service"
GAVE_UP = "tablekeeper-gave-up.service"
SOCKET = "/run/tablekeeper/control.sock"
NOTE = "/run/tablekeeper/gave-up"
STATE = "/var/lib/tablekeeper"
CONFIG = "/etc/tablekeeper/table.toml"
DROP_INS = "/run/systemd/system/tablekeeper.service.d"
SHOE = "/dev/ttyUSB0"

SETTINGS = f"""\
[table]
name = "Table 7"
game = "pontoon-nsw"
state = "{STATE}"
socket = "{SOCKET}"

[devices.shoe]
driver = "angel-eye"
port = "{SHOE}"
"""

INSTALLED_WITHIN = 300.0

TRIED = """\
import json, os, socket, sys

def talk():
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(sys.argv[1])
        assert asking.recv(1) == b"{"

def open_shoe():
    os.close(os.open(sys.argv[2], os.O_RDWR | os.O_NOCTTY))

def tried(what):
    try:
        what()
    except OSError as fault:
        return type(fault).__name__
    return "yes"

print(json.dumps({"talk": tried(talk), "open the shoe": tried(open_shoe)}))
"""
"""Tries what a user of the machine might: to talk to the table, and to open a device beside it."""


class Parts(NamedTuple):
    """What a table PC is put together from."""

    machine: Machine
    hands: Hands
    """Whoever moves the cards."""
    line: Path
    """The shoe's serial line as this machine knows it."""
    disk: Path
    """Where the disk with the table's state is mounted on this machine."""


class TablePC:
    """A machine with the service on it."""

    def __init__(self, parts: Parts) -> None:
        self.machine, self.hands, self.line, self.disk = parts

    # --- installing -------------------------------------------------------------------------------

    def make(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """Run make in the checkout, as its root does."""
        return self.machine.run(*self.making(*arguments), check=check, within=INSTALLED_WITHIN)

    @staticmethod
    def making(*arguments: str) -> list[str]:
        """Return the command that makes something in the checkout."""
        return ["make", "--no-print-directory", "-C", "/checkout", "WHEELS=/wheels", *arguments]

    @property
    def is_installed(self) -> bool:
        """Whether the service is on it."""
        return self.machine.run("test", "-e", "/opt/tablekeeper", check=False).returncode == 0

    def plug_in(self) -> None:
        """Give the serial line to the table's user, as the udev rule does elsewhere."""
        done = self.machine.run("getent", "group", "tablekeeper")
        os.chown(self.line, 0, int(done.stdout.split(":")[2]))
        self.line.chmod(0o660)

    def may(self, who: str) -> dict[str, str]:
        """Return what a user may do on it: ``yes``, or the error by which it is refused."""
        python = "/opt/tablekeeper/current/bin/python"
        told = self.machine.run("runuser", "-u", who, "--", python, "-c", TRIED, SOCKET, SHOE)
        may: dict[str, str] = json.loads(told.stdout)
        return may

    def anew(self) -> None:
        """Make it a table that was never opened: its own settings, no log, no fault, no drop-in."""
        self.machine.run("systemctl", "kill", "--signal=KILL", UNIT, check=False)
        self.machine.run("systemctl", "stop", UNIT, GAVE_UP, check=False)
        empty = f"rm -rf {DROP_INS} {FOLDER} {NOTE}; find {STATE} -mindepth 1 -delete"
        self.machine.run("sh", "-c", empty)
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "reset-failed", UNIT, GAVE_UP, check=False)
        self.write(CONFIG, SETTINGS)
        self.machine.run("chown", "root:tablekeeper", CONFIG)
        self.machine.run("chmod", "640", CONFIG)
        self.plug_in()

    def write(self, path: str, text: str) -> None:
        """Write a file on it."""
        place = self.machine.inside(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def spoil(self, fault: str, release: str = "") -> None:
        """Put a bug into the program, from its next start on."""
        self.write(f"{FOLDER}/sitecustomize.py", FAULTS[fault].replace("RELEASE", release))
        self.write(f"{DROP_INS}/fault.conf", f"[Service]\nEnvironment=PYTHONPATH={FOLDER}\n")
        self.machine.run("systemctl", "daemon-reload")

    def mend(self) -> None:
        """Take the bug out again."""
        self.machine.run("rm", "-rf", DROP_INS)
        self.machine.run("systemctl", "daemon-reload")

    # --- running ----------------------------------------------------------------------------------

    def start(self) -> float:
        """Start the table; return the seconds until it said that it is ready."""
        began = time.monotonic()
        self.machine.run("systemctl", "start", UNIT)
        return time.monotonic() - began

    def stop(self) -> float:
        """Stop the table; return the seconds that took."""
        began = time.monotonic()
        self.machine.run("systemctl", "stop", UNIT)
        return time.monotonic() - began

    @property
    def pid(self) -> int:
        """The controller's process, as its own machine counts."""
        return int(self.machine.show(UNIT, "MainPID")["MainPID"])

    @property
    def restarts(self) -> int:
        """How often systemd has started it again by itself."""
        return int(self.machine.show(UNIT, "NRestarts")["NRestarts"])

    @property
    def program(self) -> str:
        """The file that the running controller was started from, in its version's folder."""
        line = self.machine.run("cat", f"/proc/{self.pid}/cmdline").stdout
        return line.split("\0")[0]

    def status(self) -> str:
        """Return what the controller has told systemd of itself."""
        return self.machine.show(UNIT, "StatusText")["StatusText"]

    @contextlib.contextmanager
    def talk(self) -> Iterator[Talk]:
        """Talk to the table, as somebody who watches it."""
        talks: list[Talk] = []

        def answers() -> bool:
            with contextlib.suppress(FileNotFoundError, ConnectionError):
                talks.append(Talk(self.machine.inside(SOCKET)))
            return bool(talks)

        eventually(answers, "the table answers")
        with talks[0] as talk:
            yield talk.watch()

    def note(self) -> str:
        """Return the note of having given up; empty if there is none."""
        place = self.machine.inside(NOTE)
        return place.read_text() if place.exists() else ""

    # --- playing ----------------------------------------------------------------------------------

    def deal(self, talk: Talk) -> View:
        """Begin a round: ann on box 2 has 15 against the dealer's 9 and is in turn."""
        self._until_as_shown(talk)
        talk.must("wager", box=2, player="ann", main=1000)
        talk.must("no-more-bets")
        for card in ("KS", "9H", "5D"):
            self.hands.ask("draw", device="shoe", card=card)
        return talk.until(lambda view: view["turn"] == {"box": 2, "hand": 1}, "box 2 in turn")

    def _until_as_shown(self, talk: Talk) -> None:
        """Wait for the shoe, and confirm the layout as a dealer does after another start."""
        view = talk.until(lambda view: view["devices"]["shoe"]["online"], "the shoe is there")
        if view["in_doubt"]:
            talk.must("confirm-layout")

    def finish(self, talk: Talk) -> View:
        """End the round that `deal` began: ann stands on 15 and loses."""
        self._until_as_shown(talk)
        talk.must("stand")
        self.hands.ask("draw", device="shoe", card="8C")
        view = talk.until(lambda view: view["state"] == "final settlement", "the round is over")
        (row,) = view["settlements"]
        assert (row["player"], row["result"]) == ("ann", "lose")
        talk.must("cleared")
        return talk.look()


def layout(view: View) -> dict[str, object]:
    """Return what lies on a table: every card, and whose turn it is."""
    return {
        **{key: view[key] for key in ("round", "state", "turn")},
        "dealer": view["dealer"]["cards"],
        "boxes": [(box["box"], box["players"], box["hands"]) for box in view["boxes"]],
    }


def wheels(folder: Path, source: Path = ROOT) -> None:
    """Fill the folder with all that the installation of a checkout needs without a network."""
    command = ["make", "-C", source, "wheels", f"WHEELS={folder}", f"PYTHON={sys.executable}"]
    subprocess.run(list(map(str, command)), check=True, timeout=INSTALLED_WITHIN)
