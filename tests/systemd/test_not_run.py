"""Tests that cannot be run are not passed over in silence."""

import subprocess
import sys
from pathlib import Path

from tests.system.user import as_ordinary_user

ROOT = Path(__file__).parents[2]


def test_without_root_it_says_loudly_what_was_not_run() -> None:
    options = ["-q", "-m", "appliance", "-p", "no:cacheprovider", "tests/appliance"]
    done = subprocess.run(
        [*as_ordinary_user(), sys.executable, "-m", "pytest", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert "NOT RUN: the service under a real systemd" in done.stdout, done.stdout + done.stderr
    assert "missing: root" in done.stdout
    assert "not run: tests/appliance/test_watchdog.py::" in done.stdout
    assert "failed" not in done.stdout
