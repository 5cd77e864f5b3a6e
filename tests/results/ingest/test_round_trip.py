"""Export, import, export again: the same numbers, runs and recipes, whatever they are."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from results import clock
from results.ingest import formats
from results.ingest.formats import northstar_export
from results.ingest.read_file import ingest_file
from results.ingest.reports import FileReport
from results.ingest.rows import Result
from results.metrics import METRICS
from results.models import Curve, Point, PointSource, Recipe, ResultFile, Run, Scenario, State
from results.queries.points import PointFilter, csv_lines, json_lines
from results.storage import put_bytes
from tests.factories import make_attempt, make_host, make_point, make_recipe, make_run
from tests.results.ingest.listed import FIXED, RECIPE, Desk, result
from tests.results.ingest.sources import source_of

#: Database ids, and times that say when this server received what.
LOCAL = {"id", "created_at"}
NUMBERS = st.floats(min_value=0, max_value=1e18, allow_nan=False, allow_infinity=False, allow_subnormal=True)
ARGUMENTS = st.none() | st.booleans() | st.integers(0, 2**53) | st.floats(0, 1e15)
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp", "Cn", "Co", "Cf"])
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def as_csv() -> bytes:
    return "".join(csv_lines(PointFilter(evidence=True))).encode()


def as_json() -> bytes:
    return b"".join(json_lines(PointFilter(evidence=True)))


def rows_of_csv(body: bytes) -> list[dict[str, Any]]:
    rows = csv.DictReader(io.StringIO(body.decode(), newline=""))
    return canonical({name: text for name, text in row.items() if name not in LOCAL} for row in rows)


def rows_of_json(body: bytes) -> list[dict[str, Any]]:
    points = json.loads(body)["points"]
    return canonical({name: value for name, value in row.items() if name not in LOCAL} for row in points)


def canonical(rows: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def bring(body: bytes) -> FileReport:
    now = clock.now()
    file = ResultFile.objects.create(artifact=put_bytes(body), identity_digest="0", path="x", received_at=now)
    return ingest_file(file=file, source=source_of(body))


def forget() -> None:
    """Another server, with the same catalogue."""
    PointSource.objects.all().delete()
    Point.objects.all().delete()
    Curve.objects.all().delete()
    Run.objects.all().delete()
    ResultFile.objects.all().delete()
    Recipe.objects.all().delete()
    Scenario.objects.all().delete()


WAYS = [(as_csv, rows_of_csv), (as_json, rows_of_json)]


@pytest.fixture
def exporting(listed: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(formats, "FORMATS", (northstar_export, listed.format))
    return listed


@st.composite
def points(draw: st.DrawFn) -> list[Result]:
    """Up to three points with whatever a file may state."""
    return [
        result(
            load,
            values=draw(st.dictionaries(st.sampled_from(sorted(METRICS)), NUMBERS, max_size=4)),
            extra=draw(st.dictionaries(TEXT, JSON, max_size=2)),
            source_run=draw(st.none() | TEXT),
            published_run=draw(st.none() | st.sampled_from(["=1+1", "'", "-2", "a b"])),
            measured_at=draw(st.none() | MOMENTS),
            planned_window_seconds=draw(st.none() | NUMBERS),
            scenario=draw(st.sampled_from([FIXED, {"kind": "agentic", "corpus": "cpu-8k"}])),
            recipe={**RECIPE, "arguments": draw(st.dictionaries(st.just("x"), ARGUMENTS))},
        )
        for load in draw(st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True))
    ]


@pytest.mark.parametrize("way", range(2), ids=["csv", "json"])
@settings(
    max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(measured=points())
def test_imported_points_survive(exporting: Desk, way: int, measured: list[Result]) -> None:
    export, rows = WAYS[way]
    with transaction.atomic():
        assert exporting.send(*measured).quarantined == ()
        body = export()
        again = bring(body)
        assert again.quarantined == ()
        assert (again.created, again.unchanged) == (0, len(measured))
        forget()
        fresh = bring(body)
        assert fresh.quarantined == ()
        assert fresh.created == len(measured)
        assert rows(export()) == rows(body)
        transaction.set_rollback(True)


@pytest.mark.parametrize("way", range(2), ids=["csv", "json"])
def test_executed_points_survive(exporting: Desk, way: int) -> None:
    export, rows = WAYS[way]
    run = make_run(state=State.SUCCEEDED, block=3, label="chunked")
    attempt = make_attempt(run, 1, state=State.SUCCEEDED, host=make_host("alpha"))
    make_point(run, 2, ttft_p50=0.1)
    times = {"started_at": clock.now(), "ended_at": clock.now() + timedelta(seconds=40)}
    Point.objects.update(attempt=attempt, extra={"client_version": "0.13.0"}, **times)
    body = export()
    here = bring(body)
    assert (here.created, here.unchanged, here.quarantined) == (0, 1, ())
    PointSource.objects.all().delete()
    attempt.points.all().delete()
    attempt.delete()
    forget()
    assert bring(body).created == 1
    assert rows(export()) == rows(body)
    assert Run.objects.get().id == run.id


def test_an_export_that_contradicts_the_run_it_names_is_refused(exporting: Desk) -> None:
    run = make_run(state=State.SUCCEEDED)
    make_attempt(run, state=State.SUCCEEDED)
    point = make_point(run, 2, ttft_p50=0.1)
    body = as_json()
    changed = body.replace(b'"ttft_p50":0.1', b'"ttft_p50":0.2')
    assert changed != body
    report = bring(changed)
    assert "measured other numbers" in report.quarantined[0].reason
    other = json.loads(body)
    other["points"][0]["recipe_document"] = make_recipe(parallel=4).document
    report = bring(json.dumps(other).encode())
    assert "another recipe" in report.quarantined[0].reason
    assert Point.objects.get() == point


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"run": "x"}, "is no UUID"),
        ({"reasons": ["because"]}, "because"),
        ({"validity": "fine"}, "fine"),
        ({"validity": "valid"}, "/reasons"),
        ({"values": {"ttft_p50": "1"}}, "/values/ttft_p50"),
        ({"recipe_document": {}}, "nobody stated"),
        ({"scenario": "a/b"}, "/scenario"),
        ({"measured_at": "2026-01-01T00:00:00"}, "offset"),
        ({"load": 0}, "/load"),
        ({"load": True}, "/load"),
    ],
)
def test_a_damaged_row_is_refused_alone(exporting: Desk, change: dict[str, Any], reason: str) -> None:
    make_point(ttft_p50=0.1)
    document = json.loads(as_json())
    good = {**document["points"][0], "run": str(uuid4())}
    document["points"] = [{**good, "run": str(uuid4())} | change, good]
    report = bring(json.dumps(document).encode())
    assert (report.created, len(report.quarantined)) == (1, 1)
    assert reason in report.quarantined[0].reason
