"""Which points a later build of the same configuration measured again. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

#: A run that states no time was measured before all that do.
LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BuildRun:
    """What a run of one build measured, as ``(id, load, validity)``, and when.

    Equal ``configuration`` on an equal ``scenario`` is one deployment before and after an upgrade. ``named``:
    the recipe says which build it is.
    """

    configuration: str
    scenario: int
    at: datetime | None
    named: bool
    points: Sequence[tuple[int, int, str]]

    @property
    def day(self) -> tuple[date, bool]:
        return (self.at or LONG_AGO).astimezone(UTC).date(), self.named


def outdated(runs: Iterable[BuildRun]) -> set[int]:
    """Points that a later build of the same configuration measured again, at the same load.

    Builds measured on one UTC day stand beside each other: they are being compared. Where a source does not
    name the build, it is the one that another source names for that day.
    """
    newest: dict[tuple[str, int], dict[tuple[int, str], tuple[date, bool]]] = {}
    dated = [(one, one.day, newest.setdefault((one.configuration, one.scenario), {})) for one in runs]
    for one, day, latest in dated:
        for _id, load, validity in one.points:
            if (load, validity) not in latest or latest[load, validity] < day:
                latest[load, validity] = day
    return {
        number
        for one, day, latest in dated
        for number, load, validity in one.points
        if day < latest[load, validity]
    }
