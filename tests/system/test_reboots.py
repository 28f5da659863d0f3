"""6.3 on a machine that is started again: real starts, as far as a controller can tell.

The kernel gives each run a boot id and a time since the machine's start of our choice, which needs
the rights of root.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.clock import mono_ms
from tests.system.processes import PROC, children_of, eventually
from tests.system.table import Running

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
MINUTE = 60


def machine(folder: Path, boot: str, up: int) -> list[str]:
    """Return what starts a program on a machine that was started ``up`` seconds ago."""
    file = folder / f"boot-{boot}"
    file.write_text(f"{boot}\n")
    unshare = shutil.which("unshare")
    assert unshare is not None
    offset = up - mono_ms() // 1000
    script = f'/usr/bin/mount --bind "$0" {BOOT_ID} && exec "$@"'
    return [
        *(unshare, "--time", "--boottime", str(offset), "--mount", "--fork", "--kill-child"),
        *("/bin/sh", "-c", script, str(file)),
    ]


@pytest.fixture
def table(folder: Path) -> Iterator[Running]:
    may = subprocess.run(
        [*machine(folder, "may", 5), "/bin/true"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    if may.returncode:
        pytest.skip(f"another start of the machine needs rights: {may.stderr.strip()}")
    table = Running(folder)
    table.under = machine(folder, "one", up=5 * MINUTE)
    with table:
        yield table
        power_off(table)


def power_off(table: Running) -> None:
    """Cut the controller off as it is started here: the kernel kills it after its starter."""
    (controller,) = children_of(table.controller.pid)
    table.kill()
    eventually(lambda: not (PROC / str(controller)).exists(), "the controller is gone")


def start_again(table: Running, boot: str, up: int) -> None:
    """Cut the controller off and start it on the machine as it is then."""
    power_off(table)
    table.under = machine(table.folder, boot, up)
    table.start()


def notice(table: Running) -> int | None:
    """Return for how many minutes the notice has to stand yet; None if there is none."""
    told = table.watch.look()["house"]["notice"]
    return None if told is None else told["minutes_left"]


def ask(table: Running, do: str, **fields: int) -> dict[str, object]:
    answer = table.watch.request(ask={"do": do, **fields}, by="casino-supervisor")
    assert answer["ok"], answer
    return answer


def test_6_3_the_minutes_go_on_over_a_restart_and_a_start_of_the_machine(table: Running) -> None:
    begun = time.monotonic()
    assert ask(table, "notice", minimum=2500)["accepted"]
    assert notice(table) == 20
    start_again(table, "one", up=5 * MINUTE + 8 * MINUTE)
    after_restart = notice(table)
    start_again(table, "two", up=6 * MINUTE)
    after_reboot = notice(table)
    refused = ask(table, "limits", minimum=2500, maximum=50_000)
    start_again(table, "two", up=6 * MINUTE + 7 * MINUTE)
    took = time.monotonic() - begun
    assert took < MINUTE, "or the minutes below are others"

    assert after_restart in {12, 13}, "nearly 8 minutes in the same start of the machine"
    assert after_reboot in {6, 7}, "and the 6 since its next start, whatever it was off for"
    assert (refused["accepted"], refused["rule"]) == (False, "6.3")
    assert notice(table) == 0
    assert ask(table, "limits", minimum=2500, maximum=50_000)["accepted"]


def test_a_start_of_the_machine_by_itself_is_no_step_of_the_clock(table: Running) -> None:
    start_again(table, "two", up=MINUTE)
    start_again(table, "three", up=100 * 24 * 60 * MINUTE)

    assert table.rows("clock-stepped") == []
    assert [row["body"]["boot"] for row in table.rows("started")] == ["one", "two", "three"]


def test_time_that_only_the_machine_counted_is_a_clock_that_went_back(table: Running) -> None:
    """As after a sleep from which the wall clock did not wake rightly."""
    start_again(table, "one", up=5 * MINUTE + 90 * MINUTE)

    (stepped,) = table.rows("clock-stepped")
    assert abs(stepped["body"]["by"] + 90 * MINUTE * 1000) < MINUTE * 1000
    assert stepped["body"]["behind"] == 0
