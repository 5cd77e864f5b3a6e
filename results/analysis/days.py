"""Days and weeks in UTC. Results are dated by the UTC day of their measurement, whatever the hour now."""

from datetime import UTC, date, datetime, timedelta


def utc_day(moment: datetime) -> date:
    """ValueError for a moment without a time zone: its day is not known."""
    if moment.tzinfo is None:
        raise ValueError("a moment needs a time zone")
    return moment.astimezone(UTC).date()


def week_start(day: date) -> date:
    """Monday of the ISO 8601 week."""
    return day - timedelta(days=day.weekday())


def within_days(day: date, now: datetime, days: int) -> bool:
    """Whether ``day`` is one of the last ``days`` UTC days with today, at whatever hour ``now`` is."""
    age = (utc_day(now) - day).days
    return 0 <= age < days
