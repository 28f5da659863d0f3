"""Who may answer an alarm is said in the same words wherever it is said."""

from pathlib import Path
from typing import Final

import pytest

from controller.table.roles import WHO_ANSWERS

CHECKOUT: Final = Path(__file__).parents[3]
PAGES: Final = ("README.md", "CHANGELOG.md", "controller/scripts/FORMAT.md")


def _sentences(text: str) -> list[str]:
    flat = " ".join(text.split())
    return [one for one in flat.replace(" | ", ". ").split(". ") if "alarm" in one.lower()]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_that_says_who_answers_says_it_so(page: str) -> None:
    said = [
        one
        for one in _sentences((CHECKOUT / page).read_text(encoding="utf-8"))
        if "supervisor" in one or "answer" in one
    ]
    assert said
    assert [one for one in said if WHO_ANSWERS not in one and "answer-alarm WORD" not in one] == []


def test_no_line_of_the_program_says_it_otherwise() -> None:
    files = [*(CHECKOUT / "controller").rglob("*.py"), *(CHECKOUT / "controller").rglob("*.toml")]
    lines = [
        f"{path.relative_to(CHECKOUT)}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if "alarm" in line.lower() and "supervisor" in line.lower()
    ]
    assert lines == []
