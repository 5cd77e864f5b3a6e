"""Which run is published: a fold over the runs in measured order, and what may shrink it."""

from itertools import permutations
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.curves import CurveRun, missing_loads, new_loads, published
from results.models import Curve, CurveAcceptance, Point, Run, State
from results.queries.curves import latest_points
from results.queries.explore import Selection, explore
from results.queries.points import PointFilter, point_rows
from results.services.publish_curve import publish_curve
from tests.conftest import Clock
from tests.factories import make_attempt, make_point, make_run
from tests.results.ingest.listed import FAILED, SHORT, Desk, result

pytestmark = pytest.mark.django_db
LOADS = st.frozensets(st.sampled_from([1, 2, 4, 8]))
RUNS = st.lists(st.builds(CurveRun, st.uuids(), LOADS, LOADS, st.booleans()), min_size=1, max_size=6)


@given(runs=RUNS)
def test_nothing_that_was_shown_is_lost_without_acceptance(runs: list[CurveRun]) -> None:
    shown = 0
    for count in range(1, len(runs) + 1):
        place = published(runs[:count])
        if place != shown:
            assert place == count - 1
            assert runs[place].accepted or not missing_loads(runs[place], runs[shown])
        shown = place


def test_what_is_missing_and_what_is_new() -> None:
    standing = CurveRun(id=Run().id, valid=frozenset({1, 2}), usable=frozenset({1, 2, 4}))
    newer = CurveRun(id=Run().id, valid=frozenset({1}), usable=frozenset({1, 2, 8}))
    assert (missing_loads(newer, standing), new_loads(newer, standing)) == ((2, 4), (8,))


def published_days() -> list[int]:
    return sorted(curve.run.measured_at.day for curve in Curve.objects.select_related("run"))  # type: ignore[union-attr]


def test_a_newer_run_that_covers_everything_replaces(listed: Desk) -> None:
    listed.send(result(4, day=1), result(8, day=1))
    report = listed.send(result(4, day=2, values=2), result(8, day=2, values=2), result(16, day=2, values=2))
    assert (published_days(), report.kept_curves) == ([2], ())
    assert {row.load for row in latest_points("deepseek-r1-0528")} == {4, 8, 16}
    assert Run.objects.count() == 2


def test_a_newer_run_that_covers_less_is_kept_back_and_the_difference_is_told(listed: Desk) -> None:
    listed.send(result(4, day=1), result(8, day=1))
    body = listed.content([result(4, day=2, values=2), result(16, day=2, values=2)])
    report = listed.read(body)
    assert published_days() == [1]
    (kept,) = report.kept_curves
    assert (kept.missing_loads, kept.new_loads) == ((8,), (16,))
    assert kept.newer_run == str(Run.objects.order_by("measured_at").last().id)  # type: ignore[union-attr]
    assert listed.read(body).kept_curves == report.kept_curves
    accepted = listed.read(body, accept=True)
    assert (published_days(), accepted.kept_curves, CurveAcceptance.objects.count()) == ([2], (), 1)
    assert {row.load for row in latest_points("deepseek-r1-0528")} == {4, 16}
    assert Point.objects.count() == 4


@pytest.mark.parametrize("verdict", [SHORT, FAILED])
def test_a_run_that_is_not_valid_never_replaces_a_valid_one(listed: Desk, verdict: Any) -> None:
    listed.send(result(4, day=1))
    listed.send(result(4, day=2, values=2, verdict=verdict))
    assert published_days() == [1]


def test_an_older_file_that_comes_later_replaces_nothing(listed: Desk) -> None:
    listed.send(result(4, day=2, values=2))
    report = listed.send(result(4, day=1), result(8, day=1))
    assert (published_days(), report.kept_curves) == ([1], ())
    listed.send(result(8, day=2, values=3))
    assert published_days() == [2]


def test_no_order_of_files_changes_what_is_published(listed: Desk) -> None:
    bodies = [
        listed.content([result(4, day=1), result(8, day=1)]),
        listed.content([result(4, day=2, values=2)]),
        listed.content([result(4, day=3, values=3), result(8, day=3, values=3)]),
        listed.content([result(4, day=4, values=4), result(8, day=4, values=4, verdict=SHORT)]),
        listed.content([result(8, measured_at=None, values=9)]),
    ]
    for order in permutations(bodies):
        sid = transaction.savepoint()
        for body in order:
            listed.read(body)
        assert published_days() == [3]
        transaction.savepoint_rollback(sid)


def executed(clock: Clock, *loads: int) -> Run:
    clock.advance(60)
    run = make_run(state=State.SUCCEEDED, loads=list(loads))
    make_attempt(run, state=State.SUCCEEDED)
    for load in loads:
        make_point(run, load, interactivity_p50=50.0, output_throughput_per_gpu=10.0 * load)
    publish_curve(run=run.id)
    return run


def test_executed_runs_are_published_and_replaced_runs_stay_reachable(clock: Clock) -> None:
    first = executed(clock, 1, 2)
    second = executed(clock, 1, 2, 4)
    shorter = executed(clock, 1)
    assert Curve.objects.get().run == second
    explored = explore(Selection(), ())
    assert {point.run for point in explored.points} == {second.id}
    assert (explored.left_out, explored.older_runs) == ({}, 2)
    assert {row.run for row in point_rows(PointFilter(published=True))} == {second.id}
    assert {point.run for point in explore(Selection(runs=(first.id,)), ()).points} == {first.id}
    by_label = explore(Selection(chosen={"label": ("prefix-cache",)}), ())
    assert {point.run for point in by_label.points} == {first.id, second.id, shorter.id}


def test_a_run_that_is_not_over_is_not_published(clock: Clock) -> None:
    executed(clock, 1)
    clock.advance(60)
    run = make_run(state=State.RUNNING, loads=[1, 2])
    publish_curve(run=run.id)
    assert Curve.objects.get().run != run


def test_points_show_as_long_as_nothing_is_published(clock: Clock) -> None:
    make_point(make_run(state=State.RUNNING), 1, interactivity_p50=1.0)
    assert len(explore(Selection(), ()).points) == 1
