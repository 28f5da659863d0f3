"""Text that people and devices bring in, and what of it may be seen.

What cannot be seen, or turns round or hides what stands beside it, is no part of a text here:
control and format characters (those for the direction of writing, zero-width ones, tags), blanks
that are no space, characters for private use or not assigned, halves of a pair, and marks piled up
on one letter.  `taken` refuses it where a person says it; `printable` writes it out, as JSON does,
where a device says it or a log of an earlier version holds it.  Nothing here interprets anything:
to Rich a text is given as a text (`controller.terminal`).

Letters of every script, their accents and most emoji stay as they are.  An emoji that is put
together by joiners or variation selectors is refused, and so is a joiner within a word: what looks
like one name must be one name.  Letters that look alike in two scripts are not told apart, and a
terminal that orders letters from right to left by itself may put an amount on the other side of a
Hebrew or Arabic name; the console of Linux does not.
"""

import unicodedata
from collections.abc import Iterator
from typing import Any, Final, TypeVar

import msgspec
from rich.cells import cell_len

T = TypeVar("T")

MOST_MARKS: Final = 4
"""Marks that one letter may carry: scripts in use have up to three, with a reading sign four."""

_BLANK: Final = frozenset(
    map(
        chr,
        (
            0x034F,  # joins graphemes
            *(0x115F, 0x1160, 0x3164, 0xFFA0),  # fillers of Hangul
            *(0x17B4, 0x17B5),  # vowels of Khmer that are not written
            *range(0x180B, 0x1810),  # variation selectors, and a separator, of Mongolian
            0x2800,  # a Braille cell without dots
            *range(0xFE00, 0xFE10),  # variation selectors
            0xFFFC,  # stands for an object that is not there
            *(0x13441, 0x13442),  # blanks of Egyptian hieroglyphs
            0x16FE4,  # a filler of Khitan
            0x1D159,  # a head of a note that is not drawn
            *range(0xE0100, 0xE01F0),  # variation selectors
        ),
    )
)
"""What `str.isprintable` takes for visible, and is not."""

_WHAT: Final = {
    "Cc": "a control character",
    "Cs": "half of a pair of surrogates",
    "Co": "a character for private use",
    "Cn": "not assigned",
}
"""What a character without a name is."""

_SHORT: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def taken(text: str) -> str:
    """Return what a person says, composed (NFC): the same letters are the same text.

    Raises:
        ValueError: it holds what cannot be seen; names the character, and where it stands.
    """
    if text.isascii() and text.isprintable():
        return text
    composed = unicodedata.normalize("NFC", text)
    for at, char in _hidden(composed, begins_with_mark=True):
        raise ValueError(f"its character {at + 1} is {named(char)}: {_why(char)}, leave it out")
    return composed


def taken_in(value: Any, where: str = "") -> Any:
    """Return a value as JSON or TOML has it with every text in it `taken`, keys as well.

    Raises:
        ValueError: one of them is none; names it, as ``devices.shoe.port``.
    """
    if isinstance(value, dict):
        found = {
            taken_in(key, where and f"a key of {where}"): taken_in(one, _below(where, key))
            for key, one in value.items()
        }
        if len(found) < len(value):
            raise ValueError(
                f"{where or 'it'}: two of its keys are the same letters, written in two ways"
            )
        return found
    if isinstance(value, list | tuple):
        return [taken_in(one, where) for one in value]
    if isinstance(value, str):
        try:
            return taken(value)
        except ValueError as fault:
            raise ValueError(f"{where or 'a key'}: {fault}") from None
    return value


def _below(where: str, key: object) -> str:
    return f"{where}.{key}" if where else str(key)


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with everything that cannot be seen written out, but for ``keep``.

    It is written as JSON writes it, so that a JSON text holds the same values afterwards.

    >>> printable("box 1 \x1b[2J")
    'box 1 \\u001b[2J'
    """
    if text.isprintable() and text.isascii():
        return text
    hidden = {at for at, char in _hidden(text) if char not in keep}
    if not hidden:
        return text
    return "".join(_written_out(char) if at in hidden else char for at, char in enumerate(text))


def printable_in(value: Any) -> Any:
    """Return a value as JSON has it with every text in it `printable`, keys as well."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable_in(key): printable_in(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [printable_in(one) for one in value]
    return value


def printable_as(value: object, kind: type[T]) -> T:
    """Return a value of a kind that JSON could hold with every text in it `printable`."""
    return msgspec.convert(printable_in(msgspec.to_builtins(value)), kind)


def named(char: str) -> str:
    """Return a character's number and name: ``U+202E (RIGHT-TO-LEFT OVERRIDE)``."""
    name = unicodedata.name(char, "") or _WHAT.get(unicodedata.category(char), "without a name")
    return f"U+{ord(char):04X} ({name})"


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: wide letters take two, marks none."""
    return cell_len(text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return the text filled up with blanks to so many columns of a terminal."""
    blanks = " " * (width - columns(text))
    return blanks + text if right else text + blanks


def _hidden(text: str, *, begins_with_mark: bool = False) -> Iterator[tuple[int, str]]:
    """Yield what cannot be seen, with its place: also a mark too many, or one on no letter."""
    marks = MOST_MARKS if begins_with_mark else 0
    for at, char in enumerate(text):
        if char >= "\u0300" and unicodedata.category(char) in {"Mn", "Me"}:
            marks += 1
        else:
            marks = MOST_MARKS if begins_with_mark and char == " " else 0
        if marks > MOST_MARKS or char in _BLANK or not char.isprintable():
            yield at, char


def _why(char: str) -> str:
    if char in _BLANK or not char.isprintable():
        return "it cannot be seen, or hides what can"
    return f"a letter carries at most {MOST_MARKS} such marks, and a word begins with none"


def _written_out(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(rf"\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
