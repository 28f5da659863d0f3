"""What a service tells systemd: that it is open, how it does, that it lives, that it ends.

One datagram of ``KEY=value`` lines each, to the socket that systemd names in the environment
(sd_notify(3)).  Started by hand there is no such socket, and nothing is told.
"""

import os
import socket
from collections.abc import Mapping
from typing import Final, Self

import structlog

MICROSECONDS: Final = 1_000_000

log = structlog.get_logger()


class Systemd:
    """The service manager that started this process, if one did."""

    def __init__(self, address: str = "", watchdog: float | None = None) -> None:
        """Take the socket's address ("" for nobody) and the watchdog's time in seconds."""
        self._address = address.replace("@", "\0", 1) if address.startswith("@") else address
        self.watchdog = watchdog
        """Seconds without a sign of life after which this process is ended; None for never."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Return the service manager that the environment names."""
        watchdog = None
        # Another process's watchdog, inherited by mistake, is not ours to feed.
        if environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid()):
            micro = environment.get("WATCHDOG_USEC", "")
            watchdog = int(micro) / MICROSECONDS if micro.isdigit() and int(micro) else None
        return cls(environment.get("NOTIFY_SOCKET", ""), watchdog)

    def ready(self) -> None:
        """Tell that the table is open."""
        self._tell("READY=1")

    def alive(self) -> None:
        """Tell that the table lives: the watchdog waits anew."""
        self._tell("WATCHDOG=1")

    def status(self, words: str) -> None:
        """Tell in one line how the table does, for ``systemctl status``."""
        self._tell(f"STATUS={' '.join(words.split())}")

    def still_starting(self, seconds: float) -> None:
        """Ask for so many seconds more to start."""
        self._tell(f"EXTEND_TIMEOUT_USEC={round(seconds * MICROSECONDS)}")

    def stopping(self) -> None:
        """Tell that the table is being closed."""
        self._tell("STOPPING=1")

    def _tell(self, line: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
                to.setblocking(False)  # noqa: FBT003 - as the library has it
                to.sendto(line.encode(), self._address)
        except OSError as fault:
            # A manager that does not listen is not the table's trouble; the next line may pass.
            log.warning("systemd was not told", line=line, why=fault.strerror)
