"""Which port is meant: the one where something is plugged in now, or one by its number."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.characters import taken
from controller.devices.gather import look
from controller.setup.answers import NOTHING, Person
from drivers.driver import Driver
from drivers.errors import OptionError
from drivers.matching import is_at, is_doubtful, matching
from drivers.ports.plugged import Plugged
from drivers.ports.spec import SerialSpec, SimulatedSpec, UsbSpec, parse_spec
from drivers.registry import find_driver
from drivers.worker import in_thread

LOOK_EVERY: Final = 0.3
"""Seconds between two looks at what is plugged in."""
SETTLE: Final = 0.7
"""Seconds that udev has to give a new node its names and rights."""


_DOUBTFUL: Final = "two units have this name, and it leads to whichever came last"


class Choice(NamedTuple):
    """What the person wants besides naming a port."""

    keep: bool
    """Leave the device as it was configured."""


KEEP: Final = Choice(keep=True)
NONE: Final = Choice(keep=False)


class Plugging:
    """Looks for ports that are not taken by another device of the table."""

    def __init__(self, person: Person, folder: Path | None) -> None:
        """Take who is asked, and a folder of simulated devices to be looked at too."""
        self._person = person
        self._folder = folder
        self._taken: dict[str, Driver | None] = {}

    def take(self, port: str, driver: str) -> None:
        """Offer a port no more, under whatever name: it is a device of the table now."""
        try:
            parse_spec(port)
            self._taken[port] = find_driver(driver)
        except OptionError:
            self._taken[port] = None

    async def find(
        self, words: str, drivers: Sequence[Driver], kept: str | None, *, needed: bool
    ) -> Plugged | Choice:
        """Return the port of a device, or what is wanted instead.

        ``kept`` is the port that the device has in the old configuration, if it has one.
        """
        before = shown = await self._free(drivers)
        self._show(words, shown, kept, needed=needed)
        while True:
            line = await self._person.line_within(LOOK_EVERY)
            if line is not None:
                answer = self._answer(line, shown, drivers, kept, needed=needed)
                if answer is not None:
                    return answer
                self._person.prompt(">")
                continue
            now = await self._free(drivers)
            for gone in _new(before, now):
                self._person.say()
                self._person.say(f"  {gone.port} is out; put it back", "dim")
            if _new(now, before):
                await asyncio.sleep(SETTLE)
                now = await self._free(drivers)
                came = _new(now, before)
                self._person.say()
                if len(came) == 1:
                    self._person.well(f"{came[0].port} was plugged in")
                    return came[0]
                if came:
                    self._person.kindly(f"{len(came)} ports came at once: type which it is")
                    shown = now
                    self._show(words, shown, kept, needed=needed)
            before = now

    async def _free(self, drivers: Sequence[Driver]) -> list[Plugged]:
        found, _ = await in_thread("look", lambda: look(self._folder))
        return [
            each for each in found if matching(each, list(drivers)) and not self._is_taken(each)
        ]

    def _is_taken(self, each: Plugged) -> bool:
        return each.port in self._taken or any(
            driver is not None and is_at(each, parse_spec(port), driver)
            for port, driver in self._taken.items()
        )

    def _show(self, words: str, free: list[Plugged], kept: str | None, *, needed: bool) -> None:
        person = self._person
        person.say(f"The {words}", "bold")
        for number, each in enumerate(free, 1):
            about = " ".join(filter(None, [each.what, each.unit]))
            person.say(f"  {number}  {each.port}  {about}".rstrip())
        ways = ["plug it in now (if it is in: pull it out, wait, put it back)"]
        if free:
            ways.append("type its number")
        if kept and any(is_doubtful(each, parse_spec(kept)) for each in free):
            person.kindly(f"{kept}: {_DOUBTFUL}; better type a number")
        if kept:
            ways.append(f"Enter: as it was, {kept}")
        if not needed:
            ways.append(f"{NOTHING}: there is none" if kept else "Enter: there is none")
        person.say("  " + " · ".join(ways), "dim")
        person.prompt(">")

    def _answer(
        self,
        line: str,
        free: list[Plugged],
        drivers: Sequence[Driver],
        kept: str | None,
        *,
        needed: bool,
    ) -> Plugged | Choice | None:
        """Return what a line means; None, after a kind word, if nothing."""
        if not line and kept:
            return KEEP
        if not needed and line in {"", NOTHING}:
            return NONE
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(free):
            return free[int(line) - 1]
        try:
            return self._typed(line, free, drivers)
        except ValueError as fault:
            self._person.kindly(str(fault))
            return None

    def _typed(self, line: str, free: list[Plugged], drivers: Sequence[Driver]) -> Plugged:
        """Return a port that was typed in full, as it stands in a configuration.

        Raises:
            ValueError: it is none, or none of these drivers uses its kind.
        """
        if line in {"", NOTHING}:
            raise ValueError("a table needs this one: plug it in, or type its number")
        numbers = f"a number from 1 to {len(free)}, or " if free else ""
        if line.isdigit():
            raise ValueError(f"there is no {line} in the list: type {numbers}plug it in")
        try:
            spec = parse_spec(taken(line))
        except OptionError:
            raise ValueError(
                f"{line!r} is no port: type {numbers}a path such as /dev/ttyUSB0"
            ) from None
        if line in self._taken:
            raise ValueError(f"{line} is another device of this table already")
        if not any(spec.kind in driver.ports for driver in drivers):
            raise ValueError(f"it does not hang on a {spec.kind} port")
        if any(is_at(each, spec, drivers[0]) and is_doubtful(each, spec) for each in free):
            raise ValueError(f"{_DOUBTFUL}: type {numbers}its path under /dev/serial/by-path")
        return next((each for each in free if each.port == line), _named(line, spec))


def _named(port: str, spec: SerialSpec | UsbSpec | SimulatedSpec) -> Plugged:
    """Return a port that is not in the list."""
    unit = (
        "" if not isinstance(spec, UsbSpec) or not spec.unit else "{:04x}:{:04x}".format(*spec.unit)
    )
    return Plugged(kind=spec.kind, port=port, unit=unit)


def _new(now: list[Plugged], before: list[Plugged]) -> list[Plugged]:
    known = {_identity(each) for each in before}
    return [each for each in now if _identity(each) not in known]


def _identity(each: Plugged) -> tuple[str, str]:
    # Not by name alone: a new node may get its lasting name a moment later.
    return each.kind, each.node or each.port
