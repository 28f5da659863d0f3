"""Whatever stands in the machine's files, the doctor tells something and never breaks."""

import os
from pathlib import Path

import pytest

from tests.controller.doctor.tree import KEYBOARD, PEDAL, SYS_USB, Tree, serial, usb

JUNK = {
    "empty": b"",
    "no text": bytes(range(256)),
    "one word": b"x",
    "colons": b":::::::\n::\n:\n",
    "blanks": b"   \n \t \n - \n",
    "huge": b"9" * 100_000,
    "minus": b"-1",
}
FILES = (
    "etc/passwd",
    "etc/group",
    "etc/udev/rules.d/60-tablekeeper.rules",
    "proc/consoles",
    "proc/self/mountinfo",
    "proc/812/comm",
    "proc/812/cmdline",
    "sys/class/rtc/rtc0/since_epoch",
    f"{SYS_USB}/1-2/idVendor",
    f"{SYS_USB}/1-2/busnum",
    f"{SYS_USB}/1-2/devnum",
    f"{SYS_USB}/1-2/power/control",
    f"{SYS_USB}/1-3/1-3:1.0/bInterfaceClass",
)
DEVICES = serial("/dev/shoe") + usb() + usb("boot-keyboard", name="keys")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine that has something of everything."""
    tree = Tree(tmp_path)
    tree.user("dialout:x:20:tablekeeper\n")
    tree.link("dev/shoe", os.devnull)
    tree.process(812, "agetty", os.devnull)
    tree.unit("1-2", PEDAL)
    tree.unit("1-3", {**PEDAL, "idVendor": "04d9"})
    for name, value in KEYBOARD.items():
        tree.write(f"{SYS_USB}/1-3/1-3:1.0/{name}", value)
    return tree


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)
@pytest.mark.parametrize("file", FILES)
def test_junk_in_a_file_of_the_system(tree: Tree, file: str, junk: bytes) -> None:
    tree.write(file).write_bytes(junk)
    findings = tree.findings(DEVICES)

    assert {each.about for each in findings} >= {"programs", "udev", "disk", "clock", "service"}
    assert all(each.what for each in findings)


@pytest.mark.parametrize("file", FILES)
def test_a_folder_where_a_file_should_be(tree: Tree, file: str) -> None:
    (tree.root / file).unlink(missing_ok=True)
    (tree.root / file).mkdir(parents=True)

    assert {each.about for each in tree.findings(DEVICES)} >= {"programs", "disk", "service"}
