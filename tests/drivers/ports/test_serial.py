"""Serial lines over real ptys: opening, reading, losing, and being kind about it."""

import errno
import fcntl
import os
import shutil
import struct
import subprocess
import termios
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.errors import LinkLost
from drivers.ports import open_port
from drivers.ports.refused import refusal_of
from drivers.ports.serial import SerialPort, claim_exclusively
from drivers.profiles import LineProfile

TIOCGEXCL = 0x80045440


class Pty:
    """Both ends of a line."""

    def __init__(self) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = Path(os.ttyname(self._slave))
        self._open = True

    def pull(self) -> None:
        if self._open:
            self._open = False
            os.close(self.master)
            os.close(self._slave)


@pytest.fixture
def pty() -> Iterator[Pty]:
    line = Pty()
    yield line
    line.pull()


@pytest.fixture
def port(pty: Pty) -> Iterator[SerialPort]:
    opened = open_port(str(pty.path), LineProfile(4800))
    yield opened
    opened.close()


def test_bytes_go_both_ways(pty, port) -> None:
    os.write(pty.master, b"\x05\x00\xff\n\r\x11\x13")
    port.write(b"\x02OP\x03")

    assert port.read(5.0) == b"\x05\x00\xff\n\r\x11\x13"
    assert os.read(pty.master, 10) == b"\x02OP\x03"
    assert port.read(0.0) == b""
    assert port.initial() is None
    assert port.identity == ""


def test_a_blocked_read_ends_when_something_comes(pty, port) -> None:
    threading.Timer(0.05, os.write, (pty.master, b"x")).start()

    assert port.read(30.0) == b"x"


def test_a_pulled_plug_is_one_kind_of_error_however_it_shows(pty, port) -> None:
    pty.pull()

    for _ in range(2):
        with pytest.raises(LinkLost, match=str(pty.path)):
            port.read(1.0)
        with pytest.raises(LinkLost, match=str(pty.path)):
            port.write(b"x")
    port.close()


def test_a_plug_pulled_while_reading_ends_the_read(pty, port) -> None:
    threading.Timer(0.05, pty.pull).start()

    with pytest.raises(LinkLost, match="its node is gone"):
        port.read(30.0)


def test_closing_twice_is_closing_once(port) -> None:
    port.close()
    port.close()

    with pytest.raises(LinkLost, match="is closed"):
        port.read(0.0)
    with pytest.raises(LinkLost, match="is closed"):
        port.write(b"x")


def test_closing_gives_everything_back(pty, open_files) -> None:
    before = open_files()
    for _ in range(5):
        open_port(str(pty.path)).close()

    assert open_files() == before


def test_a_node_that_is_not_there(tmp_path) -> None:
    with pytest.raises(LinkLost, match="is not there; is the device plugged in"):
        open_port(str(tmp_path / "shoe"))


def test_a_node_that_is_no_line(tmp_path) -> None:
    file = tmp_path / "shoe"
    file.touch()

    with pytest.raises(LinkLost, match="is not a serial line"):
        open_port(str(file))


def test_a_line_in_use_says_by_whom(pty, port) -> None:
    with pytest.raises(LinkLost, match="in use by this program itself"):
        open_port(str(pty.path))


def test_a_setting_the_line_does_not_take(pty) -> None:
    profile = LineProfile(9600, "7E1")
    # A fresh pty swallows the setting once, and refuses it from then on.
    open_port(str(pty.path), profile).close()

    with pytest.raises(LinkLost, match="does not take the line settings 9600 7E1"):
        open_port(str(pty.path), profile)


def test_settings_changed_by_another_program_are_noticed(pty, port) -> None:
    with pty.path.open("rb", buffering=0) as other:
        settings = termios.tcgetattr(other)
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(other, termios.TCSANOW, settings)

    with pytest.raises(LinkLost, match="another program changed the settings"):
        port.read(0.0)


def test_modem_lines_and_low_latency_are_not_everywhere(pty) -> None:
    port = open_port(str(pty.path), LineProfile(dtr=False, rts=False, low_latency=True))

    assert port.identity == "low latency refused"
    os.write(pty.master, b"x")
    assert port.read(5.0) == b"x"
    port.close()


def test_a_device_that_takes_nothing_is_given_up(pty, port) -> None:
    with pytest.raises(LinkLost, match="Write timeout"):
        port.write(bytes(1 << 20))


def test_a_real_line_is_closed_to_everybody_else(pty) -> None:
    def exclusive(descriptor: int) -> bool:
        return struct.unpack("i", fcntl.ioctl(descriptor, TIOCGEXCL, bytes(4)))[0] == 1

    with pty.path.open("rb", buffering=0) as line:
        assert not exclusive(line.fileno())
        claim_exclusively(line.fileno())
        assert exclusive(line.fileno())


def test_a_pty_is_left_open_to_our_own_next_start(pty, port) -> None:
    assert struct.unpack("i", fcntl.ioctl(pty.master, TIOCGEXCL, bytes(4))) == (0,)


@pytest.fixture
def unchangeable(tmp_path: Path) -> Iterator[Path]:
    """A file for which the kernel gives root what a device policy gives: EPERM."""
    file = tmp_path / "line"
    file.touch()
    chattr = shutil.which("chattr")
    if chattr is None or subprocess.run([chattr, "+i", file], check=False).returncode:
        pytest.skip("needs root, and a disk that knows unchangeable files")
    yield file
    subprocess.run([chattr, "-i", file], check=True)


def test_a_device_policy_is_not_told_as_missing_rights(unchangeable: Path) -> None:
    assert refusal_of(unchangeable) == errno.EPERM
    with pytest.raises(LinkLost, match=r"its rights are right.*DeviceAllow") as lost:
        open_port(str(unchangeable))

    assert "udev" not in str(lost.value)
    assert refusal_of(Path(os.devnull)) is None
