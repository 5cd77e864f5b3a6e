from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from results.analysis.days import utc_day, week_start, within_days


def test_the_week_of_a_sunday_starts_on_the_monday_before() -> None:
    assert week_start(date(2026, 11, 29)) == date(2026, 11, 23)
    assert week_start(date(2026, 11, 23)) == date(2026, 11, 23)
    assert week_start(date(2027, 1, 1)) == date(2026, 12, 28)


@pytest.mark.parametrize("days", [3, 4])
def test_a_window_of_days_does_not_depend_on_the_hour(days: int) -> None:
    early, late = datetime(2026, 11, 29, 0, 10, tzinfo=UTC), datetime(2026, 11, 29, 23, 50, tzinfo=UTC)
    measured = date(2026, 11, 26)
    assert within_days(measured, early, days) == within_days(measured, late, days) == (days == 4)


def test_tomorrow_is_in_no_window() -> None:
    assert not within_days(date(2026, 11, 30), datetime(2026, 11, 29, 12, tzinfo=UTC), 9)


@pytest.mark.parametrize("hours", [-8, 0, 9])
def test_a_moment_has_one_day_wherever_it_is_read(hours: int) -> None:
    moment = datetime(2026, 11, 29, 23, 59, tzinfo=UTC)
    assert utc_day(moment.astimezone(timezone(timedelta(hours=hours)))) == date(2026, 11, 29)


def test_a_moment_without_a_zone_has_no_day() -> None:
    with pytest.raises(ValueError, match="time zone"):
        utc_day(datetime(2026, 11, 29, 12))  # noqa: DTZ001
