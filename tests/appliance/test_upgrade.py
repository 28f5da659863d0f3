"""The next version: built beside, put in place between two rounds, taken back if it is no good."""

import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Iterator

from tests.appliance.figures import Figures
from tests.appliance.table_pc import INSTALLED_WITHIN, STATE, UNIT, TablePC, layout
from tests.system.processes import end


class Making:
    """A make that runs in the machine while something else goes on."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._lines: list[str] = []
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line.decode())

    @property
    def said(self) -> str:
        """All that it has said."""
        return "".join(self._lines)

    def until(self, words: str) -> None:
        """Wait until it has said something."""
        deadline = time.monotonic() + INSTALLED_WITHIN
        while words not in self.said:
            assert time.monotonic() < deadline, f"never said {words!r}: {self.said}"
            assert self._process.poll() is None or words in self.said, self.said
            time.sleep(0.05)

    def ended(self) -> int:
        """Wait for its end; return its exit status."""
        status = self._process.wait(INSTALLED_WITHIN)
        self._reading.join()
        return status


@contextlib.contextmanager
def making(pc: TablePC, *arguments: str) -> Iterator[Making]:
    """Run make in the checkout; afterwards it runs no more."""
    process = subprocess.Popen(
        [*pc.machine.entering(), *pc.making(*arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=pc.machine.environment(),
    )
    made = Making(process)
    try:
        yield made
    finally:
        # nsenter is only the way in: what it has started there is ended there.
        pc.machine.run("pkill", "-KILL", "-f", "install.sh|between-rounds|^make ", check=False)
        made.ended()
        end(process)


def test_an_upgrade_waits_for_the_end_of_the_round(pc: TablePC, figures: Figures) -> None:
    pc.start()
    machine = pc.machine
    pid, before = pc.pid, pc.program
    with pc.talk() as talk:
        view = pc.deal(talk)
        lies, waits = layout(view), f"({view['state']}): {view['next']}"
        with making(pc, "install") as upgrade:
            upgrade.until(f"waiting for the end of round 1 at Table 7 {waits}")
            assert machine.run("readlink", "/opt/tablekeeper/current").stdout.strip() in before
            assert (pc.pid, layout(talk.look())) == (pid, lies)
            pc.finish(talk)
            began = time.monotonic()
            assert upgrade.ended() == 0, upgrade.said
            figures.note("upgrade: end of the round to READY", time.monotonic() - began)
    assert "the table runs on /opt/tablekeeper/releases/" in upgrade.said

    now = machine.run("readlink", "/opt/tablekeeper/current").stdout.strip()
    assert now not in before
    assert pc.program.startswith(f"{now}/")
    assert pc.pid != pid
    with pc.talk() as talk:
        assert talk.view["round"] == 2
        pc.deal(talk)
        pc.finish(talk)
    kept = machine.run("ls", "/opt/tablekeeper/releases").stdout.split()
    assert len(kept) == 2  # the one that runs, and the one before it
    assert now.rpartition("/")[2] in kept


def test_an_upgrade_that_is_broken_off_changes_nothing(pc: TablePC) -> None:
    pc.start()
    current = pc.machine.run("readlink", "/opt/tablekeeper/current").stdout
    with pc.talk() as talk:
        pc.deal(talk)
        with making(pc, "install") as upgrade:
            upgrade.until("waiting for the end of round")
            pc.machine.run("pkill", "-INT", "-f", "bin/tablekeeper between-rounds")
            assert upgrade.ended() != 0
        assert "nothing has changed" in upgrade.said
        assert pc.machine.run("readlink", "/opt/tablekeeper/current").stdout == current
        pc.finish(talk)


ENDING = """\
#!/bin/sh
echo >>/shim/calls
/bin/mv "$@"
[ $(wc -l </shim/calls) != 3 ] || kill -9 $PPID
"""
"""A command that ends whoever calls it for the third time, in a way that nobody can catch."""


def test_an_upgrade_that_is_ended_between_its_files_leaves_a_table_that_starts(
    pc: TablePC,
) -> None:
    pc.start()
    machine, before = pc.machine, pc.program
    pc.write("/shim/mv", ENDING)
    machine.run("chmod", "755", "/shim/mv")
    path = f"PATH=/shim:{machine.environment()['PATH']}"
    done = machine.run("env", path, *pc.making("install"), check=False, within=INSTALLED_WITHIN)
    machine.run("rm", "-rf", "/shim")
    assert done.returncode != 0
    assert "Killed" in done.stdout + done.stderr

    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", UNIT)
    assert pc.program == before
    with pc.talk() as talk:
        pc.deal(talk)
        pc.finish(talk)
    said = pc.make("install").stdout
    assert "an installation was broken off here" in said
    assert "the table runs on" in said
    assert pc.program != before
    left = machine.run("find", "/usr/lib", "/etc", "/opt/tablekeeper", "-name", "*.new")
    assert left.stdout == ""
    assert len(machine.run("ls", "/opt/tablekeeper/releases").stdout.split()) == 2


def test_a_version_that_does_not_start_is_taken_back(pc: TablePC) -> None:
    pc.start()
    before = pc.program
    pc.spoil("fails in another version", release=before.removesuffix("/bin/python"))
    done = pc.make("install", check=False)

    assert done.returncode != 0
    assert "did not start" in done.stderr
    assert "runs on" in done.stderr
    pc.machine.until(UNIT, ActiveState="active")
    assert pc.program == before
    with pc.talk() as talk:
        pc.deal(talk)
        pc.finish(talk)


def as_before_there_was_a_group_for_the_socket(pc: TablePC) -> None:
    """Leave the machine as the version did in which the socket's group was the devices'."""
    unit = f"/usr/lib/systemd/system/{UNIT}"
    lines = "s/^Group=.*/Group=tablekeeper/;/^SupplementaryGroups=/d"
    pc.machine.run("sed", "-i", lines, unit, unit.replace(".service", "-gave-up.service"))
    pc.machine.run("groupdel", "tablekeeper-watch")
    pc.machine.run("chgrp", "-R", "tablekeeper", STATE, "/run/tablekeeper")
    pc.machine.run("systemctl", "daemon-reload")


def access(pc: TablePC) -> list[str]:
    """Return what the doctor says of who may do what."""
    told = json.loads(pc.machine.run("tablekeeper", "doctor", "--json", check=False).stdout)
    return [each["what"] for each in told["findings"] if each["about"] == "access"]


def test_an_upgrade_takes_the_devices_from_who_only_talks_to_the_table(pc: TablePC) -> None:
    machine = pc.machine
    as_before_there_was_a_group_for_the_socket(pc)
    machine.run("useradd", "--groups", "tablekeeper", "cam")
    machine.run("groupadd", "auditors")
    try:
        pc.start()
        with pc.talk() as talk:
            pc.deal(talk)
            pc.finish(talk)
        machine.run("chgrp", "auditors", f"{STATE}/log")
        machine.run("chmod", "750", f"{STATE}/log")
        assert pc.may("cam") == {"talk": "yes", "open the shoe": "yes"}
        assert any("the group tablekeeper-watch is not there" in said for said in access(pc))
        done = pc.make("install")

        assert "cam may talk to the table as before" in done.stdout
        assert pc.may("cam") == {"talk": "yes", "open the shoe": "PermissionError"}
        assert access(pc) == []
        with pc.talk() as talk:
            talk.until(lambda view: view["devices"]["shoe"]["online"], "the shoe is the table's")
            assert talk.view["round"] == 2
        kept = machine.run("stat", "--format=%G %a", f"{STATE}/log").stdout.strip()
        assert kept == "auditors 750"
    finally:
        machine.run("userdel", "cam")
        machine.run("groupdel", "auditors")
