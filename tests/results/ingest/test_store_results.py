"""What the reading of files leaves: runs, points, sources, quarantine; whatever the order."""

from itertools import permutations
from typing import Any

import pytest
from django.db import DataError, connection, transaction
from django.test.utils import CaptureQueriesContext

from results.documents.recipe import Recipe as RecipeDocument
from results.ingest import point_store, point_writer
from results.ingest.rows import FormatError, Rejected, Remark
from results.models import (
    Alias,
    Curve,
    Point,
    PointSource,
    Quarantine,
    Recipe,
    ResultFile,
    Run,
)
from tests.results.ingest.listed import FAILED, RECIPE, SHORT, Desk, result


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in RECIPE.items() if key != name}


def state() -> Any:
    """Everything that must not depend on the order of files."""
    runs = Run.objects.order_by("id").values_list(
        "id", "recipe__fingerprint", "scenario__isl", "loads", "source_run", "published_run", "measured_at"
    )
    points = Point.objects.order_by("run_id", "load", "digest").values_list(
        "run_id", "load", "digest", "current", "validity", "measured_at", "extra", "output_throughput"
    )
    sources = PointSource.objects.order_by("file__artifact_id", "pointer").values_list(
        "file__artifact_id", "pointer", "point__digest"
    )
    curves = Curve.objects.order_by("run_id").values_list("recipe__fingerprint", "scenario__isl", "run_id")
    return [list(rows) for rows in (runs, points, sources, curves)]


def test_a_row_becomes_a_point_of_a_run_of_a_recipe(listed: Desk) -> None:
    report = listed.send(result(load=4, values=100.0, source_run="r1", published_run="p1"))
    assert (report.format, report.version, report.created, report.unchanged) == ("listed", "1", 1, 0)
    assert report.quarantined == ()
    point = Point.objects.get()
    run = point.run
    assert (run.origin, run.state, run.source_run, run.published_run, run.loads) == (
        "imported", "succeeded", "r1", "p1", [4],
    )  # fmt: skip
    assert run.measured_at == point.measured_at
    assert point.value("output_throughput_per_gpu") == 12.5
    recipe = Recipe.objects.get()
    assert (recipe.hardware.slug, recipe.language_model.slug, recipe.precision, recipe.gpu_count) == (
        "b200", "deepseek-r1-0528", "fp4", 8,
    )  # fmt: skip
    assert RecipeDocument.model_validate(recipe.document).fingerprint == recipe.fingerprint
    assert PointSource.objects.get().pointer == "/4/1"
    assert Curve.objects.get().run == run


def test_the_same_file_again_changes_nothing(listed: Desk) -> None:
    body = listed.content([result(load=4), result(load=8), Rejected("/2", "no")])
    first = listed.read(body)
    before = state()
    again = listed.read(body)
    assert (first.created, again.created, again.unchanged) == (2, 0, 2)
    assert again.quarantined == first.quarantined
    assert state() == before


def test_a_known_file_is_not_read_again(listed: Desk) -> None:
    body = listed.content([result(), Remark("", "read with another")])
    first = listed.read(body)
    listed.format.files[body] = [RuntimeError("read")]
    again = listed.read(body)
    assert (again.unchanged, again.remarks) == (1, first.remarks)


def test_the_same_numbers_in_two_files_are_one_point_with_two_sources(listed: Desk) -> None:
    assert listed.send(result(extra={"a": 1})).created == 1
    report = listed.send(result(extra={"a": 1, "b": 2}, pointer="/other"))
    assert (report.created, report.unchanged) == (0, 1)
    point = Point.objects.get()
    assert point.extra == {"a": 1, "b": 2}
    assert point.sources.count() == 2


def test_other_numbers_are_another_observation_and_the_newest_valid_one_is_current(listed: Desk) -> None:
    listed.send(result(day=2, source_run="r", values=90.0))
    report = listed.send(result(day=3, source_run="r", values=110.0))
    assert (report.created, report.superseded) == (1, 1)
    report = listed.send(result(day=4, source_run="r", values=300.0, verdict=SHORT))
    assert (report.created, report.superseded) == (1, 1)
    assert listed.send(result(day=5, source_run="r", values={}, verdict=FAILED)).created == 1
    current = Point.objects.get(current=True)
    assert (current.value("output_throughput"), Point.objects.count(), Run.objects.count()) == (110.0, 4, 1)


