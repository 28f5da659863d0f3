"""A table PC in a container: a real systemd, its own processes, users and files.

What a container does not have: udev, a kernel of its own, and a device policy that is enforced.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.system.processes import PATIENCE, children_of, eventually, kill

RUN_WITHIN = 120.0
"""Seconds that a command may take, also on a busy machine."""

BOOTED = ("running", "degraded")


class Machine:
    """The machine whose files lie in ``root``; a context manager, from switching on to off."""

    def __init__(
        self, root: Path, binds: Mapping[Path, str], readable: Mapping[Path, str] | None = None
    ) -> None:
        """Take what of this machine is to be there: files and folders, and those only to read."""
        self.root = root
        self.console = root.with_name(f"{root.name}.console")
        """All that was ever shown on its screen."""
        self._binds = [
            *(f"--bind={ours}:{theirs}" for ours, theirs in binds.items()),
            *(f"--bind-ro={ours}:{theirs}" for ours, theirs in (readable or {}).items()),
        ]
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._leader = 0

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(self.off)
            self._on()
            undo.pop_all()
        return self

    def __exit__(self, *_what: object) -> None:
        self.off()

    def _on(self) -> None:
        command = [
            *("setpriv", "--pdeathsig", "TERM"),  # also off when the tests are killed
            *("systemd-nspawn", "--quiet", "-D", str(self.root), "-M", f"table{os.getpid()}"),
            *("--register=no", "--keep-unit", "--console=read-only", "--kill-signal=SIGRTMIN+3"),
            *("--network-veth", *self._binds, "--boot", "systemd.unit=multi-user.target"),
        ]
        with self.console.open("ab") as screen:
            self._nspawn = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=screen,
                stderr=screen,
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            )
        eventually(self._is_up, f"the container is up; see {self.console}")

    def _is_up(self) -> bool:
        assert self._nspawn is not None
        assert self._nspawn.poll() is None, self.screen()
        children = children_of(self._nspawn.pid)
        if len(children) != 1:
            return False
        (self._leader,) = children
        state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
        return state in BOOTED

    def off(self) -> None:
        """Switch it off in order, or pull the plug if that does not help."""
        if self._nspawn is None:
            return
        self._nspawn.send_signal(signal.SIGTERM)
        try:
            self._nspawn.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            kill(self._leader)  # the container outlives a killed nspawn
            self._nspawn.kill()
            self._nspawn.wait()
        self._nspawn = None

    def run(
        self, *command: object, check: bool = True, within: float = RUN_WITHIN
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command in it as root, to its end."""
        done = subprocess.run(
            [*self.entering(), *map(str, command)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=within,
            env=self.environment(),
            check=False,
        )
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def entering(self) -> list[str]:
        """Return what to put before a command so that it runs in it."""
        spaces = ("-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w")
        return ["nsenter", "-t", str(self._leader), *spaces, "--"]

    @staticmethod
    def environment() -> dict[str, str]:
        """Return the environment of a root who has just logged in."""
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return {"PATH": path, "LANG": "C.UTF-8", "HOME": "/root", "TERM": "linux"}

    def inside(self, path: str) -> Path:
        """Return a path in it as it can be reached from here, mounts of its own included."""
        return Path(f"/proc/{self._leader}/root{path}")

    def screen(self) -> str:
        """Return what was shown on its screen since it was switched on."""
        return self.console.read_text(errors="replace")

    # --- units ------------------------------------------------------------------------------------

    def show(self, unit: str, *names: str) -> dict[str, str]:
        """Return properties of a unit."""
        done = self.run("systemctl", "show", unit, f"--property={','.join(names)}")
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    def until(self, unit: str, within: float = RUN_WITHIN, **wanted: str) -> dict[str, str]:
        """Wait until the properties of a unit are as wanted; return them."""
        deadline = time.monotonic() + within
        while (now := self.show(unit, *wanted)) != wanted:
            if time.monotonic() > deadline:
                raise AssertionError(f"{unit} is {now}, not {wanted}:\n{self.journal(unit)}")
            time.sleep(0.05)
        return now

    def journal(self, unit: str) -> str:
        """Return what a unit has said since the machine was switched on."""
        done = self.run("journalctl", "--quiet", "--boot", f"--unit={unit}", "--output=cat")
        return done.stdout
