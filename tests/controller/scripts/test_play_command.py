"""``tablekeeper play``: what it prints, where, and its exit status."""

from pathlib import Path

import msgspec
import pytest

from controller.cli import main
from controller.scripts.read import LARGEST
from tests.controller.scripts.playing import BET, GOOD, STAND, changed


def write(folder: Path, **scripts: str) -> list[str]:
    """Write scripts into a folder and return their paths, in the order given."""
    paths = []
    for name, text in scripts.items():
        path = folder / f"{name}.yaml"
        path.write_text(text)
        paths.append(str(path))
    return paths


def play(*paths: str) -> int:
    return main(["play", "--over", "direct", "--json", *paths])


FAILING = GOOD.replace("result: stand-off", "result: win")
BROKEN = changed(STAND, "  - stend")


def test_all_that_was_expected_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(*write(tmp_path, a=GOOD, b=GOOD)) == 0
    told = capsys.readouterr()
    assert [msgspec.json.decode(line)["ok"] for line in told.out.splitlines()] == [True, True]
    assert told.err == ""


def test_an_expectation_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(*write(tmp_path, a=GOOD, b=FAILING, c=GOOD)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [msgspec.json.decode(line)["ok"] for line in lines] == [True, False, True]


@pytest.mark.parametrize("order", [("bad", "failing", "good"), ("good", "failing", "bad")])
def test_a_bad_script_comes_before_a_failed_one_and_stops_nothing(
    order: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"bad": BROKEN, "failing": FAILING, "good": GOOD}
    paths = write(tmp_path, **{name: texts[name] for name in order})
    assert play(*paths) == 2
    told = capsys.readouterr()
    assert [msgspec.json.decode(line)["ok"] for line in told.out.splitlines()] == [
        name == "good" for name in order if name != "bad"
    ]
    bad = paths[order.index("bad")]
    assert told.err.startswith(f"{bad}:{STAND}: 'stend' is no step: ")
    assert told.err.count("\n") == 1


def test_each_fault_is_a_line_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = write(tmp_path, bad=changed(STAND, "  - stand up").replace("main: 10", "main: ten"))
    assert play(path) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert [line.split(": ")[0] for line in told.err.splitlines()] == [
        f"{path}:{BET}", f"{path}:{STAND}",
    ]  # fmt: skip


def test_a_power_cut_needs_the_wire(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = write(tmp_path, cut=changed(STAND, "  - power-cut"))
    assert play(path) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        f"{path}:{STAND}: power-cut needs a table of its own process: only --over wire\n"
    )


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "missing.yaml"
    assert play(str(missing)) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"tablekeeper: {missing}: there is no such file or folder\n"


def test_a_folder_without_scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(str(tmp_path)) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"tablekeeper: {tmp_path}: there is no script (*.yaml) in this folder\n"


def test_a_state_folder_that_is_not_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = write(tmp_path, a=GOOD)
    assert main(["play", "--over", "direct", "--state", str(tmp_path), *paths]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        f"tablekeeper: --state {tmp_path}: a script starts a fresh table, so give an empty folder\n"
    )


def test_an_unknown_way_to_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["play", "--over", "telegraph", *write(tmp_path, a=GOOD)])
    assert end.value.code == 2
    assert "invalid choice: 'telegraph'" in capsys.readouterr().err


def test_without_json_a_result_is_told_to_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = write(tmp_path, bad=FAILING)
    assert main(["play", "--over", "direct", path]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: a round [blackjack-nsw] complete, 1 not as expected",
        "  box 1 ann main                    $10 stand-off, returns $10 (15.1.8)",
        "  NOT AS EXPECTED, line 11: box 1, player ann, wager main, result win",
        "      there is: box 1 ann main                    $10 stand-off, returns $10 (15.1.8)",
    ]


def test_a_script_is_no_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.yaml"
    path.write_bytes(b"# " + b"x" * LARGEST)
    assert main(["play", "--over", "direct", str(path)]) == 2
    assert capsys.readouterr().err == f"{path}:0: is larger than 1024 KiB: a script is one round\n"
