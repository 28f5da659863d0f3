"""USB autosuspend: a unit that was put to sleep loses the first press."""

from collections.abc import Iterator
from pathlib import Path

from controller.doctor.finding import Finding, warning
from controller.doctor.machine import Machine, text_of


def check(about: str, unit: Path, machine: Machine) -> Iterator[Finding]:
    """Yield that a USB unit, by its folder in sysfs, may be put to sleep."""
    control = unit / "power" / "control"
    if text_of(control) == "auto":
        where = machine.node(Path("/") / control.relative_to(machine.root)).named
        what = "the kernel may put it to sleep: the first press after a pause can be lost"
        yield warning(about, what, where, f"echo on | sudo tee {where}")
