"""Which gaming day a moment is in, and when the next one must begin."""

from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.eventlog.memory import MemoryLog
from controller.service.days import Days, gaming_day
from controller.settings import read_settings


@pytest.mark.parametrize(
    ("now", "starts", "day"),
    [
        ("2026-05-09T05:59:59", "06:00", "2026-05-08"),
        ("2026-05-09T06:00:00", "06:00", "2026-05-09"),
        ("2026-05-10T05:59:59", "06:00", "2026-05-09"),
        ("2026-05-09T00:00:00", "00:00", "2026-05-09"),
        ("2026-03-01T03:00:00", "04:30", "2026-02-28"),
    ],
)
def test_until_it_begins_it_is_the_day_before(now: str, starts: str, day: str) -> None:
    told = gaming_day(datetime.fromisoformat(now), time.fromisoformat(starts))
    assert told == date.fromisoformat(day)


@given(
    st.datetimes(datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2060-01-01")),
    st.times(),
)
def test_a_day_lasts_a_day(now: datetime, starts: time) -> None:
    starts = starts.replace(second=0, microsecond=0)
    day = gaming_day(now, starts)
    assert gaming_day(now + timedelta(days=1), starts) == day + timedelta(days=1)
    begins = datetime.combine(day, starts)
    assert begins <= now < begins + timedelta(days=1)


@pytest.mark.parametrize(
    ("moved", "due"),
    [
        (timedelta(0), False),
        (timedelta(hours=-3), False),  # into the gaming day before, which is not begun again
        (timedelta(days=-1), False),
        (timedelta(days=-3), True),
        (timedelta(days=1), True),
    ],
)
def test_a_clock_set_back_by_little_begins_no_day(
    tmp_path: Path, moved: timedelta, due: bool
) -> None:
    assert days_at(tmp_path, moved).is_due(None) is due


def days_at(tmp_path: Path, moved: timedelta) -> Days:
    """Return the days of a table whose clock shows so much more than when its day began."""
    config = tmp_path / "table.toml"
    config.write_text(
        f'[table]\nname = "T"\ngame = "pontoon-nsw"\nstate = "{tmp_path}/s"\n'
        f'[devices.shoe]\ndriver = "angel-eye"\nport = "{tmp_path}/p"\n'
    )
    log = MemoryLog()
    log.begin_day("2026-05-09T07:35:25.123456Z", {"date": "2026-05-09"})
    now = datetime.fromisoformat("2026-05-09T07:35:25") + moved
    return Days(read_settings(config), log, lambda: now)
