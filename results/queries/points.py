"""The read side of points: one shape for API, CSV and pages."""

import csv
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from typing import Any

import orjson
from django.db.models import Exists, OuterRef, Q, QuerySet

from results.documents.canonical import canonical_json
from results.documents.export import EXECUTED, FORMULA, SCHEMA
from results.metrics import METRICS
from results.models import Curve, Point, Run, State
from results.queries.keyset import RowCursor

PAGE = 100
#: Points of an attempt that was given up are evidence, never a result.
RESULT = ~Q(attempt__state__in=[State.FAILED, State.CANCELLED])
#: Runs that Explore shows of a recipe on a scenario: the published one, and every run as long as none is.
_SPEAKS = Exists(Curve.objects.filter(run=OuterRef("pk"))) | ~Exists(
    Curve.objects.filter(recipe=OuterRef("recipe"), scenario=OuterRef("scenario"))
)
RELATED = (
    "attempt__host",
    "run__scenario",
    "run__recipe__hardware",
    "run__recipe__engine",
    "run__recipe__language_model",
)


@dataclass(frozen=True, slots=True)
class PointFilter:
    """What to select; None and empty mean all.

    ``recipe`` is a fingerprint or the beginning of one; ``hardware``, ``engine`` and ``model`` are slugs;
    ``scenario`` is a corpus name or ``<isl>/<osl>``. ``published`` leaves the points that Explore shows.
    ``evidence`` adds the points of attempts that failed or were cancelled.
    """

    run: uuid.UUID | None = None
    recipe: str | None = None
    hardware: str | None = None
    engine: str | None = None
    model: str | None = None
    scenario: str | None = None
    label: str | None = None
    load: int | None = None
    validity: Sequence[str] = ()
    published: bool = False
    evidence: bool = False


@dataclass(frozen=True, slots=True)
class PointRow:
    """One point and what it was measured on; ``values`` holds only what was measured.

    ``source_run`` names the run that measured in the words of an imported file, ``published_run`` the one
    that published. ``accuracy`` is pass, fail or unknown.
    """

    id: int
    run: uuid.UUID
    attempt: int | None
    label: str
    block: int | None
    load: int
    validity: str
    reasons: tuple[str, ...]
    rules_version: str
    parser_version: str
    recipe: str
    hardware: str
    gpu_count: int
    engine: str
    engine_version: str
    model: str
    precision: str
    speculative: str
    kv_offload: str
    disaggregated: bool
    multinode: bool
    accuracy: str
    scenario: str
    corpus_version: str | None
    context_cap: int | None
    host: str | None
    source_run: str
    published_run: str
    planned_window_seconds: float | None
    measured_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    recipe_document: Mapping[str, Any]
    values: Mapping[str, float]
    extra: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PointPage:
    rows: tuple[PointRow, ...]
    next: str | None


def point_values(point: Point) -> dict[str, float]:
    """Measured metrics by registry key and in registry order; absent ones are left out."""
    measured = ((key, point.value(key)) for key in METRICS)
    return {key: value for key, value in measured if value is not None}


def point_page(filters: PointFilter, after: RowCursor | None = None, size: int = PAGE) -> PointPage:
    """``size`` points newest first, from ``after`` on; one query."""
    chosen = _ordered(filters)
    if after is not None:
        older = Q(created_at__lt=after.created_at) | Q(created_at=after.created_at, id__lt=after.id)
        chosen = chosen.filter(older)
    points = list(chosen[: size + 1])
    more, points = len(points) > size, points[:size]
    following = RowCursor(points[-1].created_at, points[-1].id).encode() if more else None
    return PointPage(tuple(point_row(point) for point in points), following)


def point_rows(filters: PointFilter) -> Iterator[PointRow]:
    """All selected points newest first, fetched in portions."""
    for point in _ordered(filters).iterator(chunk_size=500):
        yield point_row(point)


def _ordered(filters: PointFilter) -> QuerySet[Point]:
    chosen = Point.objects.filter(_condition(filters))
    return chosen.select_related(*RELATED).order_by("-created_at", "-id")


