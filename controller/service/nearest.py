"""Where a table of this machine is found by whoever names none: the service's, else the demo's."""

import os
from pathlib import Path

from controller.settings import USUAL_SOCKET


def demo_folder() -> Path:
    """Return the state folder of this user's demo; its socket is made beside its state."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "tablekeeper" / "demo"


def nearest_socket() -> Path:
    """Return the control socket of this machine's table, or of the demo if there is none."""
    return USUAL_SOCKET if USUAL_SOCKET.exists() else demo_folder() / "control.sock"
