"""A damaged file is shown as far as it can be read, and said to be damaged where it is."""

import shutil
from pathlib import Path

import pytest

from controller.eventlog import LogAltered, Row
from controller.logbook import reading
from controller.logbook.reading import Gap, rows_and_gaps
from tests.controller.logbook.logs import TEXTS, Ask, play_texts

PAGE = 4096


@pytest.fixture(scope="session")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the state of a table with 16 rounds."""
    state = tmp_path_factory.mktemp("long") / "state"
    play_texts([*TEXTS[:3] * 5, TEXTS[3]], state)
    return state


def file_of(state: Path) -> Path:
    (file,) = (state / "log").glob("*.db")
    return file


def pages(state: Path) -> int:
    return file_of(state).stat().st_size // PAGE


def spoil(state: Path, page: int) -> None:
    """Overwrite a page of the file."""
    with file_of(state).open("r+b") as out:
        out.seek(page * PAGE)
        out.write(b"\xff" * PAGE)


def test_any_page_may_be_lost_and_the_rest_is_shown(
    ask: Ask, long_log: Path, tmp_path: Path
) -> None:
    """Whichever page it is: no traceback, and what is shown and what is missing is all there is."""
    with_gaps = 0
    for page in range(1, pages(long_log), 3):
        state = shutil.copytree(long_log, tmp_path / str(page))
        spoil(state, page)
        listed = ask("rounds", state)
        told = ask("show", 8, state)
        said = listed.out + listed.err
        with_gaps += "!!! THE LOG WAS ALTERED OR DAMAGED" in said
        if listed.status not in {0, 1}:
            assert "altered" in listed.err
        assert told.out.startswith("Round 8, ") or "\ntablekeeper: " in f"\n{told.err}"
        shutil.rmtree(state)
    assert with_gaps > 3


class Damaged:
    """A log of which some events can't be read, as a file with lost pages is."""

    def __init__(self, last: int, bad: set[int]) -> None:
        self._last = last
        self._bad = bad
        self.asked = 0

    @property
    def head(self):
        return type("Head", (), {"seq": self._last})

    def rows(self, since: int = 0, *, until: int | None = None):
        self.asked += 1
        end = min(self._last, until or self._last)
        batch = range(since + 1, min(end, since + 500) + 1)
        if self._bad.intersection(batch):
            raise LogAltered(Path("log"), 0, "the file is damaged")
        for seq in batch:
            yield Row(seq, "", 1, "note", None, b"{}", "")
        if end > since + 500:
            yield from self.rows(since + 500, until=end)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "bad",
    [
        set(),
        {1},
        {3000},
        {1500},
        {1499, 1501},
        set(range(100, 130)) | set(range(140, 150)),
        set(range(1, 3001)),
        set(range(1200, 3001)),
        set(range(400, 2600)),
    ],
    ids=lambda bad: f"{len(bad)} bad",
)
def test_rows_and_gaps_are_together_the_whole_log(bad: set[int]) -> None:
    log = Damaged(3000, bad)
    items = list(rows_and_gaps(log))
    read = {item.seq for item in items if isinstance(item, Row)}
    lacking = {
        seq
        for item in items
        if isinstance(item, Gap) and item.last
        for seq in range(item.first, item.last + 1)
    }

    assert read == set(range(1, 3001)) - bad
    assert lacking == bad
    assert [item.seq for item in items if isinstance(item, Row)] == sorted(read)


def test_a_million_lost_events_are_not_tried_one_by_one() -> None:
    log = Damaged(1_000_000, set(range(1000, 999_990)))
    items = list(rows_and_gaps(log))

    assert items[-1].seq == 1_000_000
    assert log.asked < 3 * reading.EACH


def test_a_log_whose_end_cannot_be_read_is_said_to_be_altered(
    ask: Ask, long_log: Path, tmp_path: Path
) -> None:
    state = shutil.copytree(long_log, tmp_path / "state")
    for page in range(1, pages(state)):
        spoil(state, page)
    for words in (["rounds"], ["show"], ["export"]):
        said = ask(*words, state)
        assert said.status != 0
        assert "altered" in (said.out + said.err).lower()
        assert "Traceback" not in said.err
