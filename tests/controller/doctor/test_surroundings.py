"""Programs in the way, udev, clock and service: what stands around a table."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.doctor import clock, service, thieves, udev
from controller.doctor.finding import Finding
from controller.doctor.machine import Machine
from controller.doctor.patient import Patient
from tests.controller.doctor.tree import Tree, about, one, serial
from tests.system.processes import eventually

RULES = 'SUBSYSTEM=="tty", ENV{ID_MM_DEVICE_IGNORE}="1"\n'


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine with nothing on it."""
    tree = Tree(tmp_path / "machine")
    tree.user()
    return tree


# --- programs that take ports ---------------------------------------------------------------------


@pytest.fixture
def modem_manager(tmp_path: Path) -> Iterator[int]:
    """A real process of that name."""
    program = tmp_path / "ModemManager"
    shutil.copy("/usr/bin/sleep", program)
    process = subprocess.Popen([program, "100"])
    eventually(
        lambda: Path(f"/proc/{process.pid}/comm").read_text().strip() == "ModemManager", "it runs"
    )
    yield process.pid
    process.kill()
    process.wait()


def test_a_thief_that_really_runs_is_found(modem_manager: int) -> None:
    found = [each for each in thieves.check(Machine()) if each.level == "trouble"]

    assert [each.mend for each in found] == ["sudo systemctl disable --now ModemManager"]
    assert f"ModemManager ({modem_manager}) runs" in found[0].what


def test_the_rules_keep_modem_manager_off(tree: Tree) -> None:
    tree.process(50, "ModemManager")
    tree.write("etc/udev/rules.d/60-tablekeeper.rules", RULES)
    (found,) = thieves.check(tree.machine)

    assert found.level == "ok"
    assert "the table's rules keep ModemManager off" in found.what


@pytest.mark.parametrize(
    ("sign", "mend"),
    [
        ("usr/sbin/ModemManager", "sudo systemctl disable --now ModemManager"),
        ("usr/lib/udev/rules.d/85-brltty.rules", "sudo apt remove brltty"),
    ],
)
def test_a_thief_that_sleeps_is_a_warning(tree: Tree, sign: str, mend: str) -> None:
    tree.write(sign)
    (found,) = thieves.check(tree.machine)

    assert (found.level, found.mend, found.where) == ("warning", mend, f"/{sign}")


def test_a_thief_that_systemd_does_not_start_is_none(tree: Tree) -> None:
    def said() -> list[str]:
        return [each.level for each in thieves.check(tree.machine)]

    tree.write("usr/bin/brltty")
    tree.link("etc/systemd/system/brltty.service", "/dev/null")
    assert said() == ["warning"]
    tree.write(
        "usr/lib/systemd/system/brltty-udev.service.d/tablekeeper.conf",
        "[Unit]\nConditionPathExists=!/opt/tablekeeper/current\n",
    )
    assert said() == ["ok"]


def test_an_awake_brltty_is_trouble_whatever_the_rules_say(tree: Tree) -> None:
    tree.process(50, "brltty")
    tree.write("etc/udev/rules.d/60-tablekeeper.rules", RULES)

    assert [each.level for each in thieves.check(tree.machine)] == ["trouble"]


# --- udev -----------------------------------------------------------------------------------------


def rules(tree: Tree) -> Finding:
    (found,) = udev.check(tree.machine)
    return found


def test_rules_missing_there_switched_off_and_without_udev(tree: Tree) -> None:
    assert (rules(tree).level, rules(tree).what) == ("unseen", "there is no udev on this machine")
    (tree.root / "usr/lib/udev/rules.d").mkdir(parents=True)
    assert rules(tree).level == "warning"
    assert rules(tree).mend == "sudo make install, in a checkout of tablekeeper"
    tree.write("usr/lib/udev/rules.d/60-tablekeeper.rules", RULES)
    assert rules(tree).level == "unseen"
    tree.write("run/udev/control")
    assert (rules(tree).level, rules(tree).where) == (
        "ok",
        "/usr/lib/udev/rules.d/60-tablekeeper.rules",
    )
    tree.link("etc/udev/rules.d/60-tablekeeper.rules", "/dev/null")
    assert rules(tree).level == "warning"
    assert rules(tree).mend.startswith("sudo rm /etc/udev/rules.d/60-tablekeeper.rules")


# --- clock ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "last", "level"),
    [
        ("1970-01-01T00:05", None, "trouble"),
        ("2025-12-31T23:59", None, "trouble"),
        ("2026-11-30T12:00", None, "ok"),
        ("2026-11-30T12:00", "2026-11-30T11:59", "ok"),
        ("2026-11-30T12:00", "2026-11-30T12:01", "ok"),
        ("2026-11-30T12:00", "2026-11-30T12:03", "trouble"),
        ("2100-01-01T00:00", None, "trouble"),
    ],
)
def test_a_date_that_cannot_be(now: str, last: str | None, level: str) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    before = datetime.fromisoformat(last).replace(tzinfo=UTC) if last else None
    (found,) = clock.of_date(at, before)

    assert found.level == level
    assert bool(found.mend) == (level == "trouble")


