"""Rows of recipes, scenarios and runs that imported files name; runs are created as succeeded."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from results import clock
from results.documents.recipe import Recipe as RecipeDocument
from results.documents.run import AgenticScenario, FixedScenario
from results.models import CurveAcceptance, Origin, Recipe, Run, Scenario, State

#: Of two files that name a publishing run, the later name is kept: it depends on no order.
_RUNS = """
INSERT INTO results_run (id, label, block, recipe_id, scenario_id, loads, source_run, published_run,
  origin, state, failure_class, failure_line, created_at)
SELECT id, label, block, recipe_id, scenario_id, ARRAY[load], source_run, published_run,
  %(origin)s, %(state)s, '', '', %(now)s
FROM unnest(%(ids)s::uuid[], %(labels)s::text[], %(blocks)s::int[], %(recipes)s::bigint[],
  %(scenarios)s::bigint[], %(loads)s::int[], %(sources)s::text[], %(published)s::text[])
  AS named(id, label, block, recipe_id, scenario_id, load, source_run, published_run)
ON CONFLICT (id) DO UPDATE SET published_run = GREATEST(results_run.published_run, EXCLUDED.published_run)
WHERE results_run.origin = %(origin)s AND results_run.published_run < EXCLUDED.published_run
"""


def recipe_columns(document: RecipeDocument) -> dict[str, object]:
    """What a recipe row holds beside its fingerprint and its catalogue rows."""
    build = document.engine
    return {
        "document": document.model_dump(mode="json"),
        "gpu_count": document.total_gpus,
        "engine_version": build.version or build.image or build.commit or "",
        "precision": document.precision,
        "speculative": document.speculative.method if document.speculative else "",
        "kv_offload": document.kv_offload.mode,
        "disaggregated": document.disaggregated,
        "multinode": document.multinode,
        "created_at": clock.now(),
    }


def recipe_ids(
    named: Iterable[tuple[RecipeDocument, str, int, int, int]],
) -> tuple[dict[str, int], list[int]]:
    """Row of each recipe by fingerprint, and which rows are new.

    A recipe comes as its document, fingerprint, and the rows of hardware, engine and language model.
    """
    wanted = {entry[1]: entry for entry in named}
    known = _known(wanted)
    rows = [
        Recipe(
            fingerprint=fingerprint,
            hardware_id=hardware,
            engine_id=engine,
            language_model_id=model,
            **recipe_columns(document),
        )
        for fingerprint, (document, _same, hardware, engine, model) in sorted(wanted.items())
        if fingerprint not in known
    ]
    if not rows:
        return known, []
    Recipe.objects.bulk_create(rows, ignore_conflicts=True)
    everything = _known(wanted)
    return everything, [everything[row.fingerprint] for row in rows]


def _known(fingerprints: Iterable[str]) -> dict[str, int]:
    found = Recipe.objects.filter(fingerprint__in=list(fingerprints))
    return dict(found.values_list("fingerprint", "id"))


def scenario_id(document: AgenticScenario | FixedScenario) -> int:
    """The row of a scenario, made at its first use."""
    named = document.model_dump(mode="json")
    columns = {key: named.get(key) for key in ("kind", "corpus", "version", "context_cap", "isl", "osl")}
    return Scenario.objects.get_or_create(**columns)[0].id


def store_runs(rows: Sequence[Mapping[str, object]], *, now: datetime) -> None:
    """Create the runs that are not there yet; known ones keep what they are.

    A row has ``id``, ``label``, ``block``, ``recipe_id``, ``scenario_id``, ``load`` (one that was
    measured), ``source_run`` and ``published_run``.
    """
    columns = {
        "ids": "id", "labels": "label", "blocks": "block", "recipes": "recipe_id",
        "scenarios": "scenario_id", "loads": "load", "sources": "source_run", "published": "published_run",
    }  # fmt: skip
    values: dict[str, Any] = {name: [row[key] for row in rows] for name, key in columns.items()}
    values |= {"origin": Origin.IMPORTED.value, "state": State.SUCCEEDED.value, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, values)


_SUMMARISE = """
UPDATE results_run run SET loads = seen.loads, measured_at = seen.measured_at,
  started_at = seen.started_at, ended_at = seen.ended_at
FROM (
  SELECT run_id, array_agg(DISTINCT load ORDER BY load) AS loads, max(measured_at) AS measured_at,
    min(started_at) AS started_at, max(ended_at) AS ended_at
  FROM results_point JOIN touched_run USING (run_id) GROUP BY run_id
) seen
WHERE seen.run_id = run.id AND run.origin = 'imported'
  AND (run.loads, run.measured_at, run.started_at, run.ended_at)
    IS DISTINCT FROM (seen.loads, seen.measured_at, seen.started_at, seen.ended_at)
"""

_EMPTY = """
SELECT run.id FROM results_run run JOIN touched_run touched ON touched.run_id = run.id
WHERE run.origin = 'imported' AND NOT EXISTS (SELECT 1 FROM results_point WHERE run_id = run.id)
"""

_MARK = """
WITH repeated AS (
  SELECT run_id, load FROM results_point JOIN touched_run USING (run_id)
  WHERE attempt_id IS NULL GROUP BY run_id, load HAVING count(*) > 1 OR NOT bool_or(current)
), ranked AS (
  SELECT id, row_number() OVER (
    PARTITION BY run_id, load
    ORDER BY CASE validity WHEN 'valid' THEN 0 WHEN 'diagnostic' THEN 1 WHEN 'invalid' THEN 2 ELSE 3 END,
      measured_at DESC NULLS LAST, digest
  ) = 1 AS newest
  FROM results_point JOIN repeated USING (run_id, load) WHERE attempt_id IS NULL
), marked AS (
  UPDATE results_point point SET current = ranked.newest FROM ranked
  WHERE ranked.id = point.id AND point.current <> ranked.newest RETURNING point.current
) SELECT count(*) FILTER (WHERE NOT current) FROM marked
"""


def summarise_touched_runs() -> int:
    """Bring runs in line with their points; how many observations are no longer current.

    Works on the temporary table ``touched_run`` of the transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute(_MARK)
        superseded = int(cursor.fetchone()[0])
        cursor.execute(_SUMMARISE)
    return superseded


def delete_empty_runs() -> None:
    """Delete touched imported runs that no point is left of; no curve points at them any more."""
    with connection.cursor() as cursor:
        cursor.execute(_EMPTY)
        empty = [row[0] for row in cursor.fetchall()]
    if empty:
        CurveAcceptance.objects.filter(run__in=empty).delete()
        Run.objects.filter(id__in=empty).delete()
