"""What is plugged in: USB units as their descriptors show them, with our simulated devices inside.

A serial unit is the chip of a USB serial line; behind it is the pty of a simulated device.  A
pressed unit is a boot keyboard or pedal; behind it is the socket of a simulated one.
"""

import base64
import contextlib
import json
import os
import select
import socket
import struct
import termios
import threading
import tty
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

Tell = Callable[[int, bytes], bool]

STALL = None
"""What a unit does not know."""

BULK_KIND, INTERRUPT_KIND = 2, 3
IN = 0x80

GET_DESCRIPTOR, GET_STATUS, DEVICE = 6, 0, 1
CONFIGURATION, STRING = 2, 3
STANDARD, STANDARD_IN, STANDARD_OF_INTERFACE = 0x00, 0x80, 0x81


class Endpoint(NamedTuple):
    address: int
    kind: int
    size: int
    interval: int = 0
    interface: int = 0

    def descriptor(self) -> bytes:
        parts = (7, 5, self.address, self.kind, self.size, self.interval)
        return struct.pack("<BBBBHB", *parts)


class Unit:
    """What all USB units have."""

    vendor: int
    product: int
    version = 0x0400
    interfaces: Sequence[tuple[int, int, int]]
    """Class, subclass and protocol of each."""
    endpoints: Sequence[Endpoint]
    extra: bytes = b""
    """Descriptors of the first interface that belong to its class."""

    def __init__(self, maker: str, name: str, serial: str) -> None:
        self._words = (maker, name, serial)
        self._tell: Tell | None = None

    @property
    def interrupts(self) -> set[int]:
        """Endpoints that tell something unasked."""
        return {end.address for end in self.endpoints if end.kind == INTERRUPT_KIND}

    def begin(self, tell: Tell) -> None:
        """Be plugged in."""
        self._tell = tell

    def end(self) -> None:
        """Be pulled out."""
        self._tell = None

    def take(self, endpoint: int, data: bytes) -> None:
        """Take data from the host."""

    def control(self, how: int, request: int, value: int, index: int, data: bytes) -> bytes | None:
        """Answer a control transfer; `STALL` to one that is not known."""
        if how in {STANDARD_IN, STANDARD_OF_INTERFACE} and request == GET_DESCRIPTOR:
            return self.descriptor(value >> 8, value & 0xFF)
        if how & 0x60 == STANDARD:
            return b"\0\0"[: 2 if request == GET_STATUS else 0]
        return self.special(how, request, value, index, data)

    def special(self, how: int, request: int, value: int, index: int, data: bytes) -> bytes | None:
        """Answer a control transfer of the unit's class or maker."""
        return STALL

    def descriptor(self, kind: int, number: int) -> bytes | None:
        """Return a descriptor."""
        if kind == DEVICE:
            told = (18, 1, 0x0200, 0, 0, 0, 64, self.vendor, self.product, self.version, 1, 2, 3, 1)
            return struct.pack("<BBHBBBBHHHBBBB", *told)
        if kind == CONFIGURATION:
            return self._configuration()
        if kind == STRING and number <= len(self._words):
            text = self._words[number - 1].encode("utf-16-le") if number else b"\x09\x04"
            return bytes([2 + len(text), STRING]) + text
        return STALL

    def _configuration(self) -> bytes:
        body = b""
        for number, how in enumerate(self.interfaces):
            ends = [end for end in self.endpoints if end.interface == number]
            body += bytes([9, 4, number, 0, len(ends), *how, 0])
            body += self.extra if number == 0 else b""
            body += b"".join(end.descriptor() for end in ends)
        head = struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), len(self.interfaces), 1, 0, 0xA0, 50)
        return head + body


# --- serial lines ---------------------------------------------------------------------------------


class SerialUnit(Unit):
    """A chip between USB and a serial line, which is the pty of a simulated device."""

    OUT, BACK = 0x02, 0x81
    HEAD = b""
    """What each packet begins with."""

    def __init__(self, pty: Path, maker: str, name: str, serial: str) -> None:
        super().__init__(maker, name, serial)
        self._pty = pty
        self._line = -1
        self._stop: tuple[int, int] | None = None
        self._reader: threading.Thread | None = None
        self.is_open = False
        """Whether the host has opened the line: a device that nobody listens to is not heard."""

    def begin(self, tell: Tell) -> None:
        super().begin(tell)
        self.is_open = False
        self._line = os.open(self._pty, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line)
        settings = termios.tcgetattr(self._line)
        settings[4] = settings[5] = termios.B9600
        termios.tcsetattr(self._line, termios.TCSANOW, settings)
        self._stop = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def end(self) -> None:
        super().end()
        if self._stop is not None and self._reader is not None:
            os.close(self._stop[1])
            self._reader.join()
            os.close(self._stop[0])
            os.close(self._line)
        self._stop = None

    def _read(self) -> None:
        assert self._stop is not None
        held = b""
        while True:
            there, _, _ = select.select([self._line, self._stop[0]], [], [], 0.01 if held else None)
            if self._stop[0] in there:
                return
            if there:
                try:
                    held += os.read(self._line, 4096)
                except OSError:  # the device is gone; its chip stays
                    return
            if not self.is_open:
                held = b""
            while held and self._tell is not None:
                size = 64 - len(self.HEAD)
                if not self._tell(self.BACK, self.HEAD + held[:size]):
                    break
                held = held[size:]

    def take(self, endpoint: int, data: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self._line, data)


