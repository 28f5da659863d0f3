"""What each press means: an action after the other, each by pressing what shall mean it."""

from collections.abc import Mapping, Sequence
from typing import Final

from controller.setup.answers import NOTHING, Person
from controller.setup.listening import Ear
from controller.table.controls import DEFAULT_CONTROLS
from drivers.events import DeviceEvent, Press

WORDS: Final[Mapping[str, str]] = {
    "go-on": "go on (no more bets, stands, paid and cleared)",
    "take-back": "take back the last step",
    "for-next": "that card was for the next hand",
    "same-again": "the same boxes and wagers as last round",
    "even-money": "even money",
}
"""Actions whose names do not say it all."""

ON_A_PEDAL: Final = ("go-on", "take-back", "for-next")
ON_KEYS: Final = tuple(
    dict.fromkeys(
        action for control, action in DEFAULT_CONTROLS.items() if control.startswith("keys.")
    )
)


def usual(device: str) -> dict[str, str]:
    """Return what the controls of a device mean if nobody says otherwise."""
    return {
        control: action
        for control, action in DEFAULT_CONTROLS.items()
        if control.startswith(f"{device}.")
    }


async def map_presses(
    person: Person, ear: Ear, device: str, actions: Sequence[str], before: Mapping[str, str]
) -> dict[str, str]:
    """Return control to action, as pressed; Enter leaves an action as it is ``before``."""
    mapped: dict[str, str] = {}
    for action in actions:
        control = await _control_for(person, ear, device, action, before, mapped)
        if control:
            mapped[control] = action
            person.well(f"{control} means {WORDS.get(action, action)}")
    return mapped


async def _control_for(
    person: Person,
    ear: Ear,
    device: str,
    action: str,
    before: Mapping[str, str],
    mapped: Mapping[str, str],
) -> str:
    """Return the control that shall mean the action, "" for none."""
    had = next((control for control, meant in before.items() if meant == action), "")
    stays = f"Enter: {had}" if had else "Enter: nothing"
    person.say(f"Press, or press and hold, what means: {WORDS.get(action, action)}", "bold")
    person.say(f"  {stays}" + (f" · {NOTHING}: nothing" if had else ""), "dim")
    while True:
        heard = await ear.hear(_is_press, person)
        if isinstance(heard.event, Press):
            control = f"{device}.{heard.event.control}{' hold' * heard.event.held}"
        elif heard.line in {"", NOTHING}:
            control = "" if heard.line else had
        else:
            person.kindly(
                f"{heard.line!r} is no press: press it, or type Enter"
                if heard.line
                else f"nothing came{': ' + heard.why if heard.why else ''}; press it, or type Enter"
            )
            continue
        if control not in mapped:
            return control
        meant = mapped[control]
        person.kindly(f"{control} means {WORDS.get(meant, meant)} already: press another")


def _is_press(event: DeviceEvent) -> bool:
    return isinstance(event, Press)
