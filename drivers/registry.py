"""Which drivers there are: those built in, and those other packages bring along.

A vendor's package announces its driver under the entry point group ``tablekeeper.drivers``; the
name of the entry point is the driver's name, its object a `Driver`.  An entry point is loaded only
when its driver is asked for, so a broken package does not stop a table that does without it.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points

from drivers import (
    alpha,
    angel_eye,
    bee_tek,
    boot_keyboard,
    pcsensor,
    reference_buttons,
    reference_cards,
)
from drivers.driver import Driver
from drivers.errors import OptionError

GROUP = "tablekeeper.drivers"

BUILT_IN: Mapping[str, Driver] = {
    driver.name: driver
    for driver in (
        angel_eye.DRIVER,
        bee_tek.DRIVER,
        reference_cards.SHUFFLER,
        reference_cards.MULTISHUFFLER,
        reference_buttons.DRIVER,
        pcsensor.DRIVER,
        boot_keyboard.DRIVER,
        alpha.DRIVER,
    )
}
"""Known without looking at installed packages, so that a plain checkout works too."""


class Drivers(Mapping[str, Driver]):
    """All drivers by name; what is built in wins over an entry point of the same name."""

    def __getitem__(self, name: str) -> Driver:
        """Return the driver called *name*.

        Raises:
            KeyError: there is none.
            OptionError: a package announces it, but what it announces is not a driver of that name.

        """
        if name in BUILT_IN:
            return BUILT_IN[name]
        return _load(_announced()[name])

    def __iter__(self) -> Iterator[str]:
        """Go through the names, without loading anything."""
        return iter({**BUILT_IN, **_announced()})

    def __len__(self) -> int:
        """Count the names."""
        return len({**BUILT_IN, **_announced()})


DRIVERS: Mapping[str, Driver] = Drivers()


def find_driver(name: str) -> Driver:
    """Return the driver called *name*, for a name out of the settings.

    Raises:
        OptionError: there is no such driver; names those there are.

    """
    try:
        return DRIVERS[name]
    except KeyError:
        known = ", ".join(sorted(DRIVERS))
        raise OptionError(f"there is no driver {name!r}; known: {known}") from None


def _announced() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _load(entry: EntryPoint) -> Driver:
    try:
        found = entry.load()
    except (ImportError, AttributeError) as error:
        raise OptionError(
            f"driver {entry.name!r} ({entry.value}) does not load: {error}"
        ) from error
    if not isinstance(found, Driver) or found.name != entry.name:
        raise OptionError(
            f"{entry.value} is announced as driver {entry.name!r}, but it is {found!r}; "
            "it must be a drivers.driver.Driver of that name"
        )
    return found