class Ftdi(SerialUnit):
    """An FT232 chip, as in most USB serial cables."""

    vendor, product = 0x0403, 0x6001
    interfaces = ((0xFF, 0xFF, 0xFF),)
    endpoints = (Endpoint(0x81, BULK_KIND, 64), Endpoint(0x02, BULK_KIND, 64))
    HEAD = b"\x31\x60"
    """Ready to be sent to, a device is there; nothing is wrong."""
    MODEM, STATUS, LATENCY = 1, 5, 10

    def __init__(self, pty: Path, serial: str) -> None:
        super().__init__(pty, "FTDI", "FT232R USB UART", serial)

    def special(self, how: int, request: int, value: int, index: int, data: bytes) -> bytes | None:
        if how & IN:
            return {self.STATUS: self.HEAD, self.LATENCY: b"\x10"}.get(request, b"\xff\xff")
        if request == self.MODEM and value & 0x0100:
            self.is_open = bool(value & 1)
        return b""


class Acm(SerialUnit):
    """A unit that is a modem to USB (CDC ACM), as many that have USB themselves."""

    vendor, product = 0x2341, 0x0043
    interfaces = ((2, 2, 1), (10, 0, 0))
    endpoints = (
        Endpoint(0x83, INTERRUPT_KIND, 8, 16),
        Endpoint(0x81, BULK_KIND, 64, 0, 1),
        Endpoint(0x02, BULK_KIND, 64, 0, 1),
    )
    extra = bytes.fromhex("0524001001 0524010001 04240202 0524060001")
    GET_LINE, SET_STATE = 0x21, 0x22

    def __init__(self, pty: Path, serial: str) -> None:
        super().__init__(pty, "Maker", "Serial unit", serial)

    def special(self, how: int, request: int, value: int, index: int, data: bytes) -> bytes | None:
        if request == self.GET_LINE:
            return struct.pack("<IBBB", 9600, 0, 0, 8)
        if request == self.SET_STATE:
            self.is_open = bool(value & 1)
        return b""


# --- what is pressed ------------------------------------------------------------------------------


class Pressed(Unit):
    """A boot keyboard, or a pedal that says it is one, which is the socket of a simulated one."""

    interfaces = ((3, 1, 1),)
    endpoints = (Endpoint(0x81, INTERRUPT_KIND, 8, 10),)
    REPORT = bytes.fromhex(
        "05010906a101050719e029e71500250175019508810295017508810195057501050819012905910295017503"
        "910195067508150025650507190029658100c0"
    )
    extra = bytes([9, 0x21, 0x11, 0x01, 0, 1, 0x22]) + struct.pack("<H", len(REPORT))
    REPORT_DESCRIPTOR, HID_DESCRIPTOR = 0x22, 0x21
    GET_REPORT = 0x01

    def __init__(self, path: Path, vendor: int, product: int, name: str) -> None:
        super().__init__("Maker", name, "1")
        self.vendor, self.product = vendor, product
        self._path = path
        self._socket: socket.socket | None = None
        self._report = bytes(8)

    def begin(self, tell: Tell) -> None:
        super().begin(tell)
        self._report = bytes(8)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(self._path))
        self._ask({"ask": "kernel-driver", "then": "detach"})
        self._ask({"ask": "claim"})
        threading.Thread(target=self._read, args=(self._socket,), daemon=True).start()

    def end(self) -> None:
        super().end()
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()

    def _ask(self, question: dict[str, object]) -> None:
        assert self._socket is not None
        self._socket.sendall(json.dumps(question).encode() + b"\n")

    def _read(self, there: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), there.makefile("rb") as lines:
            for line in lines:
                told = json.loads(line)
                if told["tell"] == "report" and told.get("data") and self._tell is not None:
                    self._report = base64.b64decode(told["data"])
                    self._tell(0x81, self._report)
                    self._ask({"ask": "took", "number": told["number"]})

    def descriptor(self, kind: int, number: int) -> bytes | None:
        if kind == self.REPORT_DESCRIPTOR:
            return self.REPORT
        if kind == self.HID_DESCRIPTOR:
            return self.extra
        return super().descriptor(kind, number)

    def special(self, how: int, request: int, value: int, index: int, data: bytes) -> bytes | None:
        return self._report if how & IN and request == self.GET_REPORT else b""