def test_runs_of_one_day_are_kept_apart_by_their_source(listed: Desk) -> None:
    listed.send(result(source_run="a"), result(source_run="b", pointer="/b"), result(pointer="/none"))
    assert Run.objects.count() == 3
    assert Run.objects.filter(source_run="").count() == 1


def test_no_order_of_files_matters(listed: Desk) -> None:
    bodies = [
        listed.content([result(4, day=1, values=1.0), result(8, day=1, values=2.0)]),
        listed.content([result(4, day=1, values=1.0, extra={"x": 1}, published_run="p2")]),
        listed.content([result(4, day=2, values=3.0), result(8, day=2, values=4.0, published_run="p1")]),
        listed.content([result(4, day=1, values=5.0, source_run="r"), result(4, day=3, values=6.0)]),
    ]
    seen = []
    for order in permutations(bodies):
        sid = transaction.savepoint()
        for body in order:
            listed.read(body)
        seen.append(state())
        transaction.savepoint_rollback(sid)
    assert all(found == seen[0] for found in seen)
    assert len(seen[0][1]) == 6


def test_rows_before_a_broken_place_are_kept(listed: Desk) -> None:
    report = listed.send(result(4), FormatError("line 2", "the file ends"))
    assert report.created == 1
    assert [(row.pointer, row.reason) for row in report.quarantined] == [("line 2", "the file ends")]
    assert Quarantine.objects.get().pointer == "line 2"


def test_content_that_nobody_reads_is_quarantined(listed: Desk) -> None:
    report = listed.read(b"?")
    assert (report.format, report.created, len(report.quarantined)) == ("", 0, 1)


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"recipe": without("roles")}, ("/recipe/roles/serve/hardware", "/recipe/roles/serve/gpus")),
        ({"recipe": without("precision")}, ("/recipe/precision",)),
        ({"recipe": without("model")}, ("/recipe/model/name",)),
        ({"scenario": {}}, ("/scenario/kind",)),
        ({"recipe": without("precision"), "scenario": {}}, ("/recipe/precision", "/scenario/kind")),
        ({"scenario": {"kind": "fixed"}}, ("/scenario/isl", "/scenario/osl")),
        ({"scenario": {"kind": "fixed", "isl": 1024}}, ("/scenario/osl",)),
        ({"load": None}, ("/load",)),
    ],
)
def test_what_nobody_stated_is_named_and_the_identity_completes_it(
    listed: Desk, changes: dict[str, Any], missing: tuple[str, ...]
) -> None:
    body = listed.content([result(**changes)])
    report = listed.read(body)
    assert (report.created, report.quarantined[0].missing) == (0, missing)
    waiting = Quarantine.objects.get()
    assert (tuple(waiting.missing), waiting.resolved_at) == (missing, None)
    identity = {"recipe": RECIPE, "scenario": {"kind": "fixed", "isl": 1024, "osl": 1024}, "load": 4}
    identity = {
        **identity,
        "recipe": {**RECIPE, "roles": {"serve": {"hardware": "b200", "tp": 8, "gpus": 8}}},
    }
    if "scenario" not in changes:
        del identity["scenario"]
    completed = listed.read(body, identity)
    assert (completed.created, completed.quarantined) == (1, ())
    waiting.refresh_from_db()
    assert waiting.resolved_at is not None


def test_file_and_identity_that_differ_refuse_the_row(listed: Desk) -> None:
    report = listed.send(result(), identity={"recipe": {"precision": "fp8"}})
    assert report.created == 0
    assert report.quarantined[0].reason == "/recipe/precision: the file states 'fp4', the identity 'fp8'"


def test_another_spelling_of_the_same_is_no_contradiction(listed: Desk) -> None:
    sent = {
        "roles": {"serve": {"hardware": "cluster:b200-dgxc"}},
        "precision": "FP4",
        "model": {"name": "dsr1"},
    }
    assert listed.send(result(), identity={"recipe": sent}).created == 1