@pytest.mark.parametrize(
    ("status", "level"),
    [(0x2001, "ok"), (0x0040, "warning"), (0x2041, "warning"), (None, "unseen")],
)
def test_the_kernels_word_on_ntp(status: int | None, level: str) -> None:
    (found,) = clock.of_network(status)

    assert found.level == level


def test_the_clock_with_the_battery(tree: Tree) -> None:
    def said() -> list[str]:
        patient = Patient(tree.machine, None, {}, None)
        about_rtc = [each for each in clock.check(patient) if "battery" in each.what]
        return [each.level for each in about_rtc]

    seconds = int(datetime.now(UTC).timestamp())
    assert said() == ["unseen"]
    tree.write("sys/class/rtc/rtc0/since_epoch", f"{seconds}\n")
    assert said() == ["ok"]
    tree.write("sys/class/rtc/rtc0/since_epoch", f"{seconds - 36_000}\n")
    assert said() == ["warning"]


# --- service --------------------------------------------------------------------------------------


class Systemctl(dict[str, str]):
    """What ``systemctl show`` answers, written where the program of that name reads it."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self._answer = tree.root / "bin" / "answer"
        script = f'#!/bin/sh\n[ "$1" = show ] && exec cat {self._answer}\nexit 9\n'
        tree.write("bin/systemctl", script).chmod(0o755)

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        self._answer.write_text("".join(f"{name}={text}\n" for name, text in self.items()))


@pytest.fixture
def systemd(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Systemctl:
    """A ``systemctl`` that answers what the test puts there."""
    said = Systemctl(tree)
    said["LoadState"] = "loaded"
    said["UnitFileState"] = "enabled"
    monkeypatch.setenv("PATH", f"{tree.root / 'bin'}:{os.environ['PATH']}")
    return said


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("69", "another controller holds this table (exit 69)"),
        ("70", "the log is decided otherwise now than it was recorded (exit 70)"),
        ("78", "the configuration or the log is not as it must be (exit 78)"),
        ("1", "its last exit is 1"),
    ],
)
def test_how_a_table_ended_is_told_in_words(
    tree: Tree, systemd: dict[str, str], status: str, words: str
) -> None:
    systemd["ActiveState"] = "failed"
    systemd["ExecMainStatus"] = status
    systemd["ExecMainCode"] = "1"
    level, what, mend = one(tree.findings(serial("/dev/x")), "service")

    assert (level, what) == ("trouble", f"it has stopped: {words}")
    assert mend.endswith("sudo systemctl restart tablekeeper.service")


def test_a_signal_is_no_exit(tree: Tree, systemd: dict[str, str]) -> None:
    systemd["ActiveState"] = "failed"
    systemd["ExecMainStatus"] = "69"
    systemd["ExecMainCode"] = "2"
    systemd["Result"] = "oom-kill"

    what = one(tree.findings(serial("/dev/x")), "service")[1]
    assert what == "it has stopped: a signal ended it (69; oom-kill)"


def test_a_service_that_is_not_started_with_the_machine_and_restarts(
    tree: Tree, systemd: dict[str, str]
) -> None:
    systemd["ActiveState"] = "inactive"
    systemd["UnitFileState"] = "disabled"
    systemd["NRestarts"] = "7"
    found = about(tree.findings(serial("/dev/x")), "service")

    assert [level for level, _, _ in found] == ["warning"] * 3
    assert "sudo systemctl enable tablekeeper.service" in [mend for _, _, mend in found]
    assert any("7 times" in what for _, what, _ in found)


def test_a_service_that_runs_but_does_not_answer(tree: Tree, systemd: dict[str, str]) -> None:
    systemd["ActiveState"] = "active"
    level, what, _ = one(tree.findings(serial("/dev/x")), "service")

    assert (level, what) == ("trouble", "it runs, but the table does not answer")


def test_the_units_own_user_is_whose_rights_count(tree: Tree, systemd: dict[str, str]) -> None:
    tree.user()
    passwd = tree.root / "etc/passwd"
    passwd.write_text(passwd.read_text().replace("tablekeeper", "dealer"))
    systemd["User"] = "dealer"
    config = tree.config(serial("/dev/x"))
    config.chmod(0o600)
    level, what, _ = one(tree.findings(serial("/dev/x")), "configuration")

    assert level == "trouble"
    assert what.startswith("dealer may not read it")


def test_a_unit_that_is_not_installed_and_no_systemd_at_all(
    tree: Tree, systemd: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    systemd["LoadState"] = "not-found"
    assert one(tree.findings(serial("/dev/x")), "service")[:2] == (
        "warning",
        "the service is not installed",
    )
    monkeypatch.setenv("PATH", str(tree.root))
    assert service.unit_of(tree.machine) == {}
    assert one(tree.findings(serial("/dev/x")), "service")[0] == "unseen"
