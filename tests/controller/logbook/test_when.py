"""Times as an auditor writes them."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from controller.errors import UsageError
from controller.logbook.when import Span, span

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def sydney(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A time zone with daylight saving, far from UTC: it is 14:00 there."""
    monkeypatch.setenv("TZ", "Australia/Sydney")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("since", "until", "begin", "end"),
    [
        (None, None, "", "~"),
        ("today", None, "2026-11-29T13:00:00.000000Z", "~"),
        ("yesterday", None, "2026-11-28T13:00:00.000000Z", "~"),
        (None, "today", "", "2026-11-30T12:59:59.999999Z"),
        (None, "yesterday", "", "2026-11-29T12:59:59.999999Z"),
        ("2026-05-09", "2026-05-09", "2026-05-08T14:00:00.000000Z", "2026-05-09T13:59:59.999999Z"),
        ("2026-05-09 14:05", None, "2026-05-09T04:05:00.000000Z", "~"),
        ("2026-05-09T14:05:10", None, "2026-05-09T04:05:10.000000Z", "~"),
        (None, "2026-05-09 14:05:10.5", "", "2026-05-09T04:05:10.500000Z"),
        ("2026-05-09T04:05:00Z", None, "2026-05-09T04:05:00.000000Z", "~"),
        ("2026-05-09 04:05+02:00", None, "2026-05-09T02:05:00.000000Z", "~"),
        # Clocks go forward: the day has 23 hours; and back: 25.
        ("2026-10-04", "2026-10-04", "2026-10-03T14:00:00.000000Z", "2026-10-04T12:59:59.999999Z"),
        ("2026-04-05", "2026-04-05", "2026-04-04T13:00:00.000000Z", "2026-04-05T13:59:59.999999Z"),
    ],
)
def test_what_is_written_is_what_is_meant(since, until, begin: str, end: str) -> None:
    assert span(since, until, NOW) == Span(begin, end)


@pytest.mark.parametrize(
    "text",
    ["", "noon", "14:05", "2026-11", "2026-11-31", "20261130", "2026-W48-1", "Today", "9999-12-31x",
     "2026-11-30 25:00", "30.11.2026", "0000-01-01"],
)  # fmt: skip
def test_what_is_no_time_is_answered_with_what_is_one(text: str) -> None:
    with pytest.raises(UsageError, match=r'2026-11-30.*"2026-11-30 14:05".*today or yesterday'):
        span(text, None, NOW)


def test_times_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(UsageError, match="--since today is after --until yesterday"):
        span("today", "yesterday", NOW)


def test_a_span_holds_its_ends() -> None:
    one = span("2026-05-09", "2026-05-09", NOW)

    assert one.holds(one.since)
    assert one.holds(one.until)
    assert one.meets("", one.since)
    assert one.meets(one.until, "~")
    assert not one.meets("", "2026-05-08T13:59:59.999999Z")
    assert not one.meets("2026-05-09T14:00:00.000000Z", "~")
