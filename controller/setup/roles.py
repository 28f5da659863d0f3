"""What can stand at a table, and how each makes itself known."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from drivers.driver import Role
from drivers.events import DeviceEvent, Lost, Online, Press


class Part(NamedTuple):
    """One device of a table."""

    name: str
    """What it is called in the configuration; the controls count on it."""
    role: Role
    words: str
    """What people call it."""


class Sign(NamedTuple):
    """How a role shows that it is there and understood."""

    do: str
    """What is to be done so that it says something."""
    heard: Callable[[DeviceEvent], bool]
    """Whether an event shows it."""
    answers: bool = False
    """Whether any answer of it does."""


SHOE: Final = Part("shoe", "shoe", "card-reading shoe")
SHUFFLERS: Final = tuple(
    Part(f"shuffler-{number}", "shuffler", f"{word} shuffling device")
    for number, word in ((1, "first"), (2, "second"))
)
MULTISHUFFLER: Final = Part("multishuffler", "multishuffler", "multishuffler")
SOURCES: Final[Mapping[str, tuple[Part, ...]]] = {
    "a card-reading shoe": (SHOE,),
    "one shuffling device": SHUFFLERS[:1],
    "two shuffling devices, by turns": SHUFFLERS,
    "a multishuffler": (MULTISHUFFLER,),
}
"""Where cards come from; the first device is the one at the opening."""
OTHERS: Final = (
    Part("pedal", "pedal", "dealer's pedal"),
    Part("keys", "keys", "dealer's keypad"),
    Part("buttons", "buttons", "players' button box"),
    Part("meter", "meter", "bonus meter"),
)


def _says_anything(event: DeviceEvent) -> bool:
    return not isinstance(event, Online | Lost)


def _is_pressed(event: DeviceEvent) -> bool:
    return isinstance(event, Press)


def _introduces_itself(event: DeviceEvent) -> bool:
    return isinstance(event, Online) and bool(event.identity)


def _tells_nothing(_event: DeviceEvent) -> bool:
    return False


SIGNS: Final[Mapping[Role, Sign]] = {
    "shoe": Sign("Draw a card from it.", _says_anything),
    "shuffler": Sign("Nothing to do: it is asked who it is.", _introduces_itself),
    "multishuffler": Sign("Nothing to do: it is asked who it is.", _introduces_itself),
    "pedal": Sign("Press any of it.", _is_pressed),
    "keys": Sign("Press any key of it (while it is tried, it types nowhere else).", _is_pressed),
    "buttons": Sign("Press any of its buttons.", _is_pressed),
    "meter": Sign("Nothing to do: it is asked what it shows.", _tells_nothing, answers=True),
}
