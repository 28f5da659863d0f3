"""Who may talk to the table is not who may open its devices."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.doctor import access
from controller.doctor.finding import Finding
from controller.doctor.machine import Machine
from controller.doctor.patient import Patient
from controller.doctor.user import table_user
from controller.settings import read_settings
from tests.controller.doctor.tree import Tree, serial
from tests.system.folder import short_folder

OWN = "tablekeeper:x:990:{}\n"
LINES = 4712
"""The number of a group."""
WATCH = "tablekeeper-watch:x:991:{}\n"


def found(tree: Tree, unit: dict[str, str] | None = None) -> list[Finding]:
    return list(access.check(Patient(tree.machine, None, unit or {}, None)))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_machine_without_the_service_has_no_groups_to_judge(tree: Tree) -> None:
    tree.user("dialout:x:20:tablekeeper\n")

    assert found(tree) == []


def test_nobody_but_the_service_in_the_group_of_the_devices(tree: Tree) -> None:
    tree.user(OWN.format("") + WATCH.format("ann,bob"))

    assert found(tree, {"Group": "tablekeeper-watch"}) == []


def test_who_is_in_the_group_of_the_devices_is_named_with_what_moves_them(tree: Tree) -> None:
    tree.user(OWN.format("ann,tablekeeper,bob") + WATCH.format("ann"))
    ann, bob = found(tree)

    assert (ann.level, bob.level) == ("warning", "warning")
    assert ann.what == "ann is in the group tablekeeper and may open the devices beside the table"
    assert bob.mend == (
        "sudo gpasswd --add bob tablekeeper-watch; sudo gpasswd --delete bob tablekeeper"
    )


@pytest.mark.parametrize(
    ("groups", "unit", "words"),
    [
        (OWN.format("ann"), {}, "not there"),
        (OWN.format("ann") + WATCH.format(""), {"Group": "tablekeeper"}, "not used"),
    ],
)
def test_an_installation_from_before_is_to_be_renewed(
    tree: Tree, groups: str, unit: dict[str, str], words: str
) -> None:
    tree.user(groups)
    (only,) = found(tree, unit)

    assert only.level == "trouble"
    assert only.what.endswith(f"the group tablekeeper-watch is {words}")
    assert only.mend == "sudo make install, in a checkout of tablekeeper"


def test_the_service_has_the_groups_of_its_unit(tree: Tree) -> None:
    tree.user("tablekeeper:x:4711:\n" + WATCH.format("") + "dialout:x:20:tablekeeper\n")
    unit = {"User": "tablekeeper", "Group": "tablekeeper-watch"}

    alone = table_user(tree.machine, unit)
    assert alone is not None
    assert alone.groups == {991, 20}
    both = table_user(tree.machine, unit | {"SupplementaryGroups": "tablekeeper"})
    assert both is not None
    assert both.groups == {991, 4711, 20}


# --- the socket -----------------------------------------------------------------------------------


@pytest.fixture
def line() -> Iterator[Path]:
    """A serial line."""
    near, far = os.openpty()
    yield Path(os.ttyname(far))
    os.close(near)
    os.close(far)


def looked_at(line: Path, mode: int, group: int) -> list[Finding]:
    """Look at a socket with the mode and group."""
    with short_folder() as folder, closing(socket.socket(socket.AF_UNIX)) as listening:
        place = folder / "state" / "control.sock"
        place.parent.mkdir()
        listening.bind(str(place))
        os.chown(place, -1, group)
        place.chmod(mode)
        file = Tree(folder).config(serial(str(line)), state=place.parent)
        settings = read_settings(file)
        unit: dict[str, str] = {}
        return [
            each
            for each in access.check(Patient(Machine(), settings, unit, None))
            if each.where == str(place)
        ]


def test_a_socket_that_anybody_may_open(line: Path) -> None:
    (only,) = looked_at(line, 0o666, os.getegid())

    assert only.level == "trouble"
    assert only.what.startswith("anybody may talk to the table (srw-rw-rw-")
    assert only.mend == f"sudo chmod 660 {only.where}"


def test_a_socket_in_the_group_of_a_configured_line(line: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to any group")
    os.chown(line, -1, LINES)
    line.chmod(0o660)
    (only,) = looked_at(line, 0o660, LINES)

    assert only.level == "trouble"
    assert only.what.startswith("who may talk to the table may open its devices, too (srw-rw----")
    assert looked_at(line, 0o600, LINES) == []
    assert looked_at(line, 0o660, LINES + 1) == []
