"""A table PC is switched on, and the table has its devices, whenever they were plugged in.

Nothing here begins from a snapshot: what Debian has loaded by when is what it is about.
"""

from pathlib import Path

import pytest

from tests.appliance.table_pc import UNIT
from tests.pc.table import NAMES, Table


def plays(table: Table, folder: Path) -> None:
    """Every device is taken up, and a round is played to its end and recorded."""
    table.until_online(*NAMES)
    table.deal()
    table.finish()
    table.recorded(folder / "record")


@pytest.mark.parametrize("when", ["before it is switched on", "while it boots", "afterwards"])
def test_devices_are_taken_up_that_were_plugged_in(cold: Table, folder: Path, when: str) -> None:
    pc = cold.pc
    pc.power_on()
    # QEMU runs and the PC has done nothing of note so far; its USB comes much later.
    if when == "before it is switched on":
        cold.plug(*NAMES)
    pc.until_up()
    if when == "while it boots":
        cold.plug(*NAMES)
    if when == "afterwards":
        pc.run("systemctl", "start", UNIT)
        cold.until_gone(*NAMES)
        cold.plug(*NAMES)
    plays(cold, folder)