def test_an_unknown_spelling_waits_for_its_alias(listed: Desk) -> None:
    recipe = {**RECIPE, "precision": "fp3"}
    body = listed.content([result(recipe=recipe), result(8, recipe=recipe), result(16)])
    report = listed.read(body)
    assert (report.created, {row.unknown for row in report.quarantined}) == (1, {("precision", "fp3")})
    waiting = Quarantine.objects.values_list("unknown_kind", "unknown_value")
    assert list(waiting) == [("precision", "fp3")] * 2
    Alias.objects.create(kind="precision", spelling="fp3", canonical="fp3", source="a test")
    report = listed.read(body)
    assert (report.created, report.unchanged, report.quarantined) == (2, 1, ())
    assert not Quarantine.objects.filter(resolved_at=None).exists()


def test_bad_values_refuse_their_row_alone(listed: Desk) -> None:
    rows = [
        result(4, values=float("nan")), result(5, values=float("inf")), result(6, values=-1.0),
        result(7, source_run="r" * 300), result(0), result(8, recipe={**RECIPE, "arguments": {"x": [1]}}),
        result(9),
    ]  # fmt: skip
    report = listed.send(*rows)
    assert (report.created, len(report.quarantined)) == (1, 6)
    assert [row.pointer for row in report.quarantined] == [f"/{load}/1" for load in (4, 5, 6, 7, 0, 8)]


def test_validate_only_reports_and_leaves_nothing(listed: Desk) -> None:
    body = listed.content([result(4), Rejected("/1", "no")])
    report = listed.read(body, validate_only=True)
    assert (report.created, len(report.quarantined)) == (1, 1)
    for table in (Point, Run, Recipe, Quarantine, PointSource, Curve):
        assert not table._default_manager.exists()
    assert ResultFile.objects.get().read_at is None
    assert listed.read(body).to_json() == report.to_json()


def test_rows_that_differ_in_details_alone_are_one_observation(listed: Desk) -> None:
    rows = [result(4, extra={"n": number}, pointer=f"/{number}") for number in range(5)]
    report = listed.send(*rows, *rows)
    assert (report.created, Point.objects.count()) == (1, 1)
    assert Point.objects.get().extra == {"n": 4}
    assert PointSource.objects.count() == 5


def test_no_more_statements_for_more_rows(listed: Desk) -> None:
    def cost(count: int) -> int:
        body = listed.content([result(load, values=load) for load in range(1, count + 1)])
        with CaptureQueriesContext(connection) as queries:
            listed.read(body)
        return len(queries)

    cost(1)
    assert cost(400) <= cost(40)


def test_portions_of_a_file_meet_what_is_known(listed: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(point_store, "PORTION", 2)
    known = listed.send(result(4), result(8, pointer="/known"))
    rows = [
        result(16), result(32),
        # One observation that another file states, and one that is new.
        result(4, pointer="/again"), result(64),
        # A place that an earlier portion was read from.
        result(128, pointer="/16/1"), result(256),
        # The same observation twice in one portion.
        result(512), result(512, pointer="/twice"),
    ]  # fmt: skip
    report = listed.send(*rows)
    assert (known.created, report.created, report.unchanged) == (2, 6, 2)
    assert Point.objects.count() == 8
    stated = PointSource.objects.exclude(file=ResultFile.objects.earliest("id")).order_by("pointer")
    assert list(stated.values_list("pointer", "point__load")) == [
        ("/16/1", 16), ("/256/1", 256), ("/32/1", 32), ("/512/1", 512),
        ("/64/1", 64), ("/again", 4), ("/twice", 512),
    ]  # fmt: skip


def test_an_error_while_a_portion_is_underway_leaves_nothing(
    listed: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(point_store, "PORTION", 1)
    body = listed.content([result(4), result(8), RuntimeError("the reader broke")])
    with pytest.raises(RuntimeError, match="the reader broke"):
        listed.read(body)
    assert not Point.objects.exists()
    monkeypatch.setattr(point_writer, "_KNOWN", "SELECT 1 / 0, %s, %s, %s")
    with pytest.raises(DataError, match="division by zero"):
        listed.send(result(4), result(8))
    assert not Point.objects.exists()
