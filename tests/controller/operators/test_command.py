"""``tablekeeper operators``, and what of it is in the event log."""

import os
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.system.processes import PATIENCE, PROGRAM, naming, tablekeeper
from tests.system.real import PIN, RealTable, give_back
from tests.system.terminal import Terminal
from tests.system.user import NOBODY


def operators(state: Path, *words: str, pin: str = "") -> "subprocess.CompletedProcess[str]":
    """Run the command in one's own folder, with a PIN in a pipe."""
    return subprocess.run(
        [*PROGRAM, "operators", *words, "--state", str(state)],
        input=f"{pin}\n" if pin else "",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_who_is_added_and_disabled_is_listed(tmp_path: Path) -> None:
    assert operators(tmp_path, "list").stdout.startswith("nobody yet")
    for name, role in (("ines", "game-supervisor"), ("mo", "pit-manager")):
        done = operators(tmp_path, "add", name, role, pin=PIN)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"{name} is added as {role}; ")
    done = operators(tmp_path, "disable", "mo")
    assert (done.returncode, done.stdout.partition(";")[0]) == (0, "mo is disabled")

    listed = [line.split() for line in operators(tmp_path, "list").stdout.splitlines()]
    assert listed == [
        ["ines", "game-supervisor", "may", "sign", "in"],
        ["mo", "pit-manager", "disabled"],
    ]


