"""Keyboard reports and key names, as USB HID defines them (HID 1.11, appendix B; usage page 07).

A boot keyboard report is eight bytes: modifier bits, one reserved byte, and the usages of up to six
keys that are down, in any order, 00 for none.
"""

from collections.abc import Mapping
from string import ascii_uppercase

REPORT_LENGTH = 8
KEYBOARD_REPORT = 1
"""Number that a composite pedal puts in front of its keyboard reports."""

_ERRORS = frozenset({0x01, 0x02, 0x03})
"""Usages that are no keys: too many at once, a failed self-test, an error without a name."""

KEYS: Mapping[int, str] = {
    **{0x04 + n: letter for n, letter in enumerate(ascii_uppercase)},
    **{0x1E + n: digit for n, digit in enumerate("1234567890")},
    0x28: "enter",
    0x29: "escape",
    0x2A: "backspace",
    0x2B: "tab",
    0x2C: "space",
    0x2D: "-",
    0x2E: "=",
    0x37: ".",
    **{0x3A + n: f"F{n + 1}" for n in range(12)},
    0x49: "insert",
    0x4A: "home",
    0x4B: "page-up",
    0x4C: "delete",
    0x4D: "end",
    0x4E: "page-down",
    0x4F: "right",
    0x50: "left",
    0x51: "down",
    0x52: "up",
    0x54: "/",
    0x55: "*",
    0x56: "-",
    0x57: "+",
    0x58: "enter",
    **{0x59 + n: digit for n, digit in enumerate("1234567890")},
    0x63: ".",
    0x67: "=",
    **{0x68 + n: f"F{n + 13}" for n in range(12)},
}
"""Usage to name; a key of the keypad has the name of its twin on the main block."""

MODIFIERS: Mapping[int, str] = {
    0xE0: "Ctrl",
    0xE1: "Shift",
    0xE2: "Alt",
    0xE3: "GUI",
    0xE4: "right Ctrl",
    0xE5: "right Shift",
    0xE6: "right Alt",
    0xE7: "right GUI",
}
"""Usage to name of the keys that change what others mean."""

HARMLESS: frozenset[int] = frozenset({0xE1, 0xE5, 0x53})
"""Shift and Num Lock: keys that are no controls, and leave a key what it is.  Some keypads send
Num Lock around each of their own keys."""

USAGES: Mapping[str, int] = {name: usage for usage, name in reversed(list(KEYS.items()))}
"""Name to usage, that of the main block where there are two."""


def key_name(usage: int) -> str:
    """Return the name of a key for people, whether anybody knows it or not.

    >>> key_name(0xE2), key_name(0x04), key_name(0x65)
    ('key Alt', 'key A', 'key 0x65')
    """
    return f"key {MODIFIERS.get(usage) or KEYS.get(usage) or f'0x{usage:02x}'}"


def usages_down(report: bytes) -> frozenset[int] | None:
    """Return the usages in a boot keyboard report of the right length, modifiers as E0 to E7.

    None means that the keyboard cannot say which are down: there are too many at once.

    >>> usages_down(bytes([0x02, 0, 0x1E, 0, 0, 0, 0, 0])) == {0xE1, 0x1E}
    True
    """
    if _ERRORS.issuperset(report[2:]):
        return None
    modifiers = {0xE0 + bit for bit in range(8) if report[0] >> bit & 1}
    return frozenset(modifiers.union(report[2:]) - {0})
