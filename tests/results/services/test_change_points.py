"""Change points: proposed once, decided by people, never recomputed."""

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from results.documents.refusal import DocumentError
from results.models import AuditEvent, ChangePoint, Point, Run, State
from results.queries.history import Series, history
from results.services.change_points import decide_change, propose_changes, read_decision, read_series
from results.services.publish_curve import publish_curve
from tests.conftest import Clock
from tests.factories import make_point, make_recipe, make_run

LEVELS = [100.0 + n % 3 for n in range(12)] + [120.0 + n % 3 for n in range(6)]


def nights(clock: Clock) -> list[Run]:
    """One run a night of one recipe; the level rises with the thirteenth."""
    runs, recipe = [], make_recipe()
    for level in LEVELS:
        clock.advance(86_400)
        run = make_run(state=State.SUCCEEDED, label="night", recipe=recipe, created_at=clock.now())
        point = make_point(run, 4, total_throughput_per_gpu=level)
        Point.objects.filter(id=point.id).update(measured_at=clock.now())
        runs.append(run)
    publish_curve(run=runs[-1].id)
    return runs


def watched(**changes: Any) -> Any:
    key = history(Series()).families[0].key
    return read_series({"model": "northstar-tiny", "scenario": "cpu-8k", "family": key, "load": 4} | changes)


@pytest.mark.django_db
def test_a_change_is_proposed_once_and_stays_as_people_left_it(clock: Clock, monkeypatch: Any) -> None:
    runs = nights(clock)
    first = propose_changes(watched=watched(), actor="token:x")
    (row,) = ChangePoint.objects.all()
    assert row.run_id == runs[12].id
    assert row.gain == pytest.approx(0.2, abs=0.03)
    assert (first.seen, [one.status for one in first.stored]) == ((), ["proposed"])
    decide_change(
        point_id=row.id, decision=read_decision({"status": "rejected", "note": "new driver"}), actor="t"
    )
    monkeypatch.setattr("results.analysis.changes.ALGORITHM_VERSION", "changes-2")
    again = propose_changes(watched=watched(), actor="token:x")
    (kept,) = again.stored
    assert (kept.status, kept.note, kept.algorithm_version) == ("rejected", "new driver", "changes-1")
    assert ChangePoint.objects.count() == 1
    assert set(AuditEvent.objects.values_list("verb", flat=True)) == {"propose", "decide"}


@pytest.mark.django_db
def test_a_change_moves_along_its_own_series_only(clock: Clock) -> None:
    runs = nights(clock)
    propose_changes(watched=watched(), actor="a")
    row = ChangePoint.objects.get()
    decision = read_decision({"status": "moved", "run": str(runs[13].id)})
    decide_change(point_id=row.id, decision=decision, actor="a")
    (stored,) = history(Series(load=4)).stored
    assert (stored.run, stored.found_at) == (str(runs[13].id), str(runs[12].id))
    for run in (str(uuid4()), str(runs[12].id)):
        with pytest.raises(DocumentError):
            decide_change(point_id=row.id, decision=read_decision({"status": "moved", "run": run}), actor="a")
    row.refresh_from_db()
    assert row.moved_to_id == runs[13].id


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "pointer"),
    [({"status": "moved"}, "/run"), ({"status": "accepted", "run": str(uuid4())}, "/run"),
     ({"status": "maybe"}, "/status"), ([], "")],
)  # fmt: skip
def test_a_decision_that_makes_no_sense_is_refused(body: Any, pointer: str) -> None:
    with pytest.raises(DocumentError) as refused:
        read_decision(body)
    assert refused.value.problems[0]["pointer"] == pointer


@pytest.mark.django_db
def test_nothing_is_proposed_of_nothing_or_of_a_metric_without_direction(clock: Clock) -> None:
    nights(clock)
    for changes, pointer in (({"metric": "duration"}, "/metric"), ({"x": "no"}, "/x"), ({"load": 5}, "")):
        with pytest.raises(DocumentError) as refused:
            propose_changes(watched=watched(**changes), actor="a")
        assert refused.value.problems[0]["pointer"] == pointer


@pytest.mark.django_db
def test_the_database_keeps_states_whole(clock: Clock) -> None:
    nights(clock)
    propose_changes(watched=watched(), actor="a")
    for broken in ({"status": "moved"}, {"status": "accepted"}, {"load": None}, {"status": "maybe"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ChangePoint.objects.update(**broken)


@pytest.mark.django_db(transaction=True)
def test_two_detectors_at_once_leave_one_row(clock: Clock) -> None:
    nights(clock)
    body, barrier = watched(), threading.Barrier(2)

    def detect() -> None:
        barrier.wait()
        propose_changes(watched=body, actor="a")
        connection.close()

    threads = [threading.Thread(target=detect) for _one in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ChangePoint.objects.count() == 1


@pytest.mark.django_db
def test_the_last_value_is_not_continued_to_today(clock: Clock) -> None:
    nights(clock)
    last = history(Series(load=4)).observed[-1].at
    clock.advance(timedelta(days=30).total_seconds())
    assert history(Series(load=4)).observed[-1].at == last
