"""The drop-in of the service's unit: what the table's settings ask of it, put in its place."""

import subprocess
from pathlib import Path
from typing import Final

from controller.bounded import HANGS_AFTER, within
from controller.doctor.machine import Machine
from controller.doctor.needs import DROP_IN, needs_of, text_of, why_hidden
from controller.errors import SettingsError
from controller.eventlog.files import sync_folder, write_durably
from controller.settings import USUAL_CONFIG, read_settings

_UNIT: Final = Path("/usr/lib/systemd/system/tablekeeper.service")
_SYSTEMD_RUNS: Final = Path("/run/systemd/system")
_READ_ANEW_WITHIN: Final = 60.0
"""Seconds that systemd has to read its units."""


def is_installed(machine: Machine) -> bool:
    """Tell whether the table is a service of this machine."""
    return machine.path(_UNIT).exists()


def fit(machine: Machine) -> list[str]:
    """Make the service's unit fit the table's settings; return what was done, in words.

    Raises:
        SettingsError: the settings have a fault, or the drop-in can't be written.
    """
    settings = read_settings(machine.path(USUAL_CONFIG))
    needs = within(HANGS_AFTER, lambda: needs_of(settings, machine), None)
    if needs is None:
        what = "its disk does not answer: unplug it, plug it in and mount it again"
        raise SettingsError(f"table.mirror = {settings.mirror}: {what}. The unit is as it was")
    said = []
    if settings.mirror is not None and (why := why_hidden(settings.mirror, machine)):
        said.append(f"table.mirror = {settings.mirror} cannot be written by the service: {why}")
    try:
        changed = _put(machine.path(DROP_IN), text_of(needs))
    except OSError as fault:
        raise SettingsError(f"{DROP_IN} cannot be written: {fault.strerror}; use sudo") from None
    if changed:
        said.append(f"{DROP_IN} is {changed}")
    return [*said, *_read_anew(machine)]


def _put(file: Path, text: str) -> str:
    """Write the file, or remove it where there is nothing to say; return what was done."""
    try:
        old = file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        old = ""
    if text == old:
        return ""
    if text:
        file.parent.mkdir(parents=True, exist_ok=True)
        sync_folder(file.parent.parent)
        write_durably(file, text.encode(), mode=0o644)
        return "written"
    file.unlink()
    sync_folder(file.parent)
    return "removed, for nothing of it is needed"


def _read_anew(machine: Machine) -> list[str]:
    """Have systemd read its units; return what is left to be done.

    It looks the devices up anew by that, too, and the running service is let in at once.
    """
    if machine.root != Path("/") or not _SYSTEMD_RUNS.is_dir():
        return []
    command = ("systemctl", "daemon-reload")
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_READ_ANEW_WITHIN)
    except (OSError, subprocess.SubprocessError):
        return [f"systemd has not read its units anew: sudo {' '.join(command)}"]
    return []
