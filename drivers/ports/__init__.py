"""Ports: the way to a device, chosen by how the settings spell it (see `drivers.ports.spec`)."""

from drivers.ports import libusb
from drivers.ports.port import Port
from drivers.ports.serial import SerialPort
from drivers.ports.simulated import SimulatedPort
from drivers.ports.spec import SerialSpec, SimulatedSpec, UsbSpec, parse_spec
from drivers.ports.usb import UsbPort
from drivers.profiles import LineProfile, UsbProfile

__all__ = ["Port", "open_port", "port_for"]


def port_for(spec: str, line: LineProfile | None = None, usb: UsbProfile | None = None) -> Port:
    """Return the port that *spec* names, not opened yet.

    *line* is for serial lines, *usb* says which USB units will do.

    Raises:
        OptionError: *spec* is not understood.

    """
    units = usb or UsbProfile()
    match parse_spec(spec):
        case SerialSpec(path):
            return SerialPort(path, line or LineProfile())
        case SimulatedSpec(path):
            return SimulatedPort(path, units)
        case UsbSpec() as wanted:

            def backend() -> object:
                libusb.require_present(wanted, units)
                return libusb.fresh_backend()

            return UsbPort(wanted, units, backend)


def open_port(spec: str, line: LineProfile | None = None, usb: UsbProfile | None = None) -> Port:
    """Return the port that *spec* names, open; may block for a second or two.

    Raises:
        OptionError: *spec* is not understood.
        LinkLost: it cannot be opened; says why and what to do.

    """
    port = port_for(spec, line, usb)
    try:
        port.open()
    except BaseException:
        port.close()
        raise
    return port
