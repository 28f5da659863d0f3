"""Ports as they are spelled in the settings."""

from pathlib import Path

import pytest

from drivers.errors import OptionError
from drivers.ports import port_for
from drivers.ports.serial import SerialPort
from drivers.ports.simulated import SimulatedPort
from drivers.ports.spec import SerialSpec, SimulatedSpec, UsbSpec, parse_spec
from drivers.ports.usb import UsbPort


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("/dev/ttyS0", SerialSpec(Path("/dev/ttyS0"))),
        ("run/shoe", SerialSpec(Path("run/shoe"))),
        ("usb", UsbSpec()),
        ("usb:0c45:7404", UsbSpec((0x0C45, 0x7404))),
        ("usb:0C45:7404@1-2.3", UsbSpec((0x0C45, 0x7404), "1-2.3")),
        ("usb:0c45:7404@12-1", UsbSpec((0x0C45, 0x7404), "12-1")),
        ("simulated:/run/x.usb", SimulatedSpec(Path("/run/x.usb"))),
    ],
)
def test_a_port_is_read(text, spec) -> None:
    assert parse_spec(text) == spec


@pytest.mark.parametrize(
    "text",
    [
        *("", "shoe", "COM1", "USB", "usb:", "usb:c45:7404", "usb:0c45", "usb:0c45:7404@"),
        *("usb:0c45:7404@1/2", "usb@1-2", "simulated:"),
    ],
)
def test_what_is_no_port_is_refused_with_what_would_be(text) -> None:
    with pytest.raises(OptionError, match="path of a serial line, usb, usb:VID:PID"):
        parse_spec(text)


@pytest.mark.parametrize(
    ("text", "kind"), [("/dev/x", SerialPort), ("usb", UsbPort), ("simulated:x", SimulatedPort)]
)
def test_each_spelling_has_its_port_and_it_is_not_open(text, kind) -> None:
    port = port_for(text)

    assert type(port) is kind
    assert port.identity == ""
    port.close()
