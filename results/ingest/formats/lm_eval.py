"""Accuracy: ``results_*.json`` of lm-evaluation-harness, and reports of the SWE-bench harness.

Each number of a task that is no standard error is one score; of what was served only the model is known.
Results beside a ``meta_env.json`` are InferenceX's, whose own reader knows the whole configuration.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from results.ingest.fields import Fields
from results.ingest.json_stream import json_members, outline
from results.ingest.reading import json_document
from results.ingest.rows import Evaluation, FormatError, Rejected, Row, Source

NAME = "lm-eval"
PARSER_VERSION = "lm-eval/1"
META = "meta_env.json"
_MEMBERS = frozenset({"results", "n-samples", "config", "model_name", "date"})
_SWE = frozenset({"total_instances", "resolved_instances", "submitted_instances"})
_NO_SCORE = frozenset({"alias", "name", "sample_len", "sample_count"})


def detect(source: Source) -> str | None:
    """The harness's version, ``unversioned`` before it had one, ``swe-bench`` for reports of that harness."""
    found = outline(source)
    if found.kind != "object" or META in source.siblings:
        return None
    if found.keys >= _SWE:
        return "swe-bench"
    version = found.scalars.get("lm_eval_version")
    if "results" in found.nested and isinstance(version, str):
        return version
    return "unversioned" if {"results", "versions", "config"} <= found.keys else None


def read(source: Source) -> Iterator[Row]:
    if outline(source).keys >= _SWE:
        yield _resolved(Fields.of(json_document(source)))
        return
    # Samples and configurations, which make such files large, are read past.
    report = Fields(json_members(source, _MEMBERS, finite=False))
    recipe = _model(report)
    measured_at = report.moment("date")
    tasks = report.inner("results")
    for task in tasks.values:
        yield from _scores(tasks, task, report.inner("n-samples"), recipe, measured_at)


def _resolved(report: Fields) -> Evaluation:
    total, resolved = report.positive("total_instances"), report.count("resolved_instances")
    if total is None or resolved is None or resolved > total:
        report.fail("resolved_instances", "must be a count of at most total_instances")
    return Evaluation(
        pointer="/resolved_instances",
        recipe={},
        scenario={},
        load=None,
        task="swe-bench",
        metric="resolved",
        score=resolved / total,
        samples=total,
    )


def _scores(
    tasks: Fields, task: str, samples: Fields, recipe: dict[str, Any], measured_at: datetime | None
) -> Iterator[Row]:
    try:
        scores = tasks.inner(task)
        count = samples.inner(task).count("effective") or scores.count("sample_len")
    except FormatError as error:
        yield Rejected(error.pointer, error.reason)
        return
    for name in scores.values:
        if name in _NO_SCORE or "_stderr" in name or scores.values[name] is None:
            continue
        try:
            score = scores.number(name)
            if score is None or not 0 <= score <= 1:
                scores.fail(name, "a score is a fraction between 0 and 1")
            error_of = _stderr(scores, name)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
            continue
        yield Evaluation(
            pointer=scores.pointer(name),
            recipe=recipe,
            scenario={},
            load=None,
            task=task,
            metric=name,
            score=score,
            score_se=error_of,
            samples=count,
            measured_at=measured_at,
        )


def _stderr(scores: Fields, name: str) -> float | None:
    """``exact_match_stderr,strict-match`` for ``exact_match,strict-match``; "N/A" for what has none."""
    metric, mark, rule = name.partition(",")
    key = f"{metric}_stderr{mark}{rule}"
    return None if isinstance(scores.values.get(key), str) else scores.amount(key)


def _model(report: Fields) -> dict[str, Any]:
    """The served name from the arguments of the model, which are text or an object."""
    arguments = report.inner("config").values.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part)
    stated = arguments if isinstance(arguments, dict) else {}
    names = (stated.get("model"), stated.get("pretrained"), report.values.get("model_name"))
    name = next((found for found in names if isinstance(found, str) and found), None)
    return {"model": {"name": name}} if name else {}
