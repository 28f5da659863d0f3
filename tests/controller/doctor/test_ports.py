"""Ports as a technician finds them: missing, not allowed, taken, asleep."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.controller.doctor.tree import KEYBOARD, PEDAL, SYS_USB, Tree, about, one, serial, usb
from tests.system.processes import PATIENCE, PROGRAM, tablekeeper
from tests.system.table import Running
from tests.system.user import as_ordinary_user

SIMULATED = "it is simulated: no real table is run on it"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine with the table's user, and nothing on it."""
    tree = Tree(tmp_path / "machine")
    tree.user()
    return tree


@pytest.fixture
def pty() -> Iterator[str]:
    """The node of a virtual line."""
    ours, theirs = os.openpty()
    yield os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


@contextlib.contextmanager
def held(node: str) -> Iterator[int]:
    """Let another process have a node open."""
    program = (
        f"import os; os.open({node!r}, os.O_RDWR | os.O_NOCTTY); print('open', flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        yield process.pid
    finally:
        process.communicate(b"\n")


def of_this_machine(folder: Path, devices: str, *before: str) -> list[dict[str, Any]]:
    """Return what the program says of the shoe's port on this very machine."""
    config = Tree(folder / "own").config(devices)
    done = subprocess.run(
        [*before, *PROGRAM, "doctor", "--json", "--config", config],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    findings = json.loads(done.stdout)["findings"]
    return [each for each in findings if each["about"] == "port shoe"]


# --- serial lines, real ones ----------------------------------------------------------------------


def test_a_real_program_that_has_the_port_open_is_named_and_how_to_end_it(
    tmp_path: Path, pty: str
) -> None:
    with held(pty) as pid:
        said = of_this_machine(tmp_path, serial(pty))

    (taken,) = (each for each in said if each["level"] == "trouble")
    assert f"({pid}) has it open" in taken["what"]
    assert (taken["where"], taken["mend"]) == (pty, f"sudo kill {pid}")


def test_the_far_end_of_a_virtual_line_does_not_take_it(tmp_path: Path, pty: str) -> None:
    said = of_this_machine(tmp_path, serial(pty))

    assert [(each["level"], each["what"]) for each in said] == [("warning", SIMULATED)]


def test_the_running_table_may_have_its_ports_open(table: Running) -> None:
    done = tablekeeper("doctor", "--json", "--config", table.config)
    findings = json.loads(done.stdout)["findings"]
    ports = [each for each in findings if each["about"].startswith("port ")]

    assert [(each["about"], each["level"], each["what"]) for each in ports] == [
        (f"port {name}", "warning", SIMULATED) for name in table.ports
    ]
    assert "a table answers all the same" in done.stdout


def test_a_port_that_the_user_may_not_open(tmp_path: Path, pty: str) -> None:
    Path(pty).chmod(0o400)
    said = of_this_machine(tmp_path, serial(pty), *as_ordinary_user())

    assert said[0]["level"] == "trouble"
    assert "may not open it (cr-------- " in said[0]["what"]
    assert "udev rules" in said[0]["mend"]


# --- serial lines, of another machine -------------------------------------------------------------


def test_nothing_plugged_in(tree: Tree) -> None:
    level, what, mend = one(tree.findings(serial("/dev/serial/by-path/x")), "port shoe")

    assert (level, what) == ("trouble", "nothing is plugged in there")
    assert "tablekeeper setup" in mend


def test_a_file_is_no_port(tree: Tree) -> None:
    tree.write("dev/shoe")

    assert one(tree.findings(serial("/dev/shoe")), "port shoe")[1] == "this is a file, not a port"


@pytest.mark.parametrize(
    ("mode", "groups", "level"),
    [
        (0o660, "dialout:x:{gid}:\n", "trouble"),
        (0o660, "dialout:x:{gid}:tablekeeper,other\n", "warning"),
        (0o660, "dialout:x:{gid}:tablekeepers\n", "trouble"),
        (0o640, "dialout:x:{gid}:tablekeeper\n", "trouble"),
        (0o606, "", "warning"),
    ],
)
def test_rights_are_those_of_the_tables_user_whoever_asks(
    tree: Tree, pty: str, mode: int, groups: str, level: str
) -> None:
    tree.user(groups.format(gid=Path(pty).stat().st_gid))
    Path(pty).chmod(mode)
    tree.link("dev/shoe", pty)
    found = about(tree.findings(serial("/dev/shoe")), "port shoe")

    assert found[0][0] == level, found
    if groups.endswith(":\n"):
        assert "tablekeeper may not open it" in found[0][1]
        assert found[0][2].startswith("sudo usermod -aG dialout tablekeeper")


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("ModemManager", "sudo systemctl disable --now ModemManager"),
        ("agetty", "sudo systemctl mask --now serial-getty@ttyUSB0.service"),
        ("brltty", "sudo apt remove brltty"),
        ("minicom", "sudo kill 812"),
    ],
)
def test_each_thief_has_its_cure(tree: Tree, pty: str, name: str, mend: str) -> None:
    tree.link("dev/serial/by-path/x", "../../ttyUSB0")
    tree.link("dev/ttyUSB0", pty)
    tree.process(812, name, pty)
    found = about(tree.findings(serial("/dev/serial/by-path/x")), "port shoe")

    expected = mend.replace("ttyUSB0", Path(pty).name) if name == "agetty" else mend
    assert ("trouble", f"{name} (812) has it open", expected) in found


