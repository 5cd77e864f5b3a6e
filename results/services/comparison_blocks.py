"""Blocks of a comparison as the statistics see them, from its runs and their points."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from results.analysis.gains.blocks import Block, Observation, Side
from results.models import Comparison, Point, Run, State
from results.queries.conditions import run_conditions
from results.queries.points import point_values

_SIDES = {"A": Side.BASELINE, "B": Side.CANDIDATE}
#: A point that is invalid or failed is no measurement; a diagnostic one is, and its page says so.
_MEASURED = (Point.Validity.VALID, Point.Validity.DIAGNOSTIC)


def comparison_blocks(comparison: Comparison) -> list[Block]:
    """Blocks of the runs that succeeded; a run that failed leaves its block incomplete. Two queries."""
    members = list(comparison.members.select_related("run__recipe", "run__scenario").order_by("position"))
    measured = [member for member in members if member.run.state == State.SUCCEEDED]
    seen = observations([(member.run, _SIDES[member.arm]) for member in measured])
    found: dict[int, list[Observation]] = {member.block: [] for member in members}
    for member, observation in zip(measured, seen, strict=True):
        found[member.block].append(observation)
    return [Block(number, tuple(of_block)) for number, of_block in found.items()]


def observations(runs: Sequence[tuple[Run, Side]]) -> list[Observation]:
    """One per run, in order; the runs were fetched with recipe and scenario. One query."""
    points = _points(run.id for run, _side in runs)
    return [_observation(run, side, points.get(run.id, [])) for run, side in runs]


def _points(runs: Iterable[Any]) -> dict[Any, list[Point]]:
    result: dict[Any, list[Point]] = {}
    measured = Point.objects.filter(run__in=list(runs), validity__in=_MEASURED)
    chosen = measured.filter(Q(attempt__isnull=True) | Q(attempt__state=State.SUCCEEDED))
    for point in chosen.select_related("attempt__host").order_by("load", "id"):
        result.setdefault(point.run_id, []).append(point)
    return result


def _observation(run: Run, side: Side, points: list[Point]) -> Observation:
    hosts = [point.attempt.host for point in points if point.attempt is not None]
    host = next((host for host in hosts if host is not None), None)
    return Observation(
        side=side,
        launch=str(run.id),
        values={point.load: point_values(point) for point in points},
        started_at=_earliest(point.started_at for point in points) or run.started_at,
        host=host.name if host is not None else None,
        conditions=run_conditions(run),
    )


def _earliest(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)
