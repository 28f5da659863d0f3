"""PCsensor FootSwitch pedals: a keyboard of up to three keys, sold under many USB numbers.

Facts from public code for these pedals (github.com/rgerganov/footswitch).  Programme the pedals to
F13, F14 and F15 with the maker's tool and set ``left``, ``middle`` and ``right`` to match: a press
that leaks to another programme is harmless then.  Each pedal must be one key, without Ctrl or Alt.
A pedal can also be made to type a text, as its firmware types its maker's address: at that speed,
or with keys in between that are no pedals, nothing counts (see `drivers.controls`).
"""

from collections.abc import Mapping

from drivers.driver import Driver
from drivers.errors import OptionError
from drivers.hid import USAGES
from drivers.keyboard import Form, KeyboardCodec
from drivers.options import PressOptions
from drivers.profiles import UsbProfile

VARIANTS: Mapping[tuple[int, int], Form | None] = {
    (0x0C45, 0x7403): "plain",
    (0x0C45, 0x7404): "plain",
    (0x1A86, 0xE026): "numbered",
    (0x3553, 0xB001): "numbered",
    # How these report is not on record: either form is taken.
    (0x413D, 0x2107): None,
    (0x5131, 0x2019): None,
    (0x0426, 0x3011): None,
    (0x055A, 0x0998): None,
}
"""(vendor, product) to the form of the keyboard reports on interface 0."""


class PcsensorOptions(PressOptions, frozen=True):
    """Options of driver ``pcsensor``: what each pedal is programmed to, by key name or as 0x68."""

    left: str = "page-up"
    middle: str = "down"
    right: str = "page-down"


def make_codec(options: PcsensorOptions) -> KeyboardCodec:
    """Return the codec of a pedal.

    Raises:
        OptionError: a key has no such name, or two pedals have the same key.

    """
    names: dict[int, str] = {}
    for control in ("left", "middle", "right"):
        usage = _usage(control, getattr(options, control))
        if usage in names:
            raise OptionError(f"pcsensor: {names[usage]} and {control} are the same key")
        names[usage] = control
    forms = {f"{vid:04x}:{pid:04x}": form for (vid, pid), form in VARIANTS.items() if form}
    return KeyboardCodec(names, options, forms)


def _usage(control: str, key: str) -> int:
    if key in USAGES:
        return USAGES[key]
    try:
        usage = int(key, 16) if key.startswith("0x") else 0
    except ValueError:
        usage = 0
    if not 0x04 <= usage <= 0xE7:
        raise OptionError(
            f"pcsensor: {control} = {key!r} is no key; it must be a usage from 0x04 to 0xe7 "
            f"or one of {', '.join(sorted(USAGES))}"
        )
    return usage


DRIVER = Driver(
    name="pcsensor",
    role="pedal",
    options=PcsensorOptions,
    make=make_codec,
    ports=frozenset({"usb"}),
    usb=UsbProfile(
        ids=frozenset(VARIANTS),
        interface=0,
        numbered=frozenset(unit for unit, form in VARIANTS.items() if form == "numbered"),
    ),
)
