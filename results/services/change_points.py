"""Proposing change points from what the detectors see, and deciding about them. Rows are never recomputed."""

from uuid import UUID

from django.db import transaction
from pydantic import ValidationError

from results import clock
from results.analysis.changes import Change
from results.documents.change_point import ChangeDecision, WatchedSeries
from results.documents.refusal import DocumentError, Problem
from results.metrics import METRICS, Direction
from results.models import AuditEvent, ChangePoint
from results.queries.history import History, Series, X, history, series_columns


def read_series(value: object) -> WatchedSeries:
    """DocumentError names every problem at its place."""
    try:
        return WatchedSeries.model_validate(value)
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None


def read_decision(value: object) -> ChangeDecision:
    """DocumentError names every problem; ``run`` and ``moved`` belong together."""
    try:
        decision = ChangeDecision.model_validate(value)
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None
    if (decision.status == "moved") != (decision.run is not None):
        raise _refused("/run", "moved", "name the run where the change begins if, and only if, it is moved")
    return decision


@transaction.atomic
def propose_changes(*, watched: WatchedSeries, actor: str, request_id: str = "") -> History:
    """Store what the detectors see now and no row holds; the history with its rows afterwards.

    Two calls at once leave one row per change. DocumentError for a series that nothing was measured of.
    """
    found = history(_series(watched))
    if found.family is None or not found.observed:
        raise _refused("", "nothing_measured", "nothing was measured of this series")
    rows = [_row(found, change) for change in found.seen]
    ChangePoint.objects.bulk_create(rows, ignore_conflicts=True)
    if rows:
        _audit(actor, "propose", str(found.digest), {"runs": [str(row.run_id) for row in rows]}, request_id)
    return history(_series(watched))


@transaction.atomic
def decide_change(
    *, point_id: int, decision: ChangeDecision, actor: str, request_id: str = ""
) -> ChangePoint:
    """Accept, reject or move a change point; a later decision replaces an earlier one, both are audited.

    ChangePoint.DoesNotExist without such a row; DocumentError for a run that is not of its series.
    """
    row = ChangePoint.objects.select_for_update().select_related("scenario").get(id=point_id)
    moved = None if decision.run is None else UUID(decision.run)
    if moved is not None:
        _check_place(row, moved)
    before = row.status
    row.status, row.moved_to_id, row.note = decision.status, moved, decision.note
    row.decided_at, row.decided_by = clock.now(), actor[:80]
    row.save(update_fields=["status", "moved_to", "note", "decided_at", "decided_by"])
    details: dict[str, object] = {"from": before, "to": row.status, "run": decision.run}
    _audit(actor, "decide", str(row.id), details, request_id)
    return row


def _series(watched: WatchedSeries) -> Series:
    for pointer, key in (("/metric", watched.metric), ("/x", watched.x)):
        if key not in METRICS or METRICS[key].direction is Direction.NEUTRAL:
            raise _refused(pointer, "metric", f"{key} is not a metric with a better direction")
    return Series(**watched.model_dump())


def _row(found: History, change: Change) -> ChangePoint:
    return ChangePoint(
        series=str(found.digest),
        **series_columns(found),
        run_id=UUID(change.run),
        gain=change.gain,
        before=change.before,
        votes=sorted(vote.value for vote in change.votes),
        confirmed=change.confirmed,
        algorithm_version=change.algorithm_version,
        created_at=clock.now(),
    )


def _check_place(row: ChangePoint, run: UUID) -> None:
    """A change moves along its own series."""
    series = Series(
        model=row.run.recipe.language_model.slug,
        scenario=str(row.scenario),
        family=row.family,
        metric=row.metric,
        basis=row.basis,
        load=row.load,
        x=row.x_metric or X,
        at=row.x,
    )
    if run == row.run_id or str(run) not in {one.run for one in history(series).observed}:
        raise _refused("/run", "other_series", "not another run of this series")


def _audit(actor: str, verb: str, identifier: str, details: dict[str, object], request_id: str) -> None:
    AuditEvent.objects.create(
        at=clock.now(),
        actor=actor[:80],
        verb=verb,
        object_type="change_point",
        object_id=identifier,
        details=details,
        request_id=request_id,
    )


def _refused(pointer: str, rule: str, message: str) -> DocumentError:
    return DocumentError([Problem(pointer=pointer, rule=rule, message=message)])
