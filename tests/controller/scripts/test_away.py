"""Who walks away and is back at once has lost no right, and nobody else has either (16.8)."""

from pathlib import Path
from typing import Final

import msgspec
import pytest

from controller.scripts.read import read_script
from controller.scripts.script import Script, Step
from controller.scripts.steps import read_step
from tests.controller.scripts.playing import WIRE_ONLY, comes_to, name_of, play_script, scripts

OF_THE_LAST_STEP: Final = frozenset({"undo", "for-next", "key", "pedal"})
"""Words that are about the step just before them: another step there changes what they mean."""

NOT_NEUTRAL: Final = frozenset({"absent", "present", "error-card"})
"""With these the walk is no bystander: a card in error goes to who is there to take it (16.4)."""


def _script(path: Path) -> Script | None:
    if path.is_relative_to(WIRE_ONLY):
        return None
    script = read_script(path)
    words = {step.word for step in script.steps}
    return None if words & (OF_THE_LAST_STEP | NOT_NEUTRAL) else script


ROUNDS: Final = [path for path in scripts() if _script(path)][::3]


def _with_walks(script: Script) -> Script:
    """Return the round with everybody walking away and coming back after every step."""
    boxes = sorted({wager.box for wager in script.wagers})
    walks = [f"{word} {box}" for box in boxes for word in ("absent", "present")]
    walk = [read_step(0, words, script.game.name) for words in walks]
    steps: list[Step] = [one for step in script.steps for one in (step, *walk)]
    return msgspec.structs.replace(script, steps=tuple(steps))


@pytest.mark.parametrize("path", ROUNDS, ids=name_of)
def test_16_8_a_note_that_is_taken_back_at_once_changes_nothing(path: Path) -> None:
    script = _script(path)
    assert script is not None
    walked = comes_to(play_script(_with_walks(script)), beside=("absent", "present"))
    assert walked == comes_to(play_script(script))
