"""A machine in a folder: what a container cannot show, written as the kernel and udev write it."""

import os
from collections.abc import Mapping
from pathlib import Path

from controller.doctor.examine import examine
from controller.doctor.finding import Finding
from controller.doctor.machine import Machine

SYS_USB = "sys/bus/usb/devices"
PEDAL = {"idVendor": "0c45", "idProduct": "7404", "busnum": "1", "devnum": "5"}
KEYBOARD = {"bInterfaceClass": "03", "bInterfaceSubClass": "01", "bInterfaceProtocol": "01"}


class Tree:
    """The folder that stands for ``/``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.machine = Machine(root)

    def write(self, path: str, text: str = "") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def link(self, path: str, to: str | Path) -> Path:
        link = self.root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(to)
        return link

    def process(self, pid: int, name: str, *has_open: str, command: str = "") -> None:
        """Let a process run."""
        self.write(f"proc/{pid}/comm", f"{name}\n")
        self.write(f"proc/{pid}/cmdline", (command or name).replace(" ", "\0"))
        (self.root / f"proc/{pid}/fd").mkdir()
        for number, path in enumerate(has_open):
            self.link(f"proc/{pid}/fd/{number}", path)

    def unit(self, name: str, attributes: Mapping[str, str], *, power: str = "on") -> None:
        """Plug a USB unit in."""
        for attribute, value in attributes.items():
            self.write(f"{SYS_USB}/{name}/{attribute}", f"{value}\n")
        self.write(f"{SYS_USB}/{name}/power/control", f"{power}\n")

    def user(self, groups: str = "", uid: int = 4711) -> None:
        """Let there be the table's user."""
        self.write("etc/passwd", f"root:x:0:0::/:\ntablekeeper:x:{uid}:{uid}::/:/bin/false\n")
        self.write("etc/group", groups)

    def config(self, devices: str, *, state: Path | None = None) -> Path:
        """Write a table's configuration."""
        table = '[table]\nname = "Test 1"\ngame = "pontoon-nsw"\n'
        where = state or self.root / "state"
        return self.write("table.toml", f'{table}state = "{where}"\n{devices}')

    def findings(self, devices: str, *, state: Path | None = None) -> list[Finding]:
        """Examine a table with these devices on this machine."""
        return examine(self.config(devices, state=state), self.machine)[1]


def serial(port: str, name: str = "shoe") -> str:
    return f'[devices.{name}]\ndriver = "angel-eye"\nport = "{port}"\n'


def usb(driver: str = "pcsensor", port: str = "usb", name: str = "pedal") -> str:
    return f'[devices.{name}]\ndriver = "{driver}"\nport = "{port}"\n'


def about(findings: list[Finding], what: str) -> list[tuple[str, str, str]]:
    """Return level, words and mend of everything that was said about something."""
    return [(each.level, each.what, each.mend) for each in findings if each.about == what]


def one(findings: list[Finding], what: str) -> tuple[str, str, str]:
    """Return the only thing that was said about something."""
    (found,) = about(findings, what)
    return found


def is_root() -> bool:
    return os.geteuid() == 0
