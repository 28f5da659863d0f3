"""What the README and the Makefile tell people to type exists."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from controller.cli import main
from tests.controller.rulebook.pictures import pictures, shows
from tests.system.processes import PATIENCE, PROGRAM

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"(?:^ *|`|\$ |\.venv/bin/)((?:tablekeeper|make) [^`#\n]*)", re.MULTILINE)


def commands(text: str) -> list[list[str]]:
    """Return the commands in a text, each as its words."""
    return [shlex.split(found.replace("\\\n", " ")) for found in COMMAND.findall(text)]


SHOWN = commands((ROOT / "README.md").read_text())


def test_it_shows_the_two_commands() -> None:
    assert ["make", "demo"] in [words[:2] for words in SHOWN]
    assert ["make", "test"] in [words[:2] for words in SHOWN]
    assert ["tablekeeper", "run"] in [words[:2] for words in SHOWN]


@pytest.mark.parametrize("words", [words for words in SHOWN if words[0] == "tablekeeper"], ids=str)
def test_each_tablekeeper_command_is_one(words: list[str]) -> None:
    """Say it with ``--help`` after its command: every word before must be known."""
    actions = [word for word in words[1:3] if word.isalpha() and word.islower()]
    with pytest.raises(SystemExit) as ended:
        main([*actions, "--help"])

    assert ended.value.code == 0
    options = [word for word in words if word.startswith("--")]
    usage = help_of(actions)
    assert [option for option in options if option not in usage] == []


def help_of(actions: list[str]) -> str:
    done = subprocess.run(
        [*PROGRAM, *actions, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("words", [words for words in SHOWN if words[0] == "make"], ids=str)
def test_each_make_target_is_one(words: list[str]) -> None:
    done = subprocess.run(
        ["/usr/bin/make", "--dry-run", *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_two_screens_and_the_picture_are_enough() -> None:
    page = (ROOT / "README.md").read_text()
    for picture in pictures(page):
        page = page.replace(picture, "")
    assert len(page.splitlines()) <= 120


def test_its_picture_of_the_round_is_the_one_that_the_rows_give() -> None:
    assert shows((ROOT / "README.md").read_text(), "round")
