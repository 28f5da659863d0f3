"""What is examined, as far as it is known before anything is looked at."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from controller.doctor.machine import Machine
from controller.doctor.user import User
from controller.settings import USUAL_STATE, TableSettings

UNIT: Final = "tablekeeper.service"


class Patient(NamedTuple):
    """A table's machine."""

    machine: Machine
    settings: TableSettings | None
    """None if there is no configuration that can be read."""
    unit: Mapping[str, str]
    """What systemd knows of the table's unit; empty if it cannot be asked."""
    user: User | None
    """Whom the table runs as; None if that would be root."""

    @property
    def state(self) -> Path:
        """The table's state folder."""
        return USUAL_STATE if self.settings is None else self.settings.state

    def is_the_table(self, pid: int) -> bool:
        """Tell whether a process is the running table itself."""
        if self.unit.get("MainPID") == str(pid) != "0":
            return True
        words = self.machine.command_line(pid).split()
        ours = any(Path(word).name == "tablekeeper" or word == "controller" for word in words[:3])
        return ours and "run" in words[1:5]
