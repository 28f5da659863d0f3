"""USB units: real pyusb over a simulated unit in another process."""

import threading

import pytest
import usb.core

from drivers.boot_keyboard import DRIVER as KEYS
from drivers.errors import LinkLost
from drivers.pcsensor import DRIVER as PEDAL
from drivers.ports import open_port
from drivers.ports.simulated import SimulatedBackend
from drivers.ports.simulated_wire import Description
from drivers.ports.spec import UsbSpec, parse_spec
from drivers.ports.usb import UsbPort
from drivers.profiles import UsbProfile

MIDDLE = bytes([0, 0, 0x51, 0, 0, 0, 0, 0])
_MIDDLE = {"device": "pedal", "control": "middle"}


@pytest.fixture
def meanwhile(bench):
    """Asks for something that is answered only when this test has read what it brings."""
    asking = []

    def ask(do: str, **fields: object) -> None:
        asking.append(threading.Thread(target=bench.ask, args=(do,), kwargs=fields))
        asking[-1].start()

    yield ask
    for thread in asking:
        thread.join()


@pytest.fixture
def opened(bench):
    """Opens the port of a device; closes what the test leaves open."""
    ports = []

    def open_one(device: str = "pedal", profile: UsbProfile = PEDAL.usb):
        ports.append(open_port(bench.port(device), usb=profile))
        return ports[-1]

    yield open_one
    for port in ports:
        port.close()


def units(bench, *more: Description):
    """Returns a backend on which *more* units are seen beside the pedal."""

    class Bus(SimulatedBackend):
        def enumerate_devices(self):
            yield from super().enumerate_devices()
            yield from more

    return Bus(parse_spec(bench.port("pedal")).path)


def twin(**other) -> Description:
    place = {"vendor": 0x0C45, "product": 0x7404, "bus": 1, "address": 9, "ports": (2, 3)}
    return Description(**(place | other))


def test_a_press_is_read_as_reports(opened, meanwhile) -> None:
    port = opened()

    assert port.identity == "0c45:7404 at 1-1"
    assert port.initial() == bytes(8)
    assert port.read(0.0) == b""
    meanwhile("press", **_MIDDLE)
    assert port.read(10.0) == MIDDLE
    assert port.read(10.0) == bytes(8)


def test_what_is_down_can_be_asked_for(bench, opened) -> None:
    bench.ask("down", **_MIDDLE)

    assert opened().initial() == MIDDLE


def test_a_unit_may_not_tell_its_state(bench, opened) -> None:
    bench.ask("switch", device="pedal", name="no-state", value=True)

    assert opened().initial() is None


def test_a_closed_port_gives_the_unit_back(bench, opened) -> None:
    port = opened()
    port.close()
    port.close()

    assert not bench.ask("status")["devices"]["pedal"]["host"]
    with pytest.raises(LinkLost, match="0c45:7404 at 1-1 is closed"):
        port.read(0.0)
    # The kernel has its interface again, so it must be taken from it once more.
    assert opened().identity == "0c45:7404 at 1-1"


def test_a_unit_in_use_is_told(bench, opened) -> None:
    opened()

    with pytest.raises(LinkLost, match="in use by"):
        opened()


@pytest.mark.parametrize(
    ("switch", "why"), [("busy", "in use by"), ("denied", "no permission; is the udev rule")]
)
def test_a_unit_that_cannot_be_had_says_why(bench, opened, switch, why) -> None:
    bench.ask("switch", device="pedal", name=switch, value=True)

    with pytest.raises(LinkLost, match=why):
        opened()


def test_an_unplugged_unit_is_lost_and_not_silent(bench, opened) -> None:
    port = opened()
    bench.ask("unplug", device="pedal")

    with pytest.raises(LinkLost, match="unplugged"):
        port.read(10.0)
    with pytest.raises(LinkLost, match="no USB unit matches; there are: none"):
        opened()


def test_a_halted_endpoint_is_cleared_once(bench, opened, meanwhile) -> None:
    port = opened()
    bench.ask("switch", device="pedal", name="stall", value=1)
    meanwhile("down", **_MIDDLE)
    assert port.read(10.0) == b""
    assert port.read(10.0) == MIDDLE


def test_an_endpoint_that_stays_halted_is_lost(bench, opened, meanwhile) -> None:
    port = opened()
    bench.ask("switch", device="pedal", name="stall", value=2)
    meanwhile("down", **_MIDDLE)
    assert port.read(10.0) == b""
    with pytest.raises(LinkLost, match="refuses to report"):
        port.read(10.0)
    port.close()


def test_a_report_longer_than_announced_is_lost(bench, opened, meanwhile) -> None:
    port = opened()
    meanwhile("raw", device="pedal", hex="00" * 9)
    with pytest.raises(LinkLost, match="longer than the unit announced"):
        port.read(10.0)


def test_nothing_can_be_written_to_a_pedal(opened) -> None:
    with pytest.raises(LinkLost, match="takes no data"):
        opened().write(b"x")


def test_a_driver_takes_only_units_it_understands(bench, opened) -> None:
    with pytest.raises(LinkLost, match="no USB unit matches; there are: 1209:0001 at 1-2"):
        opened("keys")

    assert opened("keys", KEYS.usb).identity == "1209:0001 at 1-2"


@pytest.mark.parametrize("wanted", ["usb", "usb:0c45:7404"])
def test_two_units_that_match_are_an_error_and_named(bench, wanted) -> None:
    backend = units(bench, twin())
    port = UsbPort(parse_spec(wanted), PEDAL.usb, lambda: backend)

    with pytest.raises(LinkLost, match=r"2 USB units match: 0c45:7404 at 1-1, 0c45:7404 at 1-2.3"):
        port.open()
    backend.hang_up()


def test_a_socket_tells_two_units_apart(bench) -> None:
    backend = units(bench, twin())
    port = UsbPort(parse_spec("usb:0c45:7404@1-1"), PEDAL.usb, lambda: backend)
    port.open()

    assert port.identity == "0c45:7404 at 1-1"
    port.close()


@pytest.mark.parametrize(
    ("other", "wanted"), [({"vendor": 1}, "usb"), ({"product": 1}, "usb:0c45:7404")]
)
def test_another_unit_beside_it_does_not_matter(bench, other, wanted) -> None:
    backend = units(bench, twin(**other))
    port = UsbPort(parse_spec(wanted), PEDAL.usb, lambda: backend)
    port.open()

    assert port.identity == "0c45:7404 at 1-1"
    port.close()


def test_a_unit_without_the_interface_is_refused(bench) -> None:
    backend = units(bench)
    profile = UsbProfile(ids=PEDAL.usb.ids, interface=3)
    port = UsbPort(UsbSpec(), profile, lambda: backend)

    with pytest.raises(LinkLost, match="no interface that reports like a keyboard"):
        port.open()
    port.close()
    backend.hang_up()


def test_without_libusb_the_error_says_so() -> None:
    def backend() -> object:
        raise usb.core.NoBackendError("libusb cannot be loaded")

    with pytest.raises(LinkLost, match="libusb cannot be loaded"):
        UsbPort(UsbSpec(), UsbProfile(), backend).open()


def test_a_socket_without_a_program_is_an_unplugged_unit(tmp_path) -> None:
    with pytest.raises(LinkLost, match="there are: none"):
        open_port(f"simulated:{tmp_path}/none.usb", usb=PEDAL.usb)
    (tmp_path / "file.usb").touch()
    with pytest.raises(LinkLost, match="there are: none"):
        open_port(f"simulated:{tmp_path}/file.usb", usb=PEDAL.usb)