def test_the_table_that_has_its_port_is_no_thief(tree: Tree, pty: str) -> None:
    tree.link("dev/shoe", pty)
    tree.process(812, "tablekeeper", pty, command="/opt/bin/tablekeeper run --config x")
    tree.process(813, "python3", pty, command="python3 -m controller run --config x")

    found = about(tree.findings(serial("/dev/shoe")), "port shoe")
    assert [what for _, what, _ in found if "open" in what and "may not" not in what] == []


def test_a_log_in_prompt_and_the_kernels_messages_are_found(tree: Tree, pty: str) -> None:
    name = Path(pty).name
    tree.link("dev/shoe", pty)
    tree.write("proc/consoles", f"tty0 -WU (EC p) 4:1\n{name} -W- (EC a) 4:64\n")
    wanted = f"etc/systemd/system/getty.target.wants/serial-getty@{name}.service"
    tree.link(wanted, "/usr/lib/systemd/system/serial-getty@.service")
    found = about(tree.findings(serial("/dev/shoe")), "port shoe")

    assert ("trouble", "a log-in prompt is started there") in [each[:2] for each in found]
    assert ("trouble", "the kernel writes its messages there") in [each[:2] for each in found]
    assert f"sudo systemctl mask --now serial-getty@{name}.service" in [each[2] for each in found]


def test_a_name_that_moves_is_told_with_the_one_that_stays(tree: Tree, pty: str) -> None:
    tree.link("dev/ttyUSB0", pty)
    tree.link("dev/serial/by-path/pci-usb-0:1:1.0-port0", pty)
    found = about(tree.findings(serial("/dev/ttyUSB0")), "port shoe")

    (moves,) = (each for each in found if "its name changes" in each[1])
    assert moves[0] == "warning"
    assert moves[2].endswith('port = "/dev/serial/by-path/pci-usb-0:1:1.0-port0"')


def test_an_adapter_that_may_be_put_to_sleep(tree: Tree, pty: str) -> None:
    name = Path(pty).name
    tree.link("dev/shoe", pty)
    unit = {"idVendor": "0403", "idProduct": "6001"}
    tree.unit("1-4", unit, power="auto")
    tree.write(f"{SYS_USB}/1-4/1-4:1.0/{name}/port")
    tree.link(f"sys/class/tty/{name}/device", tree.root / SYS_USB / "1-4" / "1-4:1.0" / name)
    found = about(tree.findings(serial("/dev/shoe")), "port shoe")

    (sleeps,) = (each for each in found if "sleep" in each[1])
    assert sleeps[0] == "warning"
    assert sleeps[2] == f"echo on | sudo tee /{SYS_USB}/1-4/power/control"


