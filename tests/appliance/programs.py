"""Programs of the machine that the tests run on."""

import shutil
import subprocess

WITHIN = 120.0


def found(name: str) -> str:
    """Return where a program is."""
    program = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    assert program, f"{name} is needed"
    return program


def do(name: str, *arguments: object, within: float = WITHIN) -> None:
    """Run a program to its end; it has to succeed."""
    command = [found(name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=within, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
