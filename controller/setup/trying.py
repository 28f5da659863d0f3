"""Whether the right device is at a port, with a way out of everything that can go wrong."""

from typing import Any, Final, get_args

from controller.errors import SettingsError
from controller.setup.answers import Person
from controller.setup.listening import Heard, listening
from controller.setup.roles import SIGNS, Part
from drivers.driver import Driver
from drivers.errors import OptionError
from drivers.options import SerialOptions
from drivers.profiles import Framing

_AGAIN: Final = "try again"
_OTHER_LINE: Final = "other line settings"
_ELSEWHERE: Final = "another port"
_ALL_THE_SAME: Final = "take it all the same"


async def try_it(
    person: Person, part: Part, driver: Driver, port: str, options: dict[str, Any]
) -> Heard | None:
    """Listen until the device says something, or the person goes on without; None: elsewhere.

    ``options`` are the driver's; line settings that are tried are put there.

    Raises:
        SettingsError: the driver refuses the options that it has from the old configuration.
    """
    sign = SIGNS[part.role]
    while True:
        person.say(sign.do, "bold")
        person.say("  Enter: go on without trying it", "dim")
        try:
            async with listening(part.name, driver, port, options) as ear:
                heard = await ear.hear(sign.heard, person, an_answer_will_do=sign.answers)
        except OptionError as fault:
            raise SettingsError(f"devices.{part.name}: {fault}") from None
        if heard.said:
            person.well(f"the {part.words} is there ({driver.name}: {heard.said})")
        elif heard.line:
            person.kindly(f"{heard.line!r} is no device; Enter goes on without trying it")
            continue
        elif heard.line is None:
            person.kindly(f"Nothing came{f': {heard.why}' if heard.why else ''}.")
            way = await _way_out(person, driver)
            if way == _ELSEWHERE:
                return None
            if way == _OTHER_LINE:
                await _other_line(person, driver, options)
            if way != _ALL_THE_SAME:
                continue
        return heard


async def _way_out(person: Person, driver: Driver) -> str:
    ways = [_AGAIN, _OTHER_LINE, _ELSEWHERE, _ALL_THE_SAME]
    if not issubclass(driver.options, SerialOptions):
        ways.remove(_OTHER_LINE)
    return ways[await person.choose("", ways)]


async def _other_line(person: Person, driver: Driver, options: dict[str, Any]) -> None:
    """Ask for speed and framing of a serial line."""

    def check(text: str) -> tuple[int, str]:
        baud, _, framing = text.upper().partition(" ")
        if baud.isascii() and baud.isdigit() and framing in get_args(Framing):
            if 300 <= int(baud) <= 921_600:
                return int(baud), framing
            raise ValueError(f"{baud} is no speed of a line: 300 to 921600")
        raise ValueError(f"{text!r} is not understood: write it as 9600 8N1 or 4800 7E2")

    line = driver.line(options)
    usual = f"{line.baud} {line.framing}"
    options["baud"], options["framing"] = await person.ask("Speed and framing", usual, check)
