"""``tablekeeper doctor`` as a person calls it: what is printed, and how it exits."""

import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.controller.doctor.tree import Tree, serial, usb
from tests.system.processes import PATIENCE, PROGRAM, tablekeeper


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine with nothing on it."""
    return Tree(tmp_path / "machine")


def doctor(tree: Tree, *more: object) -> tuple[int, str]:
    """Examine the machine in the folder; nothing goes to standard error."""
    tree.root.mkdir(exist_ok=True)
    done = tablekeeper("doctor", "--root", tree.root, *more)

    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_bare_machine_is_in_no_trouble_and_told_what_was_not_looked_at(tree: Tree) -> None:
    status, said = doctor(tree)

    assert status == 0
    assert said.startswith("tablekeeper doctor · ")
    assert "in trouble" not in said
    assert "no table is configured on this machine yet" in said
    assert "sudo tablekeeper setup" in said
    for line in (
        "? udev           there is no udev on this machine",
        "? disk           the kernel does not tell what the state lies on",
        "? service        systemd cannot be asked on this machine",
    ):
        assert line in said


def test_what_is_worst_stands_first_with_what_mends_it(tree: Tree) -> None:
    tree.user()
    status, said = doctor(tree, "--config", tree.config(serial("/dev/serial/by-path/x")))
    lines = said.splitlines()

    assert status == 1
    assert lines[0].startswith("Test 1 · ")
    assert "in trouble" in lines[0]
    assert lines[1].startswith("✗ ")
    marks = [line[0] for line in lines[1:] if line[0] != " "]
    assert marks == sorted(marks, key="✗!?✓".index)
    assert "  → plug it in, or find its new socket: sudo tablekeeper setup" in said


def test_as_json_every_finding_has_its_five_words(tree: Tree) -> None:
    config = tree.config(serial("/dev/serial/by-path/x") + usb())
    status, said = doctor(tree, "--json", "--config", config)
    told = json.loads(said)

    assert status == 1
    assert said.count("\n") == 1
    assert (told["ok"], told["table"]) == (False, "Test 1")
    assert all(
        set(each) == {"level", "about", "what", "where", "mend"} for each in told["findings"]
    )
    assert {each["level"] for each in told["findings"]} <= {"ok", "warning", "trouble", "unseen"}
    assert all(each["mend"] for each in told["findings"] if each["level"] in {"trouble", "warning"})
    versions = told["versions"]
    assert versions["tablekeeper"] == version("tablekeeper")
    assert versions["Python"] == platform.python_version()
    assert versions["SQLite"] == sqlite3.sqlite_version
    assert versions["kernel"] == platform.release()
    assert versions["libusb"].startswith("1.0.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[table", "is not TOML"),
        ('[table]\nname = "x"\ngame = "poker"\nstate = "/s"\n[devices]\n', "needs a device"),
        (serial("/dev/x"), "table"),
    ],
)
def test_a_configuration_with_a_fault(tree: Tree, text: str, words: str) -> None:
    file = tree.write("table.toml", text)
    status, said = doctor(tree, "--config", file)

    assert status == 1
    assert "✗ configuration" in said
    assert words in said
    assert f"→ sudoedit {file}" in said


def test_an_option_or_driver_that_the_table_would_refuse(tree: Tree) -> None:
    file = tree.config('[devices.shoe]\ndriver = "angel-ey"\nport = "/dev/x"\n' + usb(port="usb0"))
    status, said = doctor(tree, "--config", file)

    assert status == 1
    assert "devices.shoe: there is no driver 'angel-ey'" in said
    assert "devices.pedal: port 'usb0' is not understood" in said


def as_nobody(*command: object) -> "subprocess.CompletedProcess[str]":
    """Run something as a user who may read only what all may read."""
    drop = ["--reuid=65534", "--regid=65534", "--clear-groups"]
    before = ["/usr/bin/setpriv", *drop] if os.geteuid() == 0 else []
    return subprocess.run(
        [*before, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture
def open_tree() -> Iterator[Tree]:
    """A machine that every user may look at."""
    if as_nobody(sys.executable, "-c", "import controller.cli").returncode:
        pytest.skip("this checkout lies where only its owner may look")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Tree(Path(name))


def test_a_configuration_that_this_user_may_not_read_is_not_judged(open_tree: Tree) -> None:
    file = open_tree.config(serial("/dev/x"))
    file.chmod(0o000)
    done = as_nobody(*PROGRAM, "doctor", "--root", open_tree.root, "--config", file)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "? configuration  this user may not read it" in done.stdout
    assert "→ sudo tablekeeper doctor" in done.stdout


def test_a_table_that_this_user_may_not_ask_is_not_judged(
    open_tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    systemctl = open_tree.write("bin/systemctl", "#!/bin/sh\necho ActiveState=active\n")
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{systemctl.parent}:{os.environ['PATH']}")
    closed = open_tree.root / "closed"
    closed.mkdir(mode=0o700)
    file = open_tree.config(serial("/dev/x"), state=closed / "state")
    closed.chmod(0o000)
    done = as_nobody(*PROGRAM, "doctor", "--root", open_tree.root, "--config", file)
    listed = as_nobody(*PROGRAM, "devices", "--json", "--config", file)

    assert "? service" in done.stdout
    assert "it runs; whether the table answers this user may not ask" in done.stdout
    assert json.loads(listed.stdout)["running"] is None
    assert "this user may not open" in json.loads(listed.stdout)["unseen"][-1]


def test_a_relative_path_is_the_callers(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o750)
    config = Tree(tmp_path).config(serial("dev/shoe"), state=Path("state"))
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "shoe").write_text("")
    said = tablekeeper("doctor", "--config", config, cwd=tmp_path).stdout

    assert "others than the table may read the record" in said
    assert "this is a file, not a port" in said


def test_a_file_that_is_not_there(tree: Tree) -> None:
    status, said = doctor(tree, "--config", tree.root / "none.toml")

    assert status == 1
    assert "there is no such file" in said


@pytest.mark.parametrize("words", [["--jsn"], ["table.toml"], ["--root", "/nowhere"]])
def test_bad_usage(words: list[str]) -> None:
    done = tablekeeper("doctor", *words)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
