"""A USB unit that is plugged into a table PC from here: the unit's end of the usbredir protocol.

The connection is the cable: it is made when the unit is plugged in, and closed when it is pulled.
Names and numbers are those of usbredir's protocol description (usbredirproto.h); QEMU is the
``usb-guest``, this is the ``usb-host``.
"""

import contextlib
import socket
import struct
import threading
from collections import defaultdict, deque
from pathlib import Path
from typing import Self

from tests.pc.units import STALL, Unit

HELLO, CONNECT = 0, 1
INTERFACE_INFO, EP_INFO = 4, 5
SET_CONFIGURATION, GET_CONFIGURATION, CONFIGURATION_STATUS = 6, 7, 8
SET_ALT_SETTING, GET_ALT_SETTING, ALT_SETTING_STATUS = 9, 10, 11
START_INTERRUPT, STOP_INTERRUPT, INTERRUPT_STATUS = 15, 16, 17
CANCEL = 21
CONTROL, BULK, INTERRUPT = 100, 101, 103

CAPABILITIES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 6
"""The device's version is in CONNECT; the packets' sizes are in EP_INFO; numbers have 64 bits, and
the length of bulk data has 32.  QEMU wants all but the first of them for a unit at an xHCI."""

FULL_SPEED = 1
OK, CANCELLED, STALLED = 0, 1, 4

_HELLO_HEADER = struct.Struct("<III")
_HEADER = struct.Struct("<IIQ")
_CONTROL = struct.Struct("<BBBBHHH")
_BULK = struct.Struct("<BBHIH")
_INTERRUPT = struct.Struct("<BBH")

IN = 0x80
MOST = 32
NONE = 255


class Plugged:
    """A unit in a USB socket of a PC, until it is pulled; a context manager."""

    def __init__(self, path: Path, unit: Unit) -> None:
        self.unit = unit
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._lock = threading.RLock()
        self._asked: dict[int, deque[tuple[int, int]]] = defaultdict(deque)
        """Reads of the host that wait for data, by endpoint: number and most bytes."""
        self._number = 0
        hello = b"tests".ljust(64, b"\0") + struct.pack("<I", CAPABILITIES)
        self._socket.sendall(_HELLO_HEADER.pack(HELLO, len(hello), 0) + hello)
        self._show()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        unit.begin(self.tell)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_what: object) -> None:
        self.pull()

    def pull(self) -> None:
        """Pull the cable."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._socket.close()
        self.unit.end()

    def tell(self, endpoint: int, data: bytes) -> bool:
        """Send data from the unit; return whether the host had asked for it."""
        with self._lock, contextlib.suppress(OSError):
            if endpoint in self.unit.interrupts:
                self._number += 1
                packet = _INTERRUPT.pack(endpoint, OK, len(data)) + data
                self._say(INTERRUPT, self._number, packet)
                return True
            if self._asked[endpoint]:
                number, _ = self._asked[endpoint].popleft()
                self._say(BULK, number, _BULK.pack(endpoint, OK, len(data), 0, 0) + data)
                return True
        return False

    def _show(self) -> None:
        unit = self.unit
        count = len(unit.interfaces)
        numbers = [
            bytes(range(count)),
            *(bytes(column) for column in zip(*unit.interfaces, strict=True)),
        ]
        info = b"".join(column.ljust(MOST, b"\0") for column in numbers)
        self._say(INTERFACE_INFO, 0, struct.pack("<I", count) + info)
        kinds, intervals, owners, sizes = [NONE] * MOST, [0] * MOST, [0] * MOST, [0] * MOST
        kinds[0] = kinds[IN >> 3] = 0
        for end in unit.endpoints:
            at = (end.address & IN) >> 3 | end.address & 0x0F
            kinds[at], intervals[at], owners[at] = end.kind, end.interval, end.interface
            sizes[at] = end.size
        self._say(EP_INFO, 0, bytes(kinds + intervals + owners) + struct.pack("<32H", *sizes))
        numbers_of = (unit.vendor, unit.product, unit.version)
        self._say(CONNECT, 0, struct.pack("<BBBBHHH", FULL_SPEED, 0, 0, 0, *numbers_of))

    # --- what the host asks -----------------------------------------------------------------------

    def _say(self, kind: int, number: int, data: bytes = b"") -> None:
        with self._lock:
            self._socket.sendall(_HEADER.pack(kind, len(data), number) + data)

    def _read(self) -> None:
        with contextlib.suppress(OSError, EOFError):
            _, length, _ = _HELLO_HEADER.unpack(self._exactly(_HELLO_HEADER.size))
            self._exactly(length)
            while True:
                kind, length, number = _HEADER.unpack(self._exactly(_HEADER.size))
                data = self._exactly(length)
                with self._lock:
                    self._answer(kind, number, data)

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            more = self._socket.recv(length - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def _answer(self, kind: int, number: int, data: bytes) -> None:
        match kind:
            case _ if kind == SET_CONFIGURATION:
                self._say(CONFIGURATION_STATUS, number, bytes([OK, data[0]]))
            case _ if kind == GET_CONFIGURATION:
                self._say(CONFIGURATION_STATUS, number, bytes([OK, 1]))
            case _ if kind == SET_ALT_SETTING:
                self._say(ALT_SETTING_STATUS, number, bytes([OK, data[0], data[1]]))
            case _ if kind == GET_ALT_SETTING:
                self._say(ALT_SETTING_STATUS, number, bytes([OK, data[0], 0]))
            case _ if kind in {START_INTERRUPT, STOP_INTERRUPT}:
                self._say(INTERRUPT_STATUS, number, bytes([OK, data[0]]))
            case _ if kind == CANCEL:
                self._cancel(number)
            case _ if kind == CONTROL:
                self._control(number, data)
            case _ if kind == BULK:
                self._bulk(number, data)
            case _ if kind == INTERRUPT:
                endpoint = data[0]
                self.unit.take(endpoint, data[_INTERRUPT.size :])
                self._say(INTERRUPT, number, _INTERRUPT.pack(endpoint, OK, 0))

    def _cancel(self, number: int) -> None:
        for endpoint, asked in self._asked.items():
            for each in list(asked):
                if each[0] == number:
                    asked.remove(each)
                    self._say(BULK, number, _BULK.pack(endpoint, CANCELLED, 0, 0, 0))

    def _control(self, number: int, data: bytes) -> None:
        endpoint, request, how, _, value, index, length = _CONTROL.unpack_from(data)
        told = self.unit.control(how, request, value, index, data[_CONTROL.size :])
        status = STALLED if told is STALL else OK
        back = (told or b"")[:length] if how & IN else b""
        done = len(back) if how & IN else length
        head = _CONTROL.pack(endpoint, request, how, status, value, index, done)
        self._say(CONTROL, number, head + back)

    def _bulk(self, number: int, data: bytes) -> None:
        endpoint, _, length, _, _ = _BULK.unpack_from(data)
        if endpoint & IN:
            self._asked[endpoint].append((number, length))
        else:
            self.unit.take(endpoint, data[_BULK.size :])
            self._say(BULK, number, _BULK.pack(endpoint, OK, length, 0, 0))
