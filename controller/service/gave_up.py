"""The note that the service leaves beside the control socket when it gives up on its table.

``systemd/gave-up`` writes it in the dealer's words; ``watch`` shows it as long as the table is
away, and ``run`` takes it away when the table is open again.  It lies in /run: a machine that is
started anew tries anew.
"""

from pathlib import Path
from typing import Final

import structlog

NAME: Final = "gave-up"

log = structlog.get_logger()


def note_beside(socket: Path) -> str:
    """Return what was noted about the table of this socket; empty if the service has not given up.

    A note that this user may not read is as good as none.
    """
    try:
        return _place(socket).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def take_away(socket: Path) -> None:
    """Take the note away, and tell the journal what it said: the table is open again."""
    said = note_beside(socket)
    try:
        _place(socket).unlink(missing_ok=True)
    except OSError as fault:
        log.error("the note of giving up stays", path=str(_place(socket)), why=fault.strerror)
    if said:
        log.info("open again after the service had given up", said=said)


def _place(socket: Path) -> Path:
    return socket.with_name(NAME)
