"""Rule 17 over the wire: as in process, also with the power cut between any two of its words."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from tests.controller.scripts.playing import ROUNDS, name_of, play_file

FOLDER: Final = ROUNDS / "malfunction"
CUT: Final = (
    FOLDER / "17.2-transfer" / "split-hand.yaml",
    FOLDER / "17.3-replace" / "two-alike-and-another.yaml",
    FOLDER / "17.3-replace" / "unplugged-for-each-step.yaml",
    FOLDER / "17.4-terminated" / "player-disadvantaged.yaml",
    FOLDER / "17.5-dealing-shoe" / "controlling-player-leaves.yaml",
)
"""Played with the power cut after each line of the procedure."""
AS_WRITTEN: Final = (
    FOLDER / "17.1-when-it-applies" / "link-lost.yaml",
    FOLDER / "17.2-transfer" / "unplugged-before-the-transfer.yaml",
    FOLDER / "17.3-replace" / "old-device-asks-for-service.yaml",
    FOLDER / "17.5.3-shuffled-and-cut" / "the-order-of-the-steps.yaml",
    FOLDER / "17.5-dealing-shoe" / "damaged-cards.yaml",
    FOLDER / "17.5-dealing-shoe" / "nobody-stays.yaml",
)
PROCEDURE: Final = ("  - fault", "  - answer", "  - confirm", "  - refund", "  - continue")
ALIKE: Final = ("title", "ok", "status", "source", "settlements", "pending", "refused", "failed")
WITHIN: Final = 180
"""Seconds that the scripts may take on a busy machine; alone they take forty."""


def with_power_cuts(path: Path) -> str:
    """Return the script with the power cut after each line of its procedure."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        lines.append(line)
        if line.startswith(PROCEDURE):
            lines.append("  - power-cut")
    return "\n".join(lines) + "\n"


PLAYED_ONCE = pytest.mark.xdist_group("malfunctions over the wire")
"""What takes most of a minute is not played by each worker."""


def _start(paths: list[Path]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "controller", "play", "--over", "wire", "--json", *map(str, paths)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def over_wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, dict[str, Any]]]:
    """The results over the wire, two scripts at a time."""
    folder = tmp_path_factory.mktemp("cut")
    played = {path: path for path in AS_WRITTEN}
    for path in CUT:
        played[path] = folder / f"{path.parent.name}-{path.name}"
        played[path].write_text(with_power_cuts(path), encoding="utf-8")
    everything = list(played)
    halves = everything[::2], everything[1::2]
    players = [_start([played[path] for path in half]) for half in halves]
    results: dict[Path, dict[str, Any]] = {}
    try:
        for half, player in zip(halves, players, strict=True):
            out, err = player.communicate(timeout=WITHIN)
            assert err == ""
            told = [msgspec.json.decode(line) for line in out.splitlines()]
            results.update(zip(half, told, strict=True))
        yield results
    finally:
        for player in players:
            if player.poll() is None:
                player.kill()
                player.communicate()


def _same(path: Path, wire: dict[str, Any]) -> None:
    direct = msgspec.to_builtins(play_file(path))
    assert {key: wire[key] for key in ALIKE} == {key: direct[key] for key in ALIKE}


@PLAYED_ONCE
@pytest.mark.parametrize("path", AS_WRITTEN, ids=name_of)
def test_over_the_wire_comes_to_the_same(path: Path, over_wire: dict[Path, dict[str, Any]]) -> None:
    _same(path, over_wire[path])


@PLAYED_ONCE
@pytest.mark.parametrize("path", CUT, ids=name_of)
def test_a_power_cut_after_each_word_changes_nothing(
    path: Path, over_wire: dict[Path, dict[str, Any]]
) -> None:
    assert "power-cut" in with_power_cuts(path)
    _same(path, over_wire[path])
