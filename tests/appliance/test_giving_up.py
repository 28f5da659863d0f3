"""A table that fails again and again: not tried for ever, and the dealer is told."""

import subprocess
import time

from tests.appliance.figures import Figures
from tests.appliance.table_pc import GAVE_UP, SOCKET, UNIT, TablePC
from tests.system.processes import eventually
from tests.system.terminal import Terminal

LIMIT = 5
"""Starts, as the unit has it."""


def fail(pc: TablePC) -> None:
    """Let the table fail at each start until the service gives up."""
    pc.spoil("fails at its start")
    pc.machine.run("systemctl", "start", UNIT, check=False)
    pc.machine.until(UNIT, ActiveState="failed", SubState="failed")
    eventually(lambda: bool(pc.note()), "the note is there")


def test_a_crash_loop_ends_and_the_dealer_is_told(pc: TablePC, figures: Figures) -> None:
    shown, said = len(pc.machine.screen()), len(pc.machine.journal(UNIT))
    began = time.monotonic()
    fail(pc)
    figures.note("crash loop: to the dealer being told", time.monotonic() - began)

    journal = pc.machine.journal(UNIT)[said:]
    assert journal.count("RuntimeError: this version has a bug at its start") == LIMIT
    for words in (
        "THE TABLE HAS STOPPED",
        "Stop dealing.",
        "call the supervisor",
        "the round goes on where it was",
        "failed again and again",
        "systemctl reset-failed tablekeeper; systemctl start tablekeeper",
    ):
        assert words in pc.note()
        assert words in pc.machine.screen()[shown:]
    assert pc.machine.show(GAVE_UP, "Result") == {"Result": "success"}


def test_watch_shows_that_it_gave_up_and_the_table_when_it_is_back(pc: TablePC) -> None:
    fail(pc)
    watching = [*pc.machine.entering(), "tablekeeper", "watch", "--socket", SOCKET]
    environment = pc.machine.environment()
    done = subprocess.run(
        watching, capture_output=True, text=True, timeout=30, check=False, env=environment
    )
    assert done.returncode == 2
    assert "THE TABLE HAS STOPPED" in done.stderr

    with Terminal(watching, environment) as screen:
        screen.until("THE TABLE HAS STOPPED", "call the supervisor")
        screen.forget()
        pc.mend()
        pc.machine.run(
            "sh", "-c", "systemctl reset-failed tablekeeper; systemctl start tablekeeper"
        )
        screen.until("Table 7", "round 1")
        assert pc.note() == ""
        screen.type("q")
        assert screen.ended() == 0
    assert "open again after the service had given up" in pc.machine.journal(UNIT)


def test_a_program_that_is_not_there_whole_is_told_as_well(pc: TablePC) -> None:
    program = "/opt/tablekeeper/current/bin/tablekeeper"
    pc.machine.run("mv", program, f"{program}.away")
    try:
        pc.machine.run("systemctl", "start", UNIT, check=False)
        eventually(lambda: bool(pc.note()), "the note is there")
    finally:
        pc.machine.run("mv", f"{program}.away", program)

    assert "not installed whole" in pc.note()


def test_after_an_upgrade_of_the_systems_python_it_says_what_to_do(pc: TablePC) -> None:
    python = "/opt/tablekeeper/current/bin/python"
    pc.machine.run("mv", python, f"{python}.away")
    try:
        pc.machine.run("systemctl", "start", UNIT, check=False)
        eventually(lambda: bool(pc.note()), "the note is there")
        assert pc.machine.show(UNIT, "NRestarts") == {"NRestarts": "0"}
        assert pc.machine.run("tablekeeper", "--version", check=False).returncode == 72
    finally:
        pc.machine.run("mv", f"{python}.away", python)

    assert "which is gone from this PC or cannot be run" in pc.note()
    assert "When it is mended:  sudo make install" in pc.note()
    assert "again and again" not in pc.note()
