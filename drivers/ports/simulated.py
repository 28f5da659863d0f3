"""A pyusb backend whose only unit is a simulated one behind a unix socket.

Everything above it, pyusb included, runs as with a real unit.
"""

import array
import errno
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import usb.backend
import usb.core

from drivers.ports import simulated_wire as say
from drivers.ports.simulated_line import Line, usb_error
from drivers.ports.spec import UsbSpec
from drivers.ports.usb import UsbPort
from drivers.profiles import UsbProfile


class SimulatedBackend(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """One socket, at most one unit; made anew for each attempt to open it."""

    def __init__(self, path: Path) -> None:
        """Take the path of the socket; connects when the units are counted."""
        self._path = path
        self._line: Line | None = None
        self._unit: say.Description | None = None

    # The names and parameters below are pyusb's.
    def enumerate_devices(self) -> Iterator[say.Description]:
        """Yield the unit if it is plugged in."""
        try:
            self._line = Line(self._path)
        except (FileNotFoundError, ConnectionRefusedError):
            return
        except OSError as error:
            raise usb.core.USBError(f"{self._path}: {error}", -1, error.errno) from error
        self._unit = self._ask(say.Describe()).description
        if self._unit is not None:
            yield self._unit

    def get_parent(self, dev: say.Description) -> None:
        """Return None: it hangs on no hub."""

    def get_device_descriptor(self, dev: say.Description) -> SimpleNamespace:
        """Return the device descriptor, with the place in the tree."""
        return SimpleNamespace(
            bLength=18,
            bDescriptorType=1,
            bcdUSB=0x0110,
            bDeviceClass=0,
            bDeviceSubClass=0,
            bDeviceProtocol=0,
            bMaxPacketSize0=8,
            idVendor=dev.vendor,
            idProduct=dev.product,
            bcdDevice=0x0100,
            iManufacturer=0,
            iProduct=0,
            iSerialNumber=0,
            bNumConfigurations=1,
            address=dev.address,
            bus=dev.bus,
            port_number=dev.ports[-1],
            port_numbers=dev.ports,
            speed=1,
        )

    def get_configuration_descriptor(self, dev: say.Description, config: int) -> SimpleNamespace:
        """Return the only configuration."""
        _only(config)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=2,
            wTotalLength=34,
            bNumInterfaces=1,
            bConfigurationValue=1,
            iConfiguration=0,
            bmAttributes=0x80,
            bMaxPower=50,
            extra_descriptors=[],
        )

    def get_interface_descriptor(
        self, dev: say.Description, intf: int, alt: int, config: int
    ) -> SimpleNamespace:
        """Return the only interface."""
        _only(intf, alt, config)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=4,
            bInterfaceNumber=dev.interface,
            bAlternateSetting=0,
            bNumEndpoints=1,
            bInterfaceClass=3,
            bInterfaceSubClass=dev.subclass,
            bInterfaceProtocol=dev.protocol,
            iInterface=0,
            extra_descriptors=[],
        )

    def get_endpoint_descriptor(
        self, dev: say.Description, ep: int, intf: int, alt: int, config: int
    ) -> SimpleNamespace:
        """Return the only endpoint."""
        _only(ep, intf, alt, config)
        return SimpleNamespace(
            bLength=7,
            bDescriptorType=5,
            bEndpointAddress=dev.endpoint,
            bmAttributes=3,
            wMaxPacketSize=dev.packet,
            bInterval=10,
            bRefresh=0,
            bSynchAddress=0,
            extra_descriptors=[],
        )

    def open_device(self, dev: say.Description) -> say.Description:
        """Return the unit itself as its handle."""
        return dev

    def close_device(self, dev_handle: say.Description) -> None:
        """Hang up."""
        self.hang_up()

    def hang_up(self) -> None:
        """Close the connection, if there is one."""
        if self._line is not None:
            self._line.close()

    def get_configuration(self, dev_handle: say.Description) -> int:
        """Return the configuration that is always active."""
        return 1

    def claim_interface(self, dev_handle: say.Description, intf: int) -> None:
        """Take the interface."""
        self._ask(say.Claim())

    def release_interface(self, dev_handle: say.Description, intf: int) -> None:
        """Give the interface up."""
        self._ask(say.Release())

    def is_kernel_driver_active(self, dev_handle: say.Description, intf: int) -> bool:
        """Tell whether the kernel holds the interface."""
        return bool(self._ask(say.KernelDriver("look")).value)

    def detach_kernel_driver(self, dev_handle: say.Description, intf: int) -> None:
        """Make the kernel let go."""
        self._ask(say.KernelDriver("detach"))

    def attach_kernel_driver(self, dev_handle: say.Description, intf: int) -> None:
        """Give the interface back to the kernel."""
        self._ask(say.KernelDriver("attach"))

    def clear_halt(self, dev_handle: say.Description, ep: int) -> None:
        """Clear the endpoint's halt."""
        self._ask(say.ClearHalt())

    def intr_read(
        self,
        dev_handle: say.Description,
        ep: int,
        intf: int,
        buff: "array.array[int]",
        timeout: int,
    ) -> int:
        """Wait for one report."""
        report = self._connected().next_report(timeout / 1000)
        if report.errno:
            raise usb_error(report.errno, "simulated")
        if len(report.data) > len(buff):
            raise usb_error(errno.EOVERFLOW, "simulated")
        buff[: len(report.data)] = array.array("B", report.data)
        return len(report.data)

    def ctrl_transfer(
        self,
        dev_handle: say.Description,
        bmRequestType: int,  # noqa: N803
        bRequest: int,  # noqa: N803
        wValue: int,  # noqa: N803
        wIndex: int,  # noqa: N803
        data: "array.array[int]",
        timeout: int,
    ) -> int:
        """Make a control request; only reading brings data."""
        question = say.Control(bmRequestType, bRequest, wValue, wIndex, len(data))
        answer = self._ask(question).data[: len(data)]
        data[: len(answer)] = array.array("B", answer)
        return len(answer)

    def _connected(self) -> Line:
        if self._line is None:
            raise usb_error(errno.ENODEV, "not connected")
        return self._line

    def _ask(self, question: say.Question) -> say.Answer:
        answer = self._connected().ask(question)
        if answer.errno:
            raise usb_error(answer.errno, answer.why)
        return answer


class SimulatedPort(UsbPort):
    """The port of a simulated unit."""

    def __init__(self, path: Path, profile: UsbProfile) -> None:
        """Take the path of the socket and what the driver understands."""
        self._path = path
        self._simulated = SimulatedBackend(path)
        super().__init__(UsbSpec(), profile, lambda: self._simulated)

    def _node(self) -> Path:
        return self._path

    def close(self) -> None:
        """Let go of the unit and hang up."""
        super().close()
        self._simulated.hang_up()


def _only(*indexes: int) -> None:
    # pyusb counts up until this.
    if any(indexes):
        raise IndexError
