import csv
import io
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from results.metrics import METRICS
from results.models import Engine, Point, Recipe, Scenario, State
from results.queries.keyset import RowCursor
from results.queries.points import (
    CSV_HEADER,
    PointFilter,
    csv_cells,
    csv_lines,
    point_page,
    point_rows,
    point_values,
)
from tests.conftest import Clock
from tests.factories import make_attempt, make_host, make_point, make_recipe, make_run

pytestmark = pytest.mark.django_db


def loads(filters: PointFilter) -> list[int]:
    return sorted(row.load for row in point_rows(filters))


def test_absent_values_are_left_out_and_zero_is_kept() -> None:
    point = make_point(ttft_p50=0.25, client_cache_hit_rate=0.0)
    assert point_values(point) == {"ttft_p50": 0.25, "client_cache_hit_rate": 0.0}


def test_a_row_says_what_was_measured_on_what(clock: Clock) -> None:
    run = make_run(state=State.SUCCEEDED, block=3)
    make_attempt(run, state=State.SUCCEEDED, host=make_host("alpha"))
    point = make_point(run, load=4, ttft_p50=0.5)
    (row,) = point_page(PointFilter()).rows
    assert (row.id, row.run, row.load, row.block, row.attempt) == (point.id, run.id, 4, 3, 0)
    assert (row.hardware, row.engine, row.model, row.host) == ("cpu", "llamacpp", "northstar-tiny", "alpha")
    assert (row.scenario, row.context_cap, row.recipe) == ("cpu-8k", 8192, run.recipe.fingerprint)
    assert (row.validity, row.reasons, row.values) == ("diagnostic", ("unsafe_override",), {"ttft_p50": 0.5})
    assert row.created_at == clock.now()


def test_filters_select() -> None:
    engine = Engine.objects.create(slug="vllm", name="vLLM")
    fixed = Scenario.objects.create(kind="fixed", isl=8192, osl=1024)
    plain, other = make_recipe(), make_recipe(parallel=4)
    Recipe.objects.filter(id=other.id).update(engine=engine)
    first = make_run(recipe=plain, state=State.SUCCEEDED)
    second = make_run(recipe=other, state=State.SUCCEEDED, scenario=fixed, label="other")
    make_point(first, load=1)
    make_point(second, load=2)
    Point.objects.filter(load=2).update(validity="valid", reasons=[])
    for filters, expected in [
        (PointFilter(), [1, 2]),
        (PointFilter(run=first.id), [1]),
        (PointFilter(recipe=other.fingerprint), [2]),
        (PointFilter(recipe=plain.fingerprint[:12]), [1]),
        (PointFilter(engine="vllm"), [2]),
        (PointFilter(hardware="cpu"), [1, 2]),
        (PointFilter(hardware="h100"), []),
        (PointFilter(model="northstar-tiny"), [1, 2]),
        (PointFilter(scenario="cpu-8k"), [1]),
        (PointFilter(scenario="8192/1024"), [2]),
        (PointFilter(scenario="99999999999999999999/1"), []),
        (PointFilter(label="other"), [2]),
        (PointFilter(load=1), [1]),
        (PointFilter(validity=["valid"]), [2]),
        (PointFilter(validity=["valid", "diagnostic"], engine="llamacpp"), [1]),
    ]:
        assert loads(filters) == expected, filters


@pytest.mark.parametrize("state", [State.FAILED, State.CANCELLED])
def test_points_of_a_given_up_attempt_are_evidence_only(state: State) -> None:
    run = make_run(state=state)
    make_attempt(run, state=state)
    make_point(run)
    assert loads(PointFilter()) == []
    assert loads(PointFilter(evidence=True)) == [1]


def test_pages_follow_each_other_without_gap_while_points_arrive(clock: Clock) -> None:
    run = make_run(state=State.SUCCEEDED)
    for load in range(1, 8):
        make_point(run, load=load)
        # Pairs share a moment, so the identifier has to break the tie.
        clock.advance(load % 2)
    seen: list[int] = []
    page = point_page(PointFilter(), size=3)
    while True:
        seen += [row.load for row in page.rows]
        if page.next is None:
            break
        make_point(load=100 + len(seen))
        page = point_page(PointFilter(), RowCursor.decode(page.next), size=3)
    assert seen == [7, 6, 5, 4, 3, 2, 1]


def test_a_page_is_one_query_whatever_its_size() -> None:
    run = make_run(state=State.SUCCEEDED)
    for load in range(1, 12):
        make_point(run, load=load)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert len(point_page(PointFilter(), size=11).rows) == 11
    assert len(queries) == 1


@given(st.text(max_size=60) | st.binary(max_size=40).map(lambda raw: raw.hex()))
def test_a_foreign_cursor_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        RowCursor.decode(text)


@given(st.datetimes(timezones=st.timezones()), st.integers(0, 2**63 - 1))
def test_cursors_survive_the_way_through_a_url(moment: Any, identifier: int) -> None:
    cursor = RowCursor(moment, identifier)
    back = RowCursor.decode(cursor.encode())
    assert (back.created_at.utcoffset(), back.id) == (moment.utcoffset(), identifier)
    assert back.created_at.replace(tzinfo=None) == moment.replace(tzinfo=None, fold=0)


def test_csv_and_rows_say_the_same() -> None:
    make_point(load=2, ttft_p50=0.1 + 0.2, output_throughput=1 / 3)
    lines = list(csv.DictReader(io.StringIO("".join(csv_lines(PointFilter())))))
    (row,) = point_rows(PointFilter())
    (line,) = lines
    assert tuple(line) == CSV_HEADER
    assert len(CSV_HEADER) == len(set(CSV_HEADER)) == len(csv_cells(row))
    for key in METRICS:
        assert (float(line[key]) if line[key] else None) == row.values.get(key)
    assert line["ttft_p50"] == "0.30000000000000004"
    assert line["ttft_p90"] == ""
    assert uuid.UUID(line["run"]) == row.run
    assert line["reasons"] == "unsafe_override"


def test_csv_of_nothing_is_its_header() -> None:
    assert len(list(csv_lines(PointFilter()))) == 1


def test_a_spreadsheet_gets_no_formula() -> None:
    point = make_point()
    Recipe.objects.filter(id=point.run.recipe_id).update(engine_version="=1+1")
    (line,) = csv.DictReader(io.StringIO("".join(csv_lines(PointFilter()))))
    assert line["engine_version"] == "'=1+1"
    assert Point.objects.get().run.recipe.engine_version == "=1+1"
