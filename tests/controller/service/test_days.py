"""Which gaming day a moment is in, and when the next one must begin."""

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.service.days import gaming_day


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
