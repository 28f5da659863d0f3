"""What hangs is ended and goes on where it was; what only waits for the disk is left alone."""

import json
import time

import pytest

from tests.appliance.disk import standing_still
from tests.appliance.figures import Figures
from tests.appliance.table_pc import DROP_INS, UNIT, TablePC, layout
from tests.system.processes import eventually
from tests.system.talk import Talk

SOONER = 4
"""Seconds of the watchdog where the unit's own ten would only be waited for."""

ENDED_WITHIN = 60.0


def send(talk: Talk, **ask: object) -> None:
    """Ask for something without waiting for the answer."""
    talk.send(json.dumps({"id": 999, "ask": ask}).encode() + b"\n")


def bark_sooner(pc: TablePC) -> None:
    """Let the watchdog wait for a shorter time, from the table's next start on."""
    pc.write(f"{DROP_INS}/sooner.conf", f"[Service]\nWatchdogSec={SOONER}s\n")
    pc.machine.run("systemctl", "daemon-reload")


@pytest.mark.parametrize(
    ("what", "player", "seen"),
    [
        ("an event loop that hangs", "hang-loop", "ask_or_hang"),
        ("an event that is decided for ever", "hang-decide", "decide_or_hang"),
    ],
)
def test_what_hangs_is_ended_and_the_round_goes_on(
    pc: TablePC, figures: Figures, what: str, player: str, seen: str
) -> None:
    pc.spoil("hangs on a player")
    pc.start()
    with pc.talk() as talk:
        before = layout(pc.deal(talk))
        began = time.monotonic()
        send(talk, do="wager", box=3, player=player, main=1000)
        pc.machine.until(UNIT, ENDED_WITHIN, NRestarts="1", ActiveState="active")
        figures.note(f"{what}: to READY again (watchdog 10 s)", time.monotonic() - began)

    with pc.talk() as talk:
        assert layout(talk.view) == before
        pc.finish(talk)
    journal = pc.machine.journal(UNIT)
    assert "watchdog" in journal.lower()
    assert seen in journal  # where it stood, for whoever mends it


def test_a_process_that_stands_still_is_ended_and_the_round_goes_on(
    pc: TablePC, figures: Figures
) -> None:
    bark_sooner(pc)
    pc.start()
    with pc.talk() as talk:
        before = layout(pc.deal(talk))
    began = time.monotonic()
    pc.machine.run("systemctl", "kill", "--signal=STOP", UNIT)
    pc.machine.until(UNIT, ENDED_WITHIN, NRestarts="1", ActiveState="active")
    figures.note(
        f"a process that stands still: to READY again (watchdog {SOONER} s)",
        time.monotonic() - began,
    )

    with pc.talk() as talk:
        assert layout(talk.view) == before


def test_a_slow_disk_is_shown_and_outlasts_the_watchdog(pc: TablePC, figures: Figures) -> None:
    bark_sooner(pc)
    pc.start()
    with pc.talk() as talk, pc.talk() as dealer:
        pc.deal(talk)
        pid = pc.pid
        with standing_still(pc.disk):
            began = time.monotonic()
            send(dealer, do="stand")
            view = talk.until(lambda view: view["trouble"], "the disk is shown as slow")
            figures.note("slow disk: until it is shown", time.monotonic() - began)
            assert "The disk is slow" in view["trouble"]
            assert view["turn"] == {"box": 2, "hand": 1}
            eventually(lambda: "The disk is slow" in pc.status(), "systemctl shows it, too")
            while time.monotonic() - began < SOONER * 2:
                assert "The disk is slow" in talk.look()["trouble"]
                time.sleep(0.2)
        talk.until(lambda view: not view["trouble"] and view["turn"] is None, "the hand stands")

    assert (pc.pid, pc.restarts) == (pid, 0)


def test_a_disk_that_is_slow_at_the_start_is_waited_for(pc: TablePC) -> None:
    pc.start()
    pc.stop()
    limits = "[Service]\nTimeoutStartSec=4s\nWatchdogSec=2s\n"
    pc.write(f"{DROP_INS}/sooner.conf", limits)
    pc.machine.run("systemctl", "daemon-reload")
    pid = 0
    with standing_still(pc.disk):
        pc.machine.run("systemctl", "start", "--no-block", UNIT)
        pc.machine.until(UNIT, ActiveState="activating", SubState="start")
        eventually(lambda: "the disk is waited for" in pc.status(), "systemctl shows it")
        pid = pc.pid
        began = time.monotonic()
        while time.monotonic() - began < 6.0:
            assert pc.machine.show(UNIT, "ActiveState") == {"ActiveState": "activating"}
    pc.machine.until(UNIT, ActiveState="active")

    assert (pc.pid, pc.restarts) == (pid, 0)
