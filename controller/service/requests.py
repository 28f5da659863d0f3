"""The lines of clients: what one may say, how long it may be, and of which characters.

Both are looked at here and not where events are read: a log of an earlier version, which has longer
texts and stranger ones, is read.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, get_args

import msgspec

from controller.characters import printable, taken_in
from controller.events import Ask

LONGEST_LINE: Final = 64 * 1024
"""Bytes of any line."""
LONGEST_REQUEST: Final = 8 * 1024
"""Bytes of a line that asks or presses: it is recorded."""
LONGEST_NAME: Final = 64
"""Signs of a name: a player, a device, a control, a role, a set of cards."""
LONGEST_TEXT: Final = 500
"""Signs of what somebody says in their own words."""
LONGEST_LIST: Final = 500
"""Entries of a list; eight packs are 416 cards."""
GREATEST: Final = 10**15
"""The number from which on none is a number of the table."""
_OWN_WORDS: Final = frozenset({"words", "text"})


class NotARequest(Exception):
    """A line that cannot be a request; says what is wrong with it, and what is allowed."""

    def __init__(self, number: int | None, what: str) -> None:
        """Take the line's id, if it has one, and the words."""
        super().__init__(what)
        self.number = number


def _words_of(union: object) -> Iterator[str]:
    """Yield the words by which the kinds of a union are told apart."""
    for kind in get_args(union):
        yield str(kind.__struct_config__.tag)


class Press(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A press that somebody makes on a screen instead of the device."""

    device: str
    control: str
    held: bool = False


class SignIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody wants to sign in."""

    name: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
    pin: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]

    def __repr__(self) -> str:
        """Show neither, wherever this comes to be written: a PIN may stand in the wrong place."""
        return "SignIn(...)"


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request; exactly one of its words besides ``id`` and ``by``."""

    id: int
    ask: Ask | None = None
    press: Press | None = None
    view: bool = False
    watch: bool = False
    sign_in: SignIn | None = None
    sign_out: bool = False
    by: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)] | None = None


_WORDS: Final = ("ask", "press", "view", "watch", "sign_in", "sign_out")
_ONE_OF: Final = f"{', '.join(_WORDS[:-1])} or {_WORDS[-1]}"

_requests = msgspec.json.Decoder(Line)


def read(line: bytes) -> Line:
    """Return the request of a line.

    Raises:
        NotARequest: it is none.
    """
    try:
        request = _requests.decode(line)
    except (msgspec.DecodeError, RecursionError) as fault:
        plain = _plain(line)
        raise NotARequest(_id_of(plain), _not_text(plain) or _in_words(fault)) from None
    words = [getattr(request, word) for word in _WORDS]
    if len([word for word in words if word is not None and word is not False]) != 1:
        raise NotARequest(request.id, f"say exactly one of {_ONE_OF}")
    asked = request.ask or request.press
    if asked is not None:
        where = "ask" if request.ask else "press"
        too_long = next(_too_long(where, msgspec.to_builtins(asked)), "")
        if not too_long and len(line) > LONGEST_REQUEST:
            too_long = f"the line is too long: at most {LONGEST_REQUEST} bytes ask for something"
        if too_long:
            raise NotARequest(request.id, too_long)
    return _composed(request)


def _composed(request: Line) -> Line:
    """Return the request with its texts composed: of the same letters, they are the same.

    Raises:
        NotARequest: one of them holds what cannot be seen.
    """
    said = msgspec.to_builtins({"ask": request.ask, "press": request.press, "by": request.by})
    try:
        composed = taken_in(said)
    except ValueError as fault:
        raise NotARequest(request.id, str(fault)) from None
    if composed == said:
        return request
    return msgspec.structs.replace(
        request,
        ask=msgspec.convert(composed["ask"], Ask | None),
        press=msgspec.convert(composed["press"], Press | None),
        by=composed["by"],
    )


def _too_long(where: str, value: Any) -> Iterator[str]:
    """Yield in words what is longer, or greater, than anything at a table."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _too_long(f"{where}.{key}", one)
    elif isinstance(value, list | tuple):
        if len(value) > LONGEST_LIST:
            yield f"{where} is too long: at most {LONGEST_LIST} can be said at once"
        for one in value:
            yield from _too_long(where, one)
    elif isinstance(value, str):
        most = LONGEST_TEXT if where.rpartition(".")[2] in _OWN_WORDS else LONGEST_NAME
        if len(value) > most:
            yield f"{where} is too long: at most {most} signs"
    elif isinstance(value, int) and abs(value) >= GREATEST:
        yield f"{where} is no number of the table: it is too great"


def _plain(line: bytes) -> dict[str, Any]:
    """Return what a line that is not a request says, if it is an object of JSON at all."""
    try:
        plain = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return plain if isinstance(plain, dict) else {}


def _id_of(plain: dict[str, Any]) -> int | None:
    number = plain.get("id")
    return number if isinstance(number, int) else None


def _not_text(plain: dict[str, Any]) -> str:
    """Say which character cannot be seen; of a sign-in nothing is said."""
    try:
        taken_in({key: plain[key] for key in ("ask", "press", "by") if key in plain})
    except RecursionError:
        return ""
    except ValueError as fault:
        where, colon, what = str(fault).partition(": ")
        return _MAYBE_A_PIN.sub("****", where) + colon + what
    return ""


_ALLOWED: Final = {
    "player": "a player is one word of at most 40 signs that can be shown",
    "card": "a card is rank (A 2 to 9 T J Q K) and suit (S H D C), as 7S",
    "do": f"what can be asked is {', '.join(sorted(_words_of(Ask)))}",
}
"""What is allowed where a checker only says that a value does not do."""


_MAYBE_A_PIN: Final = re.compile(r"(?<!\d)(?<![<>]= )\d{4,}")
"""Digits that an error would repeat; a bound that it names is ours."""


def _in_words(fault: Exception) -> str:
    """Say what is wrong with a line, and what is allowed there; repeat nothing like a PIN."""
    if isinstance(fault, RecursionError):
        return "the line is nested too deeply"
    said = _MAYBE_A_PIN.sub("****", str(fault))
    key = said.rpartition(".")[2].rstrip("`")
    if key not in _ALLOWED:
        return printable(said)
    what = printable(said) if key == "do" else key
    return f"{what}: {_ALLOWED[key]}"
