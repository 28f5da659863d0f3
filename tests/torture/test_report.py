"""The table at the end says what was done, how often, and every failure in full."""

from pathlib import Path

import pytest

from tests.torture import extent
from tests.torture.report import Figure, Stopwatch, encoded, kept, table


def test_figures_of_one_name_are_added_up_and_failures_are_told_in_full() -> None:
    one = Figure("kills", done=1200, seconds=1.26, beside=["seed 1"])
    other = Figure("kills", done=3, beside=["seed 1"])
    other.count("found", 2)
    other.fail("round 7 paid twice", "TORTURE_SEED=1 pytest -k '[3]'")

    assert table([one, other, Figure("cuts", done=5, counts={"found": 4, "intact": 1})]) == [
        "what was done  times  right  wrong  seconds  beside it",
        "--------------------------------------------------------------",
        "kills          1,203  1,202      1      1.3  2 found; seed 1",
        "cuts               5      5      0      0.0  4 found; 1 intact",
        "kills: round 7 paid twice",
        "    again: TORTURE_SEED=1 pytest -k '[3]'",
    ]


def test_a_figure_travels_as_a_property_of_its_test() -> None:
    figure = Figure("kills", done=2)
    figure.fail("what", "again")
    assert list(kept([("other", 1), ("torture", encoded(figure))])) == [figure]


def test_a_failure_fails_the_test_and_so_does_having_done_nothing() -> None:
    with Stopwatch(Figure("kills")) as figure, pytest.raises(AssertionError, match="nothing"):
        figure.must_be_right()
    figure.done = 1
    figure.must_be_right()
    figure.fail("lost", "seed 3")
    with pytest.raises(AssertionError, match="lost\n    again: seed 3"):
        figure.must_be_right()


def test_a_part_that_came_out_right_is_not_done_again_after_a_break(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extent, "_KEPT", str(tmp_path / "kept"))
    assert extent.done_before("kills-1") is None
    right, wrong = Figure("kills", done=25), Figure("kills", done=25)
    wrong.fail("lost", "seed 3")
    extent.keep("kills-1", right)
    extent.keep("kills-2", wrong)

    assert extent.done_before("kills-1") == right
    assert extent.done_before("kills-2") is None
    monkeypatch.setattr(extent, "SEED", extent.SEED + 1)
    assert extent.done_before("kills-1") is None
