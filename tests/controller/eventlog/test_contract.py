"""What every log promises, wherever it keeps its rows."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.eventlog import START, Entry, EventLog, Log, MemoryLog, canonical
from controller.eventlog.chain import fits
from controller.eventlog.schema import BATCH

AT = "2026-05-09T07:35:25.123456Z"
LATER = "2026-05-09T07:35:26.000000Z"

KINDS: dict[str, Callable[[Path], Log]] = {
    "on disk": lambda folder: EventLog.open(folder / "log"),
    "in memory": lambda _folder: MemoryLog(),
}


@pytest.fixture(params=KINDS)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    log = KINDS[request.param](tmp_path)
    yield log
    log.close()


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


def test_a_new_log_has_no_rows(log: Log) -> None:
    assert log.head == START
    assert list(log.rows()) == []
    assert log.last_of("note") is None


def test_what_is_appended_is_returned_and_read_back(log: Log) -> None:
    first = log.append(AT, entry("press", key="pedal"), [entry("stood", box=3), entry("due")])
    second = log.append(LATER, entry("card", card="AS"), cause=2)

    assert list(log.rows()) == [*first, *second]
    assert [(row.seq, row.at, row.kind, row.cause, bytes(row.body)) for row in log.rows()] == [
        (1, AT, "press", None, b'{"key":"pedal"}'),
        (2, AT, "stood", 1, b'{"box":3}'),
        (3, AT, "due", 1, b"{}"),
        (4, LATER, "card", 2, b'{"card":"AS"}'),
    ]


def test_the_head_is_the_last_row(log: Log) -> None:
    rows = log.append(AT, entry(), [entry()])

    assert log.head == (2, rows[-1].hash)


def test_every_row_fits_the_one_before(log: Log) -> None:
    for number in range(5):
        log.append(AT, entry(number=number), [entry("outcome", number=number)])

    previous = START.hash
    for row in log.rows():
        assert fits(previous, row)
        previous = row.hash
    assert previous == log.head.hash


@pytest.mark.parametrize(
    ("since", "until", "seqs"),
    [
        (0, None, [1, 2, 3, 4]),
        (2, None, [3, 4]),
        (4, None, []),
        (9, None, []),
        (-3, None, [1, 2, 3, 4]),
        (0, 2, [1, 2]),
        (1, 3, [2, 3]),
        (0, 0, []),
        (0, -1, []),
        (3, 2, []),
        (2, 99, [3, 4]),
    ],
)
def test_rows_are_those_after_since_up_to_until(log: Log, since, until, seqs) -> None:
    for _ in range(4):
        log.append(AT, entry())

    assert [row.seq for row in log.rows(since, until=until)] == seqs


@pytest.mark.parametrize("until", [None, 99])
def test_rows_added_while_reading_wait_for_the_next_call(log: Log, until: int | None) -> None:
    log.append(AT, entry(), [entry()])

    seen = []
    for row in log.rows(until=until):
        seen.append(row.seq)
        log.append(LATER, entry())

    assert seen == [1, 2]
    assert [row.seq for row in log.rows(seen[-1])] == [3, 4]


def test_rows_come_in_order_over_several_batches(log: Log) -> None:
    log.append(AT, entry(), [entry()] * (2 * BATCH))

    assert [row.seq for row in log.rows()] == list(range(1, 2 * BATCH + 2))


def test_the_last_of_a_kind_is_the_latest(log: Log) -> None:
    log.append(AT, entry("started", run=1))
    log.append(AT, entry("started", run=2), [entry("note"), entry("due")])

    last = log.last_of("started")
    assert last is not None
    assert last.seq == 2
    assert log.last_of("start") is None


@pytest.mark.parametrize(
    ("at", "cause", "reason"), [("yesterday", None, "UTC"), (AT, 2, "not in the log")]
)
def test_a_bad_call_raises_and_changes_nothing(log: Log, at, cause, reason) -> None:
    (row,) = log.append(AT, entry())

    with pytest.raises(ValueError, match=reason):
        log.append(at, entry(), cause=cause)

    assert log.head == (1, row.hash)
    assert list(log.rows()) == [row]


@pytest.mark.parametrize(
    "use",
    [
        lambda log: log.append(AT, entry()),
        lambda log: log.rows(),
        lambda log: log.last_of("note"),
        lambda log: log.head,
    ],
    ids=["append", "rows", "last_of", "head"],
)
def test_a_closed_log_is_not_used(log: Log, use) -> None:
    log.append(AT, entry())
    log.close()
    log.close()

    with pytest.raises(ValueError, match="closed"):
        use(log)


steps = st.lists(
    st.tuples(
        st.sampled_from(["press", "card", "note"]),
        st.dictionaries(st.text(max_size=3), st.text(max_size=5) | st.integers(), max_size=2),
        st.integers(0, 3),
    ),
    max_size=6,
)


@settings(max_examples=30, deadline=None)
@given(steps)
def test_memory_and_disk_keep_the_same_rows(steps: list[tuple[str, dict, int]]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(MemoryLog()) as memory,
        closing(EventLog.open(Path(folder))) as disk,
    ):
        for kind, body, outcomes in steps:
            event = Entry(1, kind, canonical(body))
            cause = memory.head.seq or None
            told = memory.append(AT, event, [event] * outcomes, cause)
            assert disk.append(AT, event, [event] * outcomes, cause) == told

        assert list(disk.rows()) == list(memory.rows())
        assert disk.head == memory.head
        for kind in ("press", "card", "note"):
            assert disk.last_of(kind) == memory.last_of(kind)
