"""What keeps a table from starting, in plain words and with an exit status systemd understands."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from controller.eventlog import Content, canonical
from controller.shipped import shipped
from tests.logs import database
from tests.system import forged
from tests.system.processes import PATIENCE, PROGRAM, tablekeeper
from tests.system.table import Running, config, rows_of
from tests.system.user import NOBODY, as_ordinary_user, as_root

REFUSED_WITHIN = 15.0

HELD, DIFFERS, DO_NOT_START = 69, 70, 78

Refuse = Callable[..., str]


@pytest.fixture
def refused(folder: Path) -> Refuse:
    """Run a configuration that must not start; return the one line that says why."""

    def run(text: str, status: int = DO_NOT_START, *, before: Sequence[str] = ()) -> str:
        file = folder / "table.toml"
        file.write_text(text)
        options = [] if before else ["--rehearsal"]
        done = subprocess.run(
            [*before, *PROGRAM, "run", *options, "--config", str(file)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=REFUSED_WITHIN,
            check=False,
        )
        return told(done, status)

    return run


def told(done: "subprocess.CompletedProcess[str]", status: int) -> str:
    """Check how a program that did not start ended; return the one line it said."""
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tablekeeper: ")
    return lines[0]


def ports(folder: Path) -> dict[str, str]:
    """Return ports at which nothing is plugged in."""
    return {"shoe": str(folder / "shoe"), "pedal": f"simulated:{folder}/pedal.usb"}


def test_root_is_refused(folder: Path, refused: Refuse) -> None:
    said = refused(config(folder, ports(folder)), before=as_root())

    assert "root" in said
    assert "tablekeeper user" in said


def test_the_example_opens_no_table(refused: Refuse) -> None:
    example = shipped("table.toml").read_text()
    said = refused(f"# mine\n{example}\n[controls]\n", before=as_ordinary_user())

    assert "the settings are still the example's" in said
    assert "sudo tablekeeper setup" in said


def test_a_simulated_port_is_refused_at_a_real_table(folder: Path, refused: Refuse) -> None:
    said = refused(config(folder, ports(folder)), before=as_ordinary_user())

    assert "devices.pedal" in said
    assert "simulated" in said


FAULTS: dict[str, tuple[Callable[[str], str], list[str]]] = {
    "an unknown driver": (
        lambda text: text.replace("angel-eye", "devil-eye"),
        ["table.toml", "devices.shoe", "devil-eye", "angel-eye", "pcsensor"],
    ),
    "a bad option": (
        lambda text: f"{text}[devices.shoe.options]\nbaud = 1\n",
        ["table.toml", "devices.shoe", "baud", "300 to 921600"],
    ),
    "an unknown option": (
        lambda text: f"{text}[devices.shoe.options]\nbauds = 9600\n",
        ["table.toml", "devices.shoe", "bauds", "baud"],
    ),
    "a port that is none": (
        lambda text: text.replace('port = "/', 'port = "shoe" #'),
        ["table.toml", "devices.shoe"],
    ),
    "a port of another kind": (
        lambda text: text.replace("angel-eye", "pcsensor"),
        ["table.toml", "devices.shoe", "usb"],
    ),
    "a port that is no path": (
        lambda text: text.replace('/shoe"', '/sh\\u0000oe"'),
        ["table.toml", "devices.shoe"],
    ),
    "an unknown key": (
        lambda text: text.replace("[table]", '[table]\ncolour = "green"'),
        ["table.toml", "table.colour", "socket"],
    ),
    "bad TOML": (lambda text: text.replace("[table]", "[table"), ["table.toml", "line 1"]),
    "a state that cannot be": (
        lambda text: text.replace("state = ", 'state = "/dev/null/x" #'),
        ["table.state", "/dev/null/x"],
    ),
    "a state where nothing can be written": (
        lambda text: text.replace("state = ", 'state = "/proc" #'),
        ["/proc"],
    ),
    "a socket in a folder that is not there": (
        lambda text: text.replace("control.sock", "none/control.sock"),
        ["table.socket", "none/control.sock"],
    ),
    "a socket with too long a path": (
        lambda text: text.replace("control.sock", f"{'x' * 110}.sock"),
        ["table.socket", "xxx"],
    ),
    "a socket that is a folder": (
        lambda text: text.replace("/control.sock", ""),
        ["table.socket"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_configuration_that_cannot_be_used_is_told_in_one_line(
    folder: Path, refused: Refuse, name: str
) -> None:
    fault, words = FAULTS[name]
    said = refused(fault(config(folder, ports(folder))))

    assert [word for word in words if word not in said] == []


def test_a_configuration_that_is_not_there_is_told(folder: Path) -> None:
    done = tablekeeper("run", "--rehearsal", "--config", folder / "none.toml")

    assert "none.toml: there is no such file" in told(done, DO_NOT_START)


def test_a_file_in_the_way_of_the_socket_is_not_removed(folder: Path, refused: Refuse) -> None:
    precious = folder / "precious"
    precious.write_text("seven years of work")
    said = refused(config(folder, ports(folder)).replace("control.sock", "precious"))

    assert "table.socket" in said
    assert precious.read_text() == "seven years of work"


def test_a_state_that_is_not_ones_own_is_told(folder: Path, refused: Refuse) -> None:
    (folder / "state").mkdir(mode=0o500)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)  # only the state is somebody else's
    real = {"shoe": str(folder / "shoe"), "pedal": "usb"}
    said = refused(config(folder, real), before=as_ordinary_user())

    assert str(folder / "state") in said
    assert "not permitted" in said


def test_a_second_controller_is_told_who_holds_the_table(table: Running) -> None:
    table.deal()
    done = tablekeeper("run", "--rehearsal", "--config", table.config)

    assert str(table.controller.pid) in told(done, HELD)
    assert table.socket.exists()
    table.finish()


def start_again(table: Running) -> "subprocess.CompletedProcess[str]":
    return tablekeeper("run", "--rehearsal", "--config", table.config)


def test_an_altered_log_keeps_the_table_from_starting(table: Running) -> None:
    table.deal()
    table.stop()
    changed = table.rows("dealt")[-1]["seq"]
    forged.change_body(table.state, changed, "5D", "6D")

    said = told(start_again(table), DO_NOT_START)

    assert f"altered at event {changed}" in said
    assert "supervisor" in said


def test_a_log_behind_its_witness_keeps_the_table_from_starting(table: Running) -> None:
    table.deal()
    table.stop()
    last = table.rows()[-1]["seq"]
    forged.cut_off(table.state, last - 3)

    assert f"altered at event {last - 2}" in told(start_again(table), DO_NOT_START)


def test_a_log_that_is_gone_keeps_the_table_from_starting(table: Running) -> None:
    table.stop()
    for file in (table.state / "log").glob("day-*"):
        file.unlink()

    assert "the file is gone" in told(start_again(table), DO_NOT_START)


def test_a_file_that_is_no_log_keeps_the_table_from_starting(table: Running) -> None:
    table.stop()
    (database(table.state / "log")).write_bytes(b"no database at all\n" * 500)

    assert database(table.state / "log").name in told(start_again(table), DO_NOT_START)


def test_outcomes_that_are_decided_otherwise_now_keep_the_table_from_starting(
    table: Running,
) -> None:
    table.deal()
    table.stop()
    (dealt,) = [row for row in table.rows("dealt") if row["body"]["card"] == "5D"]

    def otherwise(content: Content) -> Content:
        if content.seq != dealt["seq"]:
            return content
        body = msgspec.Raw(canonical({**dealt["body"], "total": "25"}))
        return msgspec.structs.replace(content, body=body)

    forged.rewrite(table.state, otherwise)
    assert tablekeeper("log", "verify", table.state).returncode == 0

    said = told(start_again(table), DIFFERS)

    assert f"event {dealt['cause']} (card-out) was decided otherwise" in said
    assert '"total":"25"' in said
    assert '"total":"15"' in said


def test_an_unaltered_log_rewritten_word_for_word_starts(table: Running) -> None:
    """The forger's tools are sound: what is refused above is refused for the change alone."""
    table.deal()
    table.stop()
    before = rows_of(table.state)
    forged.rewrite(table.state, lambda content: content)
    assert rows_of(table.state) == before

    table.start()
    table.go_on()
    table.finish()


def test_the_program_needs_no_terminal_and_no_environment(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "controller", "--version"],
        capture_output=True,
        env={},
        timeout=PATIENCE,
        check=True,
        cwd=Path.cwd(),
    )

    assert done.stdout.strip()
