"""What the devices should show: lamps, the armed button, the meter.

A Pontoon table has surrender buttons (18.2.1) and, where Pandemonium is offered, a jackpot button
and a meter that shows the prize (18.2.2).

Worked out of the table as it stands, so that there is no command to forget: whatever should be
shown and was not told to the device yet is told now, and told again when the device comes back.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from controller.game.machine import machine_for
from controller.game.moves import PrizeDrawn, Surrender
from controller.game.side_wagers import jackpot_due
from controller.money import show
from controller.outcomes import Commanded, Outcome
from controller.table.decision import Decision
from controller.table.state import Sent, TableState


def with_commands(decision: Decision, came_online: str | None) -> Decision:
    """Return the decision with the commands that follow from it.

    ``came_online`` is the device that has just come back: it is told everything again.
    """
    state = decision.state
    told: list[Outcome] = []
    for key, what in _wanted(state):
        device = key.partition(".")[0]
        known = state.commands.get(key)
        if not state.devices[device].online:
            continue
        if known is not None and known.what == what and device != came_online:
            continue
        number = state.next_command
        told.append(Commanded(id=number, device=device, what=what))
        state = msgspec.structs.replace(
            state,
            commands={**state.commands, key: Sent(id=number, what=what)},
            next_command=number + 1,
        )
    return Decision(state, (*decision.outcomes, *told)) if told else decision


def done(state: TableState, device: str, number: int) -> TableState:
    """Note that a command was carried out."""
    commands = {
        key: msgspec.structs.replace(sent, done=True)
        if sent.id == number and key.startswith(f"{device}.")
        else sent
        for key, sent in state.commands.items()
    }
    return msgspec.structs.replace(state, commands=commands)


def _wanted(state: TableState) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, device in state.devices.items():
        if device.role == "buttons":
            yield f"{name}.lamps", {"do": "lamps", "lit": list(_lit(state))}
            yield f"{name}.arm", {"do": "arm", "box": _armed(state)}
        if device.role == "meter":
            yield f"{name}.show", _shown(state)


def _lit(state: TableState) -> Iterator[str]:
    """Yield the buttons that may be pressed now, by their names."""
    play = state.play
    if state.malfunction is not None or state.suspended or state.in_doubt:
        return
    machine = machine_for(play.game)
    for box in play.boxes:
        if machine.allows(play, Surrender(box.number)):
            yield f"surrender-{box.number}"
        if jackpot_due(play, box):
            yield f"jackpot-{box.number}"


def _armed(state: TableState) -> int | None:
    """Return the box that a shared jackpot button is for: the first due, from the left."""
    return next((box.number for box in state.play.boxes if jackpot_due(state.play, box)), None)


def _shown(state: TableState) -> dict[str, Any]:
    """Return what the meter shows: the prize that was drawn last, until the round is cleared."""
    drawn = [box for box in state.play.boxes if box.prize is not None]
    if not drawn:
        return {"do": "clear-prize"}
    last = max(drawn, key=lambda box: _drawn_at(state, box.number))
    assert last.prize is not None
    return {"do": "show-prize", "text": f"BOX {last.number}  {show(last.prize * 100)}"}


def _drawn_at(state: TableState, box: int) -> int:
    return max(
        at
        for at, move in enumerate(state.history)
        if isinstance(move, PrizeDrawn) and move.box == box
    )
