"""The system's Python is another than the table was installed with: what to do is said in words.

The tree is one as `make install` makes it, with a real environment of Python in it.
"""

import os
import re
import shutil
import site
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = ROOT / "systemd"
OTHER_PYTHON = 72
MINOR = f"3.{sys.version_info.minor}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of an installed table; its packages are those of the checkout."""
    home = tmp_path / "tablekeeper"
    release = home / "releases" / "one"
    command = [sys.executable, "-m", "venv", "--without-pip", "--symlinks", release]
    subprocess.run(command, check=True, timeout=60)
    packages = release / "lib" / f"python{MINOR}" / "site-packages"
    (packages / "controller").symlink_to(ROOT / "controller")
    (packages / "drivers").symlink_to(ROOT / "drivers")
    (packages / "checkout.pth").write_text("\n".join(site.getsitepackages()))
    program = release / "bin" / "tablekeeper"
    program.write_text(
        f"#!{release}/bin/python\n"
        "import sys\nfrom controller.__main__ import program\nsys.exit(program())\n"
    )
    program.chmod(0o755)
    (home / "current").symlink_to(release)
    for script in ("tablekeeper", "gave-up"):
        shutil.copy(HERE / script, home)
    return home


def run(*command: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        list(map(str, command)),
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd="/",
    )


def test_with_its_own_python_it_is_the_program_also_by_a_link(home: Path, tmp_path: Path) -> None:
    link = tmp_path / "bin"
    link.symlink_to(home / "tablekeeper")
    expected = run(sys.executable, "-m", "controller", "--version", PYTHONPATH=str(ROOT))

    assert expected.stdout
    for command in (home / "tablekeeper", link):
        done = run(command, "--version")
        assert (done.returncode, done.stdout) == (0, expected.stdout), done.stderr


def python_gone(release: Path) -> None:
    (release / "bin" / "python").unlink()
    (release / "bin" / "python").symlink_to("/usr/bin/python3.2")


def python_that_cannot_run(release: Path) -> None:
    python = release / "bin" / "python"
    python.unlink()
    python.write_bytes(b"\x7fELF of another machine")
    python.chmod(0o755)


def packages_of_another(release: Path) -> None:
    (release / "lib" / f"python{MINOR}").rename(release / "lib" / "python3.4")
    config = release / "pyvenv.cfg"
    config.write_text(re.sub(r"version = .*", "version = 3.4.2", config.read_text()))


def half_a_release(release: Path) -> None:
    (release / "bin" / "tablekeeper").unlink()


UPGRADES: dict[str, tuple[Callable[[Path], None], str]] = {
    "its python is gone": (python_gone, f"installed with Python {MINOR}, which is gone"),
    "its python cannot run": (python_that_cannot_run, f"installed with Python {MINOR}, which is"),
    "its packages are another's": (
        packages_of_another,
        f"installed with Python 3.4, and this PC has Python {MINOR} now",
    ),
    "half of it is gone": (half_a_release, "it is not installed whole"),
    "all of it is gone": (shutil.rmtree, "it is not installed whole"),
}


@pytest.mark.parametrize("name", UPGRADES)
def test_what_was_changed_and_what_to_do_is_said(home: Path, name: str) -> None:
    change, words = UPGRADES[name]
    change(home / "releases" / "one")
    done = run(home / "tablekeeper", "run", "--config", "/etc/tablekeeper/table.toml")

    assert (done.returncode, done.stdout) == (OTHER_PYTHON, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("tablekeeper: ")
    assert words in line
    assert line.endswith("sudo make install")


def gave_up(home: Path, status: int) -> str:
    """Return what the screen shows when the program ended so."""
    ended = {"MONITOR_SERVICE_RESULT": "exit-code", "MONITOR_EXIT_STATUS": str(status)}
    done = run("/bin/sh", home / "gave-up", RUNTIME_DIRECTORY=str(home), **ended)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_screen_says_what_to_do(home: Path) -> None:
    said = gave_up(home, OTHER_PYTHON)

    assert "Why: It is not installed whole, or this PC has another Python" in said
    assert "When it is mended:  sudo make install" in said
    assert "again and again" not in said


def test_the_screen_says_so_too_where_a_library_went_with_the_upgrade(home: Path) -> None:
    (home / "current" / "lib" / f"python{MINOR}" / "site-packages" / "checkout.pth").unlink()
    done = run(home / "tablekeeper", "--version")
    assert done.returncode == 1, "a package that it needs is there still"
    said = gave_up(home, 1)

    assert "was changed or is gone" in said
    assert "When it is mended:  sudo make install" in said
    assert "again and again" not in said


def test_a_program_that_fails_by_itself_is_not_taken_for_one_that_cannot_start(home: Path) -> None:
    said = gave_up(home, 1)

    assert "failed again and again (exit-code:1)" in said
    assert "make install" not in said


def test_systemd_starts_it_by_that_command_and_not_again_when_it_says_so() -> None:
    unit = (HERE / "tablekeeper.service").read_text()
    (started,) = re.findall("^ExecStart=(.*)$", unit, re.MULTILINE)
    (never_again,) = re.findall("^RestartPreventExitStatus=(.*)$", unit, re.MULTILINE)

    assert started.split()[0] == "/opt/tablekeeper/tablekeeper"
    assert str(OTHER_PYTHON) in never_again.split()
