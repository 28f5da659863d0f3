"""What the dealer is told when the service will not start the table again by itself."""

import subprocess
from pathlib import Path

import pytest

from controller.settings import STILL_THE_EXAMPLE

SCRIPT = Path(__file__).parents[2] / "systemd" / "gave-up"
REASONS = {
    ("exit-code", "69"): "Another controller holds this table.",
    ("exit-code", "70"): "decided otherwise now than it was recorded",
    ("exit-code", "72"): "another Python than it was installed with",
    ("exit-code", "78"): "Its settings or its log are not as they must be.",
    ("exit-code", "203"): "not installed whole",
    ("exit-code", "1"): "failed again and again (exit-code:1)",
    ("signal", "SEGV"): "failed again and again (signal:SEGV)",
    ("watchdog", "ABRT"): "hung again and again",
    ("timeout", ""): "did not get ready in time",
}


def told(folder: Path, **monitored: str) -> str:
    """Run the script as systemd does; return what it prints."""
    environment = {"PATH": "/usr/bin:/bin", "RUNTIME_DIRECTORY": str(folder), **monitored}
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("reason", REASONS, ids=" ".join)
def test_the_dealer_is_told_what_to_do_and_the_technician_why(
    tmp_path: Path, reason: tuple[str, str]
) -> None:
    result, status = reason
    said = told(tmp_path, MONITOR_SERVICE_RESULT=result, MONITOR_EXIT_STATUS=status)

    first, _, second, *_ = said.splitlines()
    assert first.startswith("THE TABLE HAS STOPPED, ")
    assert second.startswith("Stop dealing.")
    assert REASONS[reason] in said
    assert "journalctl -u tablekeeper" in said
    assert (tmp_path / "gave-up").read_text() == said


def test_a_round_that_is_decided_otherwise_is_not_to_be_started_again(tmp_path: Path) -> None:
    said = told(tmp_path, MONITOR_SERVICE_RESULT="exit-code", MONITOR_EXIT_STATUS="70")

    assert "tablekeeper recover" in said
    assert "systemctl start" not in said


def test_a_table_that_was_never_set_up_is_no_alarm(tmp_path: Path) -> None:
    journal = tmp_path / "journalctl"
    journal.write_text(f'#!/bin/sh\necho "tablekeeper: table.toml: {STILL_THE_EXAMPLE}: ..."\n')
    journal.chmod(0o755)
    ended = {"MONITOR_SERVICE_RESULT": "exit-code", "PATH": f"{tmp_path}:/usr/bin:/bin"}

    said = told(tmp_path, **ended, MONITOR_EXIT_STATUS="78")
    assert said.startswith("THIS TABLE IS NOT SET UP YET")
    assert "sudo tablekeeper setup" in said
    assert "Stop dealing" not in said
    assert "THE TABLE HAS STOPPED" in told(tmp_path, **ended, MONITOR_EXIT_STATUS="1")


def test_it_is_told_even_where_no_note_can_be_left(tmp_path: Path) -> None:
    said = told(tmp_path / "nowhere", MONITOR_SERVICE_RESULT="watchdog")

    assert "THE TABLE HAS STOPPED" in said
