"""The table of attacks names tests that there are."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
TEST = re.compile(r"`([a-z0-9_/.-]+\.py)(?:::(\w+))?`")
ROWS = [
    line
    for line in (HERE / "README.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| attack ")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:60])
def test_each_attack_has_its_test(row: str) -> None:
    cells = [cell.strip() for cell in row.strip("|").split(" | ")]
    assert len(cells) == 4, cells
    named = TEST.findall(cells[3])
    assert named, row
    for file, function in named:
        text = (TESTS / file).read_text("utf-8")
        assert re.search(rf"def {function or 'test_'}", text), (file, function)
