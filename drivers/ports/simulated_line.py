"""The host's end of a simulated USB unit's socket."""

import errno
import socket
import threading
import time
from collections import deque
from pathlib import Path

import msgspec
import usb.core

from drivers.ports import simulated_wire as say

ANSWER_WITHIN = 1.0
"""Seconds the unit has to answer; the same program may serve others in between."""

_CODES = {errno.EBUSY: -6, errno.ENODEV: -4, errno.EACCES: -3, errno.EPIPE: -9, errno.EOVERFLOW: -8}


class Line:
    """The connection: questions and answers, and the reports that come in between."""

    def __init__(self, path: Path) -> None:
        """Connect.

        Raises:
            OSError: nobody is there.

        """
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(ANSWER_WITHIN)
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._held = b""
        self._reports: deque[say.Report] = deque()
        # A reader and whoever closes may be in different threads.
        self._turn = threading.RLock()
        self._tellings = msgspec.json.Decoder(say.Telling)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def ask(self, question: say.Question) -> say.Answer:
        """Ask, and wait for the answer.

        Raises:
            USBError: unplugged, or no answer.

        """
        with self._turn:
            self._send(question)
            until = time.monotonic() + ANSWER_WITHIN
            while True:
                telling = self._next(until - time.monotonic())
                if telling is None:
                    raise usb_error(errno.EIO, "no answer from the simulator")
                if isinstance(telling, say.Answer):
                    return telling
                self._reports.append(telling)

    def next_report(self, timeout: float) -> say.Report:
        """Wait for a report, and say that it was taken.

        Raises:
            USBTimeoutError: none came within *timeout* seconds.
            USBError: unplugged.

        """
        with self._turn:
            telling: say.Telling | None
            telling = self._reports.popleft() if self._reports else self._next(timeout)
            if telling is None:
                raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
            if isinstance(telling, say.Answer):
                raise usb_error(errno.EPROTO, "an answer that nobody asked for")
            self._send(say.Took(telling.number))
            return telling

    def _send(self, question: say.Question) -> None:
        try:
            self._socket.settimeout(ANSWER_WITHIN)
            self._socket.sendall(msgspec.json.encode(question) + b"\n")
        except OSError as error:
            raise usb_error(errno.ENODEV, str(error)) from error

    def _next(self, timeout: float) -> say.Telling | None:
        """Return what is told next, None if nothing is within *timeout* seconds."""
        until = time.monotonic() + timeout
        while b"\n" not in self._held:
            left = until - time.monotonic()
            if left <= 0:
                return None
            try:
                self._socket.settimeout(left)
                more = self._socket.recv(say.LONGEST_LINE)
            except TimeoutError:
                return None
            except OSError as error:
                raise usb_error(errno.ENODEV, str(error)) from error
            if not more:
                raise usb_error(errno.ENODEV, "unplugged")
            self._held += more
        line, _, self._held = self._held.partition(b"\n")
        try:
            return self._tellings.decode(line)
        except msgspec.MsgspecError as error:
            raise usb_error(errno.EPROTO, f"the simulator said {line[:80]!r}: {error}") from error


def usb_error(number: int, why: str) -> usb.core.USBError:
    """Return pyusb's error with the number and code that libusb would give."""
    return usb.core.USBError(why, _CODES.get(number, -1), number)
