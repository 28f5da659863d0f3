"""A demo in a terminal."""

from pathlib import Path

from tests.system.processes import PROGRAM, naming, tablekeeper
from tests.system.terminal import Terminal


def test_it_is_drawn_in_place_and_ctrl_c_leaves_the_terminal_as_it_was(folder: Path) -> None:
    state, scratch = folder / "state", folder / "tmp"
    scratch.mkdir()
    command = [*PROGRAM, "demo", "--fast", "--seed", "1", "--state", state]
    with Terminal(command, {"TMPDIR": str(scratch)}) as terminal:
        terminal.until("Demo", "round 2", "Ctrl-C ends the demo", "pay", "dealer", "♠", "shoe")
        terminal.type("\x03")

        assert terminal.ended() == 0
        assert terminal.is_restored()
        assert "Traceback" not in terminal.text
    assert naming(scratch) == {}
    assert list(scratch.iterdir()) == []
    assert tablekeeper("log", "verify", state).returncode == 0


def test_at_a_human_pace_cards_come_one_by_one(folder: Path) -> None:
    command = [*PROGRAM, "demo", "--seed", "1", "--state", folder / "state"]
    with Terminal(command, {"TMPDIR": str(folder)}) as terminal:
        terminal.until("Demo", "round 1", "Burn the first card")
        terminal.type("\x03")

        assert terminal.ended() == 0
