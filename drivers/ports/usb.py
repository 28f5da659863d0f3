"""USB units that report like a keyboard, by way of pyusb; the backend is real or simulated.

The order is: find exactly one unit, take its interface from the kernel (so that no press reaches
the desktop), claim it, and give it back on every way out.  A configuration that is already active
is left alone, since setting it again fails on a unit in use.
"""

import errno
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import usb.core
import usb.util

from drivers.errors import LinkLost
from drivers.hid import KEYBOARD_REPORT, REPORT_LENGTH
from drivers.ports.holders import who_holds
from drivers.ports.refused import refusal_of, why_refused
from drivers.ports.spec import UsbSpec
from drivers.profiles import UsbProfile

CONTROL_WITHIN_MS = 500

_HID, _BOOT, _KEYBOARD = 3, 1, 1
_FROM_INTERFACE, _TO_INTERFACE = 0xA1, 0x21
_GET_REPORT, _SET_PROTOCOL = 0x01, 0x0B
_INPUT_REPORT, _BOOT_PROTOCOL = 0x01, 0


class UsbPort:
    """One interface of one USB unit."""

    def __init__(self, wanted: UsbSpec, profile: UsbProfile, backend: Callable[[], Any]) -> None:
        """Take what to look for and how to get a pyusb backend; touches nothing yet."""
        self._wanted = wanted
        self._profile = profile
        self._backend = backend
        self._device: Any = None
        self._endpoint: Any = None
        self._interface = 0
        self._detached = False
        self._halted = False
        self.identity = ""

    def open(self) -> None:
        """Find the unit and take its interface.

        Raises:
            LinkLost: no unit matches, several do, there is no right to it, or it is in use.

        """
        with self._lost_if_it_fails():
            self._device = self._the_only_one()
            self.identity = _describe(self._device)
            interface = self._reporting_interface(self._device)
            self._interface = interface.bInterfaceNumber
            self._endpoint = _input_endpoint(interface)
            if self._device.is_kernel_driver_active(self._interface):
                self._device.detach_kernel_driver(self._interface)
                self._detached = True
            usb.util.claim_interface(self._device, self._interface)
            if self._profile.boot_protocol:
                self._ask(_TO_INTERFACE, _SET_PROTOCOL, _BOOT_PROTOCOL, None)

    def read(self, timeout: float) -> bytes:
        """Return one report, or b"" if none comes within *timeout* seconds.

        Raises:
            LinkLost: the unit is gone or does not work.

        """
        milliseconds = max(1, math.ceil(timeout * 1000))  # 0 would mean for ever
        with self._lost_if_it_fails():
            if self._endpoint is None:
                raise LinkLost(f"{self.identity or 'the USB unit'} is closed")
            address, size = self._endpoint.bEndpointAddress, self._endpoint.wMaxPacketSize
            try:
                report = bytes(self._device.read(address, size, milliseconds))
            except usb.core.USBError as error:
                if error.errno == errno.ETIMEDOUT:
                    return b""
                if error.errno == errno.EPIPE and not self._halted:
                    self._halted = True
                    self._device.clear_halt(address)
                    return b""
                raise
        self._halted = False
        return report

    def write(self, data: bytes) -> None:
        """Refuse: none of these units takes anything.

        Raises:
            LinkLost: always.

        """
        raise LinkLost(f"{self.identity} takes no data, {len(data)} bytes were not sent")

    def initial(self) -> bytes | None:
        """Return the report of what is down at this moment, None if the unit does not say."""
        ids = (self._device.idVendor, self._device.idProduct)
        numbered = ids in self._profile.numbered
        report = KEYBOARD_REPORT if numbered else 0
        with self._lost_if_it_fails():
            return self._ask(
                _FROM_INTERFACE, _GET_REPORT, _INPUT_REPORT << 8 | report, REPORT_LENGTH + numbered
            )

    def close(self) -> None:
        """Give the interface back to the kernel and let go of the unit; never raises."""
        device, self._device, self._endpoint = self._device, None, None
        if device is None:
            return
        # The unit may be gone: each step is tried whatever became of the one before.
        with suppress(usb.core.USBError):
            usb.util.release_interface(device, self._interface)
        if self._detached:
            with suppress(usb.core.USBError):
                device.attach_kernel_driver(self._interface)
        with suppress(usb.core.USBError):
            usb.util.dispose_resources(device)

    def _the_only_one(self) -> Any:
        present = list(usb.core.find(find_all=True, backend=self._backend()))
        matching = [device for device in present if self._matches(device)]
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise LinkLost(
                f"{len(matching)} USB units match: {_list(matching)}; "
                "say which by its socket, as usb:VID:PID@BUS-PORT"
            )
        raise LinkLost(f"no USB unit matches; there are: {_list(present)}")

    def _matches(self, device: Any) -> bool:
        unit = (device.idVendor, device.idProduct)
        if self._wanted.socket is not None and socket_of(device) != self._wanted.socket:
            return False
        if self._wanted.unit is not None:
            return unit == self._wanted.unit
        if self._profile.ids:
            return unit in self._profile.ids
        return any(is_boot_keyboard(each) for configuration in device for each in configuration)

    def _reporting_interface(self, device: Any) -> Any:
        for interface in device.get_active_configuration():
            number = interface.bInterfaceNumber
            if self._profile.interface is None and is_boot_keyboard(interface):
                return interface
            if number == self._profile.interface and interface.bInterfaceClass == _HID:
                return interface
        raise LinkLost(f"{self.identity} has no interface that reports like a keyboard")

    def _ask(self, kind: int, request: int, value: int, data: int | None) -> bytes | None:
        """Make one control request; None if the unit does not know it."""
        try:
            answer = self._device.ctrl_transfer(
                kind, request, value, self._interface, data, CONTROL_WITHIN_MS
            )
        except usb.core.USBError as error:
            if error.errno in {errno.EPIPE, errno.ETIMEDOUT}:
                return None
            raise
        return bytes(answer) if data is not None else b""

    def _node(self) -> Path:
        return Path(f"/dev/bus/usb/{self._device.bus:03}/{self._device.address:03}")

    @contextmanager
    def _lost_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except (usb.core.USBError, usb.core.NoBackendError) as error:
            raise LinkLost(f"{self.identity or 'USB'}: {self._why(error)}") from error

    def _why(self, error: Exception) -> str:
        number = getattr(error, "errno", None)
        if number == errno.EIO and self._device is not None:
            number = refusal_of(self._node()) or number
        match number:
            case errno.ENODEV | errno.EIO | errno.EPROTO | errno.ENOENT:
                return "unplugged, or its cable is bad"
            case errno.EBUSY:
                return f"in use by {who_holds(self._node())} ({error})"
            case errno.EACCES | errno.EPERM:
                return why_refused(number)
            case errno.EPIPE:
                return "the unit refuses to report, also after its endpoint was cleared"
            case errno.EOVERFLOW:
                return "a report was longer than the unit announced"
            case _:
                return str(error)


def is_boot_keyboard(interface: Any) -> bool:
    """Tell whether a USB interface reports like a keyboard, in the way all of them share."""
    return (
        interface.bInterfaceClass,
        interface.bInterfaceSubClass,
        interface.bInterfaceProtocol,
    ) == (_HID, _BOOT, _KEYBOARD)


def _input_endpoint(interface: Any) -> Any:
    for endpoint in interface:
        if usb.util.endpoint_direction(endpoint.bEndpointAddress) == usb.util.ENDPOINT_IN:
            return endpoint
    raise LinkLost(f"interface {interface.bInterfaceNumber} has no endpoint to read from")


def socket_of(device: Any) -> str:
    """Return the socket that a USB unit is in: bus, then the chain of hub ports."""
    ports = ".".join(str(port) for port in device.port_numbers or ())
    return f"{device.bus}-{ports}"


def _describe(device: Any) -> str:
    return f"{device.idVendor:04x}:{device.idProduct:04x} at {socket_of(device)}"


def _list(devices: list[Any]) -> str:
    return ", ".join(_describe(device) for device in devices) or "none"
