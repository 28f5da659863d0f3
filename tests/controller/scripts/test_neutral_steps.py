"""What is no act on a hand changes nobody's right and no settlement, wherever it comes.

Rights end when the text says so and not before (18.9.5, 8, 18.6.1, 18.14.6): each script is played
with a step put in that says nothing about the round.
"""

from pathlib import Path
from random import Random

import msgspec
import pytest

from controller.cards import pack
from controller.scripts.read import read_script
from controller.scripts.script import Script, Step
from controller.scripts.steps import read_step
from tests.controller.scripts.playing import WIRE_ONLY, comes_to, name_of, play_script, scripts
from tests.torture.extent import FULL, SEED

NEUTRAL = (
    ("burned {other}",),  # 16.1: found face up
    ("unplug meter", "plug meter"),
    ("unplug buttons", "plug buttons"),
    ("unplug shoe", "plug shoe"),
    ("supervisor game-supervisor limits 1 100000",),
    ("supervisor game-supervisor own-limits zoe 1 900000",),
    ("seat-wanted zoe",),
)


def face_beside(script: Script) -> str:
    """Return a card that the script does not speak of."""
    said = {word for step in script.steps for word in step.text.split()}
    return next(card for card in pack(1, tens=False) if card not in said)


def with_steps(script: Script, at: int, words: tuple[str, ...]) -> Script:
    """Return the script with steps put in before one of its own, or behind all."""
    line = script.steps[at].line if at < len(script.steps) else 999
    other = face_beside(script)
    more = [read_step(line, one.format(other=other), script.game.name) for one in words]
    steps: list[Step] = [*script.steps[:at], *more, *script.steps[at:]]
    return msgspec.structs.replace(script, steps=tuple(steps))


def places(script: Script, luck: Random) -> list[tuple[int, tuple[str, ...]]]:
    """Return where steps are put in: all there are in the long run, else a few."""
    every = [(at, words) for at in range(len(script.steps) + 1) for words in NEUTRAL]
    return every if FULL else luck.sample(every, 2)


def fits(script: Script, words: tuple[str, ...]) -> bool:
    """Tell whether the script is of a table where the steps say nothing about the round."""
    said = " ".join(step.text for step in script.steps)
    if "meter" in words[0]:
        return script.game.name == "pontoon-nsw" and "meter" not in said
    if "shoe" in words[0]:  # a shuffler's cards are not entered by hand
        return script.source == "shoe" and "shoe" not in said and "fault" not in said
    return "limits" not in words[0] or not {"limits", "restrict"} & {*said.split()}


@pytest.mark.parametrize(
    "path", [path for path in scripts() if not path.is_relative_to(WIRE_ONLY)], ids=name_of
)
def test_a_neutral_step_anywhere_changes_no_right_and_no_settlement(path: Path) -> None:
    script = read_script(path)
    as_written = comes_to(play_script(script))
    for at, words in places(script, Random(f"{SEED} {name_of(path)}")):
        if fits(script, words):
            beside = tuple(one.format(other=face_beside(script)) for one in words)
            got = comes_to(play_script(with_steps(script, at, words)), beside)
            assert got == as_written, (at, words)
