"""Any keyboard or keypad with a boot interface; its controls have the names of the keys."""

from drivers.driver import Driver
from drivers.hid import KEYS
from drivers.keyboard import KeyboardCodec
from drivers.options import PressOptions
from drivers.profiles import UsbProfile


class BootKeyboardOptions(PressOptions, frozen=True):
    """Options of driver ``boot-keyboard``."""


def make_codec(options: BootKeyboardOptions) -> KeyboardCodec:
    """Return the codec of a keyboard."""
    return KeyboardCodec(KEYS, options)


DRIVER = Driver(
    name="boot-keyboard",
    role="keys",
    options=BootKeyboardOptions,
    make=make_codec,
    ports=frozenset({"usb"}),
    usb=UsbProfile(boot_protocol=True),
)
