"""Which tests cite which clause: the Python tests of a checkout and its round scripts.

A test cites a clause in its name (``test_16_2_...``), docstring, comments and strings, and through
the tables it is parametrized with.  A round script does in its folder's name, its title, its
comments and the ``rule`` of what it expects.  ``tests.json`` carries the answer in the package.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from controller.rulebook.index import RuleIndex, RuleIndexError
from controller.rulebook.modules import CitedBy, in_test_module
from controller.rulebook.numbers import NZ, cited, order

TABLE: Final = Path(__file__).parent / "tests.json"
COLLECT: Final = "python -m controller.rulebook.collect"

FOLDERS: Final = ("controller", "oracle", "system")
"""Of the Python tests; those of the drivers know no rules, and their numbers are versions."""

OWN: Final = "rulebook"
"""The folder of the rule index's own tests: what they cite are examples."""

_FOLDER: Final = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)-")
_RULE: Final = re.compile(r"\brule: *[\"']?([^\"',}\s]+)")
_COMMENT: Final = re.compile(r"(?:^|\s)#\s*(.*)$")


def citations_in_tests(index: RuleIndex, tests: Path) -> tuple[CitedBy, ...]:
    """Return what the tests in a checkout's folder cite, strangers to the index among it."""
    found: set[CitedBy] = set()
    for folder in FOLDERS:
        for file in sorted((tests / folder).rglob("test_*.py")):
            if OWN in file.relative_to(tests).parts:
                continue
            path = file.relative_to(tests.parent).as_posix()
            found.update(in_test_module(file.read_text(encoding="utf-8"), path, index))
    for file in sorted((tests / "rounds").rglob("*.yaml")):
        path = file.relative_to(tests.parent).as_posix()
        found.update(in_round(file.read_text(encoding="utf-8"), path, index))
    return tuple(sorted(found, key=_place))


def in_round(text: str, path: str, index: RuleIndex) -> Iterator[CitedBy]:
    """Yield what a round script cites; folders of a New Zealand game cite its division."""
    *folders, _ = path.split("/")
    prefix = NZ if any(folder.endswith("-nz") for folder in folders) else ""
    for folder in folders:
        if (begins := _FOLDER.match(folder)) and f"{prefix}{begins[1]}" in index:
            yield CitedBy(f"{prefix}{begins[1]}", path)
    for line in text.splitlines():
        comment = _COMMENT.search(line)
        data = line[: comment.start()] if comment else line
        title = data.removeprefix("title:").strip() if data.startswith("title:") else ""
        for rule in _RULE.findall(data):
            yield CitedBy(rule, path)
        for said in (title, comment[1] if comment else ""):
            for _, number in cited(said, index.terms):
                if number in index or not number.isdigit():
                    yield CitedBy(number, path)


def _place(one: CitedBy) -> tuple[object, ...]:
    try:
        return (0, order(one.number), one.test)
    except ValueError:  # a stranger, which is told and not sorted by rule
        return (1, one.number, one.test)


# --- the table in the package ---------------------------------------------------------------------


def by_clause(citations: Iterable[CitedBy]) -> dict[str, list[str]]:
    """Return the tests of each clause, in the order of the rules."""
    found: dict[str, list[str]] = {}
    for one in citations:
        found.setdefault(one.number, []).append(one.test)
    return found


def as_json(tests: Mapping[str, list[str]]) -> str:
    """Return the table as it is kept: a line a test, so that a change is read as one."""
    return msgspec.json.format(msgspec.json.encode(tests), indent=1).decode() + "\n"


def kept_tests(table: Path = TABLE) -> dict[str, list[str]]:
    """Return the tests of each clause, as the package carries them.

    Raises:
        RuleIndexError: the table is missing or damaged.
    """
    try:
        return msgspec.json.decode(table.read_bytes(), type=dict[str, list[str]])
    except (OSError, msgspec.DecodeError) as fault:
        raise RuleIndexError(f"{table}: cannot be read: {fault}; run {COLLECT}") from None