def _condition(filters: PointFilter) -> Q:
    exact = {
        "run_id": filters.run,
        "run__recipe__fingerprint__startswith": filters.recipe,
        "run__recipe__hardware__slug": filters.hardware,
        "run__recipe__engine__slug": filters.engine,
        "run__recipe__language_model__slug": filters.model,
        "run__label": filters.label,
        "load": filters.load,
        "validity__in": tuple(filters.validity) or None,
    }
    condition = Q(**{path: value for path, value in exact.items() if value is not None})
    if filters.scenario is not None:
        condition &= scenario_condition(filters.scenario)
    if filters.published:
        # Asked of the few runs that the other filters leave, and not of every point.
        inside = {path.removeprefix("run__"): value for path, value in exact.items() if "run__" in path}
        runs = Run.objects.filter(_SPEAKS, **{path: one for path, one in inside.items() if one is not None})
        condition &= Q(current=True, run__in=runs.order_by())
    return condition if filters.evidence else condition & RESULT


def scenario_condition(name: str) -> Q:
    """``name`` is a corpus, or ``<isl>/<osl>``."""
    isl, slash, osl = name.partition("/")
    if slash and isl.isdecimal() and osl.isdecimal() and len(name) < 20:
        return Q(run__scenario__isl=int(isl), run__scenario__osl=int(osl))
    return Q(run__scenario__corpus=name)


def point_row(point: Point) -> PointRow:
    """The row of a point that was fetched with ``RELATED``; no query."""
    run = point.run
    recipe, scenario = run.recipe, run.scenario
    number, host = _attempt(point)
    return PointRow(
        id=point.id,
        run=run.id,
        attempt=number,
        label=run.label,
        block=run.block,
        load=point.load,
        validity=point.validity,
        reasons=tuple(point.reasons),
        rules_version=point.rules_version,
        parser_version=point.parser_version,
        recipe=recipe.fingerprint,
        hardware=recipe.hardware.slug,
        gpu_count=recipe.gpu_count,
        engine=recipe.engine.slug,
        engine_version=recipe.engine_version,
        model=recipe.language_model.slug,
        precision=recipe.precision,
        speculative=recipe.speculative,
        kv_offload=recipe.kv_offload,
        disaggregated=recipe.disaggregated,
        multinode=recipe.multinode,
        accuracy=recipe.accuracy,
        scenario=str(scenario),
        corpus_version=scenario.version,
        context_cap=scenario.context_cap,
        host=host,
        source_run=run.source_run,
        published_run=run.published_run,
        planned_window_seconds=point.planned_window_seconds,
        measured_at=point.measured_at,
        started_at=point.started_at,
        ended_at=point.ended_at,
        created_at=point.created_at,
        recipe_document=recipe.document,
        values=point_values(point),
        extra={key: value for key, value in point.extra.items() if key != EXECUTED},
    )


def _attempt(point: Point) -> tuple[int | None, str | None]:
    """Number and host of the attempt; of an import from another server what its export says."""
    attempt = point.attempt
    if attempt is None:
        elsewhere = point.extra.get(EXECUTED, {})
        return elsewhere.get("attempt"), elsewhere.get("host")
    return attempt.number, None if attempt.host is None else attempt.host.name


#: CSV columns before the metrics; ``recipe_document`` and ``extra`` are JSON in one cell.
CSV_IDENTITY = tuple(name for name in PointRow.__dataclass_fields__ if name != "values")
CSV_HEADER = (*CSV_IDENTITY, *METRICS)


def csv_lines(filters: PointFilter) -> Iterator[str]:
    """The selected points as CSV text, line by line: header, then one line per point."""
    yield _line(CSV_HEADER)
    for row in point_rows(filters):
        yield _line(csv_cells(row))


def csv_cells(row: PointRow) -> list[str]:
    """Cells in ``CSV_HEADER`` order; an absent value is an empty cell, numbers keep every digit."""
    identity = [_cell(getattr(row, name)) for name in CSV_IDENTITY]
    return identity + [_cell(row.values.get(key)) for key in METRICS]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return canonical_json(value).decode("utf-8")
    if isinstance(value, str) and value.startswith(FORMULA):
        # A spreadsheet would run it as a formula.
        return f"'{value}"
    return repr(value) if isinstance(value, float) else str(value)


def _line(cells: Sequence[str]) -> str:
    text = StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


def json_lines(filters: PointFilter) -> Iterator[bytes]:
    """The selected points as one JSON document, piece by piece, one point a line."""
    yield b'{"schema":"%s","points":[' % SCHEMA.encode("ascii")
    comma = b"\n"
    for row in point_rows(filters):
        yield comma + orjson.dumps(row)
        comma = b",\n"
    yield b"\n]}\n"