BAD = {
    "a trivial PIN": (["add", "ines", "dealer"], "1234", "4 to 12 digits"),
    "no PIN": (["add", "ines", "dealer"], "", "no PIN was given"),
    "a PIN of words": (["add", "ines", "dealer"], "open sesame", "4 to 12 digits"),
    "no role": (["add", "ines", "king"], PIN, "casino-duty-manager"),
    "a PIN for a name": (["add", PIN, "dealer"], PIN, "a letter first"),
    "a role for a name": (["add", "dealer", "dealer"], PIN, "dealer is a role"),
    "taken": (["add", "mo", "dealer"], PIN, "choose another name"),
    "nobody": (["disable", "nobody"], "", "nobody has this name"),
    "nobody's PIN": (["pin", "nobody"], PIN, "nobody has this name"),
    "a trivial new PIN": (["pin", "mo"], "1111", "4 to 12 digits"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_told_in_one_line_and_changes_nothing(tmp_path: Path, name: str) -> None:
    words, pin, told = BAD[name]
    operators(tmp_path, "add", "mo", "dealer", pin="5927")
    before = operators(tmp_path, "list").stdout
    done = operators(tmp_path, *words, pin=pin)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert told in done.stderr
    assert PIN not in done.stderr
    assert operators(tmp_path, "list").stdout == before


def test_no_pin_fits_on_the_command_line(tmp_path: Path) -> None:
    done = operators(tmp_path, "add", "ines", "dealer", "83920174651")
    assert done.returncode == 2
    assert operators(tmp_path, "list").stdout.startswith("nobody yet")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = operators(tmp_path / "none", "list")
    assert done.returncode == 2
    assert f"{tmp_path / 'none'}: No such file" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a folder of somebody else's")
def test_root_does_not_work_in_the_folder_of_the_tables_user(tmp_path: Path) -> None:
    os.chown(tmp_path, NOBODY, NOBODY)
    done = operators(tmp_path, "add", "ines", "dealer", pin=PIN)

    assert done.returncode == 2
    assert "sudo -u nobody tablekeeper operators" in done.stderr
    assert list(tmp_path.iterdir()) == []


# --- typed ----------------------------------------------------------------------------------------


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """Somebody adds ines at a terminal."""
    command = [*PROGRAM, "operators", "add", "ines", "pit-manager", "--state", tmp_path]
    with Terminal(command) as it:
        it.until("new PIN of ines: ")
        yield it


def test_a_pin_is_typed_twice_without_echo_and_stands_in_no_process_list(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.type(f"{PIN}\n")
    terminal.until("the same again: ")
    terminal.type(f"{PIN}\n")
    seen = naming(tmp_path)

    terminal.until("ines is added as pit-manager")
    assert terminal.ended() == 0
    assert terminal.is_restored()
    assert PIN not in terminal.text
    assert seen
    assert [line for line in seen.values() if PIN in line] == []
    assert "pit-manager" in operators(tmp_path, "list").stdout


def test_two_pins_that_differ_change_nothing(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(f"{PIN}\n")
    terminal.until("the same again: ")
    terminal.type("5927\n")

    terminal.until("the two PINs differ")
    assert terminal.ended() == 2
    assert operators(tmp_path, "list").stdout.startswith("nobody yet")


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_it_can_be_left_before_a_pin_is_typed(terminal: Terminal, key: str) -> None:
    terminal.type(key)

    terminal.until("no PIN was typed")
    assert terminal.ended() == 2
    assert terminal.is_restored()
    assert "Traceback" not in terminal.text


# --- in the event log -----------------------------------------------------------------------------


def test_a_change_is_recorded_at_once_by_a_table_that_runs(real: RealTable) -> None:
    assert real.operators("add", "ines", "pit-manager", pin=PIN).returncode == 0
    (added,) = real.watch.event("operator-added")
    assert real.operators("disable", "ines").returncode == 0
    (disabled,) = real.watch.event("operator-disabled")

    uid = real.state.stat().st_uid
    for row, change in ((added, 1), (disabled, 2)):
        body = dict(row["body"])
        assert body.pop("pid") > 0
        assert body.pop("mono") > 0
        assert len(body.pop("mark")) == 32
        assert body == {"who": "ines", "role": "pit-manager", "uid": uid, "change": change}


def test_a_change_while_no_table_runs_is_recorded_once_when_it_starts(real: RealTable) -> None:
    real.stop()
    assert real.operators("add", "ines", "pit-manager", pin=PIN).returncode == 0
    assert real.operators("add", "mo", "dealer", pin="5927").returncode == 0
    for _ in range(2):
        real.start()
        while len(real.rows("operator-added")) < 2:
            real.watch.event("operator-added")
        real.stop()

    assert [row["body"]["who"] for row in real.rows("operator-added")] == ["ines", "mo"]
    assert tablekeeper("log", "verify", real.state).returncode == 0


def test_a_change_that_a_cut_has_left_in_the_database_is_not_recorded_again(
    real: RealTable,
) -> None:
    """As a kill leaves it between recording a change and forgetting it."""
    real.add()
    (body,) = [row["body"] for row in real.rows("operator-added")]
    real.kill()
    with closing(sqlite3.connect(real.state / "operators.db")) as db, db:
        columns = "(number, kind, name, role, pid, uid)"
        kept = (body["change"], "added", body["who"], body["role"], body["pid"], body["uid"])
        db.execute(f"INSERT OR REPLACE INTO change {columns} VALUES (?, ?, ?, ?, ?, ?)", kept)  # noqa: S608
    give_back(real)
    real.start()
    real.add("mo", "dealer")

    assert [row["body"]["who"] for row in real.rows("operator-added")] == ["ines", "mo"]


def test_a_table_is_named_by_its_configuration_as_well(real: RealTable) -> None:
    done = real.command("operators", "add", "ines", "dealer", "--config", real.config, pin=PIN)
    assert (done.returncode, done.stderr) == (0, "")
    (added,) = real.watch.event("operator-added")
    assert added["body"]["who"] == "ines"


def test_where_the_files_cannot_be_used_it_is_told_in_one_line(tmp_path: Path) -> None:
    operators(tmp_path, "add", "ines", "dealer", pin=PIN)
    (tmp_path / "pepper").unlink()
    done = operators(tmp_path, "add", "mo", "dealer", pin=PIN)

    assert (done.returncode, done.stdout) == (78, "")
    assert "pepper: it is gone" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "ines" in operators(tmp_path, "list").stdout


def test_the_files_are_the_tables_users_alone(real: RealTable) -> None:
    real.add()
    for file in (real.state / "operators.db", real.state / "pepper"):
        found = file.stat()
        assert found.st_uid == real.state.stat().st_uid
        assert stat.S_IMODE(found.st_mode) == 0o600
