"""A driver's options: one typed record a driver, read from plain settings.

A key nobody knows is a mistake, and the error says what would have been allowed.
"""

from collections.abc import Mapping
from typing import Annotated, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, inspect

from drivers.errors import OptionError
from drivers.profiles import Framing, LineProfile


class DriverOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Root of all option records; a driver adds its own fields."""


class SerialOptions(DriverOptions, frozen=True):
    """Options of every device on a serial line."""

    baud: Annotated[int, Meta(ge=300, le=921600)] = 9600
    framing: Framing = "8N1"
    dtr: bool | None = None
    rts: bool | None = None
    low_latency: bool = False

    def line(self) -> LineProfile:
        """Return the line these options ask for."""
        return LineProfile(self.baud, self.framing, self.dtr, self.rts, self.low_latency)


class PressOptions(DriverOptions, frozen=True):
    """Options of everything that is pressed."""

    hold_ms: Annotated[int, Meta(ge=200, le=5000)] = 600
    """Milliseconds after which a press counts as held."""
    debounce_ms: Annotated[int, Meta(ge=0, le=150)] = 25
    """A control let go for less than this many milliseconds was not let go."""


PlainText = Annotated[str, Meta(max_length=40, pattern=r"^[ -~]*$")]
"""Text that any display can show."""

Options = TypeVar("Options", bound=DriverOptions)


def read_options(kind: type[Options], given: Mapping[str, object], driver: str) -> Options:
    """Read *given* as options of *driver*.

    Raises:
        OptionError: an unknown key, or a value that is not allowed; says what is.

    """
    allowed = get_type_hints(kind, include_extras=True)
    if strangers := sorted(given.keys() - allowed.keys()):
        raise OptionError(
            f"{driver}: unknown option {', '.join(strangers)}; known: {', '.join(sorted(allowed))}"
        )
    for key, value in given.items():
        try:
            msgspec.convert(value, allowed[key])
        except msgspec.ValidationError:
            must_be = _in_words(inspect.type_info(allowed[key]))
            raise OptionError(
                f"{driver}: {key} = {value!r} is not allowed; it must be {must_be}"
            ) from None
    try:
        return msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as error:
        raise OptionError(f"{driver}: {error}") from None


def _in_words(kind: inspect.Type) -> str:
    """Say what a value of this type may be.

    >>> _in_words(inspect.type_info(Annotated[int, Meta(ge=1, le=9)]))
    'a whole number from 1 to 9'
    """
    match kind:
        case inspect.LiteralType(values=values):
            return "one of " + ", ".join(str(value) for value in values)
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType(ge=None, le=None):
            return "a whole number"
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} to {most}"
        case inspect.UnionType(types=types):
            named = [each for each in types if not isinstance(each, inspect.NoneType)]
            return " or ".join(_in_words(each) for each in named)
        case inspect.FloatType():
            return "a number"
        case inspect.StrType(max_length=int(most)):
            return f"text of up to {most} plain letters"
        case inspect.StrType():
            return "text"
        case _:
            return f"a {type(kind).__name__.removesuffix('Type').lower()}"
