"""What is plugged in: seen without being opened, and by the name that stays."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import usb.core
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from drivers.errors import LinkLost
from drivers.matching import is_doubtful
from drivers.ports import libusb
from drivers.ports.plugged import serial_ports, simulated, usb_units
from drivers.ports.simulated import SimulatedBackend
from drivers.ports.simulated_wire import Description
from drivers.ports.spec import SerialSpec


def test_simulated_devices_are_seen_as_they_come_and_go(bench, tmp_path: Path) -> None:
    folder = tmp_path / "bench"

    def seen() -> dict[str, tuple[str, str, bool]]:
        return {each.port: (each.kind, each.unit, each.keyboard) for each in simulated(folder)}

    pedal, keys = (bench.port(name) for name in ("pedal", "keys"))
    assert seen() == {
        bench.port("shoe"): ("serial", "", False),
        pedal: ("usb", "0c45:7404", True),
        keys: ("usb", "1209:0001", True),
    }
    bench.ask("unplug", device="shoe")
    bench.ask("unplug", device="pedal")
    assert set(seen()) == {keys}
    bench.ask("plug", device="pedal")
    assert set(seen()) == {keys, pedal}


def test_looking_opens_nothing(bench, tmp_path: Path) -> None:
    simulated(tmp_path / "bench")
    devices = bench.ask("status")["devices"]

    assert [devices[name]["host"] for name in ("pedal", "keys")] == [False, False]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LinkLost, match="No such file"):
        simulated(tmp_path / "none")


class Bus(SimulatedBackend):
    """A bus with one simulated unit and its doubles in other sockets."""

    def __init__(self, path: Path, *others: tuple[int, ...]) -> None:
        super().__init__(path)
        self._others = others

    def enumerate_devices(self) -> Iterator[Description]:
        for unit in super().enumerate_devices():
            yield unit
            for ports in self._others:
                yield msgspec.structs.replace(unit, ports=ports)


@pytest.mark.parametrize(
    ("others", "ports"),
    [
        ((), {"usb:0c45:7404": "1-1"}),
        (((2, 3),), {"usb:0c45:7404@1-1": "1-1", "usb:0c45:7404@1-2.3": "1-2.3"}),
    ],
)
def test_a_unit_is_spelled_by_its_socket_only_where_it_has_a_double(
    bench, monkeypatch, tmp_path: Path, others, ports
) -> None:
    path = Path(bench.port("pedal").removeprefix("simulated:"))
    bus = Bus(path, *others)
    monkeypatch.setattr(libusb, "fresh_backend", lambda: bus)
    monkeypatch.setattr(libusb, "SYSFS", tmp_path)
    (tmp_path / "1-1").mkdir()
    (tmp_path / "1-1" / "product").write_text("Foot\x07Switch\n")
    found = usb_units()
    bus.hang_up()

    assert {each.port: each.socket for each in found} == ports
    assert [each.what for each in found if each.socket == "1-1"] == ["Foot\x07Switch"]
    assert all(each.node == "/dev/bus/usb/001/005" and each.keyboard for each in found)


def test_usb_that_cannot_be_looked_at_is_said(monkeypatch) -> None:
    def broken() -> None:
        raise usb.core.NoBackendError("libusb cannot be loaded")

    monkeypatch.setattr(libusb, "fresh_backend", broken)
    with pytest.raises(LinkLost, match="USB cannot be looked at: libusb cannot be loaded"):
        usb_units()


def test_a_serial_port_is_spelled_by_the_name_that_stays(monkeypatch, tmp_path: Path) -> None:
    adapter, plain = tmp_path / "ttyUSB0", tmp_path / "ttyS0"
    by_path = tmp_path / "by-path"
    by_path.mkdir()
    for name in ("pci-0-usb-0:1:1.0-port0", "pci-0-usbv2-0:1:1.0-port0"):
        (by_path / name).symlink_to("../ttyUSB0")
    usb_info = ListPortInfo(str(adapter))
    usb_info.vid, usb_info.pid, usb_info.location = 0x0403, 0x6001, "1-4:1.0"
    usb_info.manufacturer, usb_info.product = "FTDI", "FT232R"
    for node in (adapter, plain):
        node.touch()
    monkeypatch.setattr(list_ports, "comports", lambda: [usb_info, ListPortInfo(str(plain))])
    second, first = serial_ports(by_path)

    assert first.port == str(by_path / "pci-0-usb-0:1:1.0-port0")
    assert (first.node, first.unit, first.socket) == (str(adapter), "0403:6001", "1-4")
    assert first.what == "FTDI FT232R"
    assert (second.port, second.unit, second.what) == (str(plain), "", "")


@pytest.mark.parametrize(
    ("serials", "lines", "shared"),
    [
        (("A1", "A1"), ("1-3:1.0", "1-4:1.0"), True),
        ((None, None), ("1-3:1.0", "1-4:1.0"), True),
        (("A1", "A2"), ("1-3:1.0", "1-4:1.0"), False),
        (("A1", "A1"), ("1-3:1.0", "1-3:1.1"), False),  # two lines of one unit
    ],
)
def test_two_units_that_have_one_name_by_id_are_told(
    monkeypatch, tmp_path: Path, serials, lines, shared: bool
) -> None:
    ports = [ListPortInfo(str(tmp_path / f"ttyUSB{number}")) for number in range(2)]
    for port, serial_number, line in zip(ports, serials, lines, strict=True):
        port.vid, port.pid, port.serial_number, port.location = 0x0403, 0x6001, serial_number, line
    ports += [ListPortInfo(str(tmp_path / f"ttyS{number}")) for number in range(2)]
    monkeypatch.setattr(list_ports, "comports", lambda: ports)
    told = {each.node: each for each in serial_ports(tmp_path)}

    assert [told[port.device].shares_by_id for port in ports] == [shared, shared, False, False]
    by_id = SerialSpec(Path("/dev/serial/by-id/usb-FTDI"))
    assert is_doubtful(told[ports[0].device], by_id) is shared
    assert not is_doubtful(told[ports[0].device], SerialSpec(Path("/dev/serial/by-path/x")))


def test_libusb_says_its_version() -> None:
    assert [part.isdigit() for part in libusb.version().split(".")] == [True] * 3
