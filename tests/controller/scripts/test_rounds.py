"""The round scripts hold: what they expect is all that happens, in process and over the wire.

A script ends complete and nothing is refused in it, unless comments at its head say otherwise:
``# status: open``, ``# refused: 1``, ``# corrections: 2``, ``# rows: 0``.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.cli import main
from controller.scripts.read import read_script
from tests.controller.scripts.playing import (
    ROUNDS,
    WIRE_ONLY,
    head_of,
    name_of,
    play_file,
    scripts,
)

ALIKE = ("title", "game", "ok", "status", "source", "pending", "refused", "corrections")
"""What comes out the same, whichever way a script is played, beside the settlements."""

WITHIN = 90
"""Seconds that the scripts over the wire may take on a busy machine; alone they take twenty."""

ANYWHERE = [path for path in scripts() if not path.is_relative_to(WIRE_ONLY)]


@pytest.mark.parametrize("path", ANYWHERE, ids=name_of)
def test_a_script_expects_every_settlement_and_each_is_as_expected(path: Path) -> None:
    result = play_file(path)
    assert result.failed == []
    head = head_of(path)
    rows = len(read_script(path).expected) if head.rows is None else head.rows
    assert len(result.settlements) == rows, result.settlements
    assert result.status == head.status
    assert len(result.refused) == head.refused, result.refused
    assert len(result.corrections) == head.corrections, result.corrections


def test_scripts_have_titles_of_their_own() -> None:
    titles: dict[tuple[str, str], Path] = {}
    for path in scripts():
        script = read_script(path)
        same = titles.setdefault((script.game.name, script.title), path)
        assert same == path, f"{name_of(path)} is called like {name_of(same)}"


def _sample() -> list[Path]:
    """Return the first script of every fifth folder, all about devices, and all for the wire."""
    folders = sorted({path.parent for path in ANYWHERE})[::5]
    firsts = {path.parent: path for path in reversed(ANYWHERE) if path.parent in folders}
    about_devices = [path for path in ANYWHERE if path.parent.name == "devices"]
    wire_only = [path for path in scripts() if path.is_relative_to(WIRE_ONLY)]
    return sorted({*firsts.values(), *about_devices, *wire_only})


SAMPLE = _sample()


PLAYED_ONCE = pytest.mark.xdist_group("rounds over the wire")
"""What takes most of a minute is not played by each worker."""


def _start(paths: list[Path]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "controller", "play", "--json", *map(str, paths)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def over_wire() -> Iterator[dict[Path, dict[str, Any]]]:
    """The results of the sample over the wire, two scripts at a time."""
    halves = SAMPLE[::2], SAMPLE[1::2]
    players = [_start(half) for half in halves]
    results: dict[Path, dict[str, Any]] = {}
    try:
        for half, player in zip(halves, players, strict=True):
            out, err = player.communicate(timeout=WITHIN)
            assert (player.returncode, err) == (0, "")
            told = [msgspec.json.decode(line) for line in out.splitlines()]
            results.update(zip(half, told, strict=True))
        yield results
    finally:
        for player in players:
            if player.poll() is None:
                player.kill()
                player.communicate()


def _without_chance(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows without the amount that a drawn prize pays (18.14.6)."""
    return [{**row, "pays": None} if row["rule"] == "18.14.4" else row for row in rows]


@PLAYED_ONCE
@pytest.mark.parametrize("path", [p for p in SAMPLE if p in ANYWHERE], ids=name_of)
def test_over_the_wire_comes_to_the_same(path: Path, over_wire: dict[Path, dict[str, Any]]) -> None:
    direct = msgspec.to_builtins(play_file(path))
    wire = over_wire[path]
    assert {key: wire[key] for key in ALIKE} == {key: direct[key] for key in ALIKE}
    assert _without_chance(wire["settlements"]) == _without_chance(direct["settlements"])


@PLAYED_ONCE
@pytest.mark.parametrize("path", [p for p in SAMPLE if p not in ANYWHERE], ids=name_of)
def test_what_only_the_wire_can_do(path: Path, over_wire: dict[Path, dict[str, Any]]) -> None:
    wire = over_wire[path]
    assert wire["failed"] == []
    assert len(read_script(path).expected) == len(wire["settlements"])
    assert (wire["status"], wire["refused"], wire["pending"]) == (head_of(path).status, [], [])


def test_a_folder_is_played_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROUNDS / "pontoon-nz" / "5.1-settlement"
    assert main(["play", "--over", "direct", "--json", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = [read_script(path).title for path in sorted(folder.glob("*.yaml"))]
    assert [msgspec.json.decode(line)["title"] for line in lines] == titles