@pytest.mark.parametrize("serials", [("A1", "A1"), ("", ""), ("A1", "A2")])
def test_two_units_of_one_name_by_id_are_told_with_the_name_that_is_one_units_alone(
    tree: Tree, pty: str, serials: tuple[str, str]
) -> None:
    name = Path(pty).name
    for socket, serial_number in zip(("1-3", "1-4"), serials, strict=True):
        unit = {"idVendor": "0403", "idProduct": "6001", "product": "FT232R"}
        tree.unit(socket, unit | ({"serial": serial_number} if serial_number else {}))
    tree.write(f"{SYS_USB}/1-4/1-4:1.0/{name}/port")
    tree.link(f"sys/class/tty/{name}/device", tree.root / SYS_USB / "1-4" / "1-4:1.0" / name)
    by_id = "/dev/serial/by-id/usb-FTDI_FT232R_A1-if00-port0"
    tree.link(by_id[1:], pty)
    tree.link("dev/serial/by-path/pci-usb-0:4:1.0-port0", pty)
    found = about(tree.findings(serial(by_id)), "port shoe")

    told = [each for each in found if "1-3 and 1-4" in each[1]]
    assert len(told) == (serials[0] == serials[1])
    for level, _, mend in told:
        assert level == "trouble"
        assert mend.endswith('port = "/dev/serial/by-path/pci-usb-0:4:1.0-port0"')


# --- USB ------------------------------------------------------------------------------------------


def test_a_machine_that_shows_no_usb_is_not_judged(tree: Tree) -> None:
    assert one(tree.findings(usb()), "port pedal")[:2] == ("unseen", "this machine shows no USB")


def test_a_unit_that_is_there_and_one_that_is_not(tree: Tree) -> None:
    tree.unit("1-2", PEDAL)
    tree.write("dev/bus/usb/001/005").chmod(0o666)
    findings = tree.findings(usb() + usb("boot-keyboard", "usb:04d9:a02a", "keys"))

    assert one(findings, "port pedal") == ("ok", "plugged in, allowed, free", "")
    level, what, mend = one(findings, "port keys")
    assert (level, what) == ("trouble", "nothing of its kind is plugged in")
    assert "tablekeeper devices" in mend


def test_a_unit_that_is_not_allowed_and_sleeps(tree: Tree) -> None:
    tree.unit("1-2", PEDAL, power="auto")
    tree.write("dev/bus/usb/001/005").chmod(0o600)
    (rights, sleeps) = about(tree.findings(usb()), "port pedal")

    assert rights[0] == "trouble"
    assert "tablekeeper may not open it" in rights[1]
    assert sleeps[0] == "warning"
    assert sleeps[2] == f"echo on | sudo tee /{SYS_USB}/1-2/power/control"


def test_two_of_a_kind_have_to_be_told_apart(tree: Tree) -> None:
    tree.unit("1-2", PEDAL)
    tree.unit("1-3", {**PEDAL, "devnum": "6"})
    level, _, mend = one(tree.findings(usb()), "port pedal")

    assert level == "trouble"
    assert 'port = "usb:0c45:7404@1-2" or port = "usb:0c45:7404@1-3"' in mend
    tree.write("dev/bus/usb/001/006").chmod(0o666)
    assert one(tree.findings(usb(port="usb:0c45:7404@1-3")), "port pedal")[0] == "ok"


def test_any_keyboard_is_known_by_its_interface(tree: Tree) -> None:
    tree.unit("1-2", {**PEDAL, "idVendor": "04d9", "idProduct": "a02a"})
    keys = usb("boot-keyboard", name="keys")

    assert one(tree.findings(keys), "port keys")[0] == "trouble"
    for name, value in KEYBOARD.items():
        tree.write(f"{SYS_USB}/1-2/1-2:1.0/{name}", value)
    tree.write("dev/bus/usb/001/005").chmod(0o666)
    assert one(tree.findings(keys), "port keys")[0] == "ok"


def test_a_simulated_unit_is_no_device(tree: Tree) -> None:
    found = one(tree.findings(usb(port="simulated:/run/x.usb")), "port pedal")

    assert found[:2] == ("warning", SIMULATED)
