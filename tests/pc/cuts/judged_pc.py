"""What a whole PC makes of a disk whose power was cut while something was installed on it."""

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.appliance.machine import Machine
from tests.appliance.table_pc import INSTALLED_WITHIN, SOCKET, STATE, UNIT
from tests.pc.cuts.cut_table import Acknowledged, Noting, Said
from tests.pc.cuts.dealing import asks, play
from tests.pc.cuts.judged import Dead, Verdict
from tests.pc.cuts.pc_disk import MAKE, settle
from tests.system.processes import PATIENCE
from tests.system.table import rows_of

UNITS: Final = "usr/lib/systemd/system"
OURS: Final = ("tablekeeper*.service", "*.service.d/tablekeeper.conf")
MENDED_WITHIN: Final = 3 * INSTALLED_WITHIN
"""Seconds; a PC for each processor is mended at once."""
RUNS_ON: Final = re.compile(r"the table runs on (\S+)")


def judge_upgrade(
    machine: Machine, verdict: Verdict, had: Sequence[Acknowledged], said: Sequence[Said]
) -> None:
    """Look at a PC whose power was cut during an upgrade; it has just been switched on again.

    Raises:
        Dead: no table runs on it, or not the one that was said to.
    """
    runs = _whole(machine)
    for one in said:
        if (new := RUNS_ON.search(one.words)) and new[1] != runs:
            raise Dead(f"{one.words!r} was said, and current is {runs}")
    _until_it_runs(machine)
    _plays(machine, verdict, had)


def judge_first_install(
    machine: Machine, verdict: Verdict, said: Sequence[Said], mend: bool
) -> None:
    """Look at a PC whose power was cut during its first installation.

    It is not installed, or whole, or says that it is neither; to install again mends it.

    Raises:
        Dead: it was said to be installed and is not, or cannot be.
    """
    done = any("installed. Name the devices" in one.words for one in said)
    try:
        _whole(machine)
        whole = True
    except Dead as why:
        if done:
            raise Dead(f"it was said to be installed: {why}") from None
        whole = False
    if not whole:
        told = machine.run(
            "sh", "-c", "command -v tablekeeper && tablekeeper --version", check=False
        )
        if "Traceback" in told.stderr:
            raise Dead(f"half of it is installed, and it says: {told.stderr[-400:]}")
        if not mend:
            return
        again = machine.run(*MAKE, check=False, within=MENDED_WITHIN)
        if again.returncode:
            raise Dead(f"to install again does not mend it: {again.stdout}{again.stderr[-700:]}")
        _whole(machine)
    settle(machine)
    _until_it_runs(machine)
    _plays(machine, verdict, [])


def _whole(machine: Machine) -> str:
    """Return the release that is installed.

    Raises:
        Dead: it is not whole: says what is missing.
    """
    for pattern in OURS:
        files = list((machine.root / UNITS).glob(pattern))
        if not files:
            raise Dead(f"no unit {pattern}")
        for file in files:
            if not file.stat().st_size:
                raise Dead(f"{file.name} is empty")
    loaded = machine.show(UNIT, "LoadState", "UnitFileState")
    if loaded["LoadState"] != "loaded":
        raise Dead(f"the unit is {loaded}")
    told = machine.run("tablekeeper", "--version", check=False)
    if told.returncode:
        raise Dead(f"tablekeeper --version: {told.returncode}, {told.stderr[-400:]}")
    if loaded["UnitFileState"] != "enabled":
        raise Dead(f"the unit is {loaded}")
    return machine.run("readlink", "/opt/tablekeeper/current").stdout.strip()


def _until_it_runs(machine: Machine) -> None:
    deadline = time.monotonic() + PATIENCE
    while (now := machine.show(UNIT, "ActiveState"))["ActiveState"] != "active":
        if now["ActiveState"] == "failed" or time.monotonic() > deadline:
            raise Dead(f"{UNIT} is {now}: {machine.journal(UNIT)[-700:]}")
        time.sleep(0.05)


def recorded_in(machine: Machine) -> Path:
    """Return the table's state folder from outside; SQLite takes /proc/PID/root for ours."""
    return machine.root / STATE.lstrip("/")


def _plays(machine: Machine, verdict: Verdict, had: Sequence[Acknowledged]) -> None:
    with Noting(machine.inside(SOCKET), lambda _row: None) as talk:
        talk.watch()
        verdict.human = "; ".join(asks(talk.view))
        there = {(row["seq"], row["kind"]) for row in rows_of(recorded_in(machine))}
        verdict.lost = [
            one.row["seq"] for one in had if (one.row["seq"], one.row["kind"]) not in there
        ]
        play(talk)
    machine.run("systemctl", "stop", UNIT)
    decided = machine.run("tablekeeper", "log", "verify", "--decide", STATE, check=False)
    if decided.returncode:
        raise Dead(f"log verify --decide: {decided.stdout[-500:]}{decided.stderr[-400:]}")
