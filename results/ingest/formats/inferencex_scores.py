"""Accuracy scores of InferenceX evaluation rows. Pure."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_identity import Spelling, read_recipe
from results.ingest.formats.inferencex_points import multinode, read_run, read_scenario
from results.ingest.formats.inferencex_topology import PerGpu, read_topology
from results.ingest.rows import Evaluation, FormatError, Rejected, Row

#: Width of the narrower of the two columns that keep a task and a score.
LONGEST_NAME = 64
_MATCHES = ("em_strict", "em_flexible")
#: lm-eval names its files by the time in UTC: results_2026-01-21T00-34-31.779836.json
_FILE_TIME = re.compile(r"results_(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(\.\d{1,6})?")


def read_config(row: Fields, spelling: Spelling) -> dict[str, Any]:
    """The partial recipe of an evaluated configuration; it has no throughput that could prove GPU counts."""
    recipe = read_recipe(row, spelling)
    topology = read_topology(row, spelling, PerGpu())
    recipe["roles"] = {name: role for name, role in topology.roles.items() if role}
    return {name: value for name, value in {**recipe, **multinode(row, topology)}.items() if value != {}}


def read_scores(row: Fields, metrics: Fields, spelling: Spelling) -> Iterator[Row]:
    """One row for each score; ``score`` repeats one of the others unless it has a name of its own."""
    try:
        found: list[Row] = list(_evaluations(row, metrics, spelling))
    except FormatError as error:
        yield Rejected(error.pointer, error.reason)
        return
    yield from found or [Rejected(row.place, "no score")]


def _evaluations(row: Fields, metrics: Fields, spelling: Spelling) -> Iterator[Evaluation]:
    task = row.text("task")
    if task is None or len(task) > LONGEST_NAME:
        row.fail("task", f"must be a name of at most {LONGEST_NAME} characters")
    recipe, scenario = read_config(row, spelling), _scenario(row)
    for name, metric in _names(metrics):
        score = metrics.amount(name)
        if score is not None:
            yield Evaluation(
                pointer=row.place,
                recipe=recipe,
                scenario=scenario,
                load=row.positive("conc"),
                task=task,
                metric=metric,
                score=fraction(metrics, name),
                score_se=metrics.amount(f"{name}_se"),
                samples=metrics.count("n_eff"),
                source_run=read_run(row),
                measured_at=row.moment("timestamp") or file_time(row.text("source") or ""),
            )


def _names(metrics: Fields) -> Iterator[tuple[str, str]]:
    """Field and name of each score."""
    yield from ((name, name) for name in _MATCHES)
    name = metrics.text("score_name")
    repeated = metrics.values.get("score") in [metrics.values.get(match) for match in _MATCHES]
    if name is not None and len(name) > LONGEST_NAME:
        metrics.fail("score_name", f"must be a name of at most {LONGEST_NAME} characters")
    if name not in _MATCHES and not (name is None and repeated):
        yield "score", name or "score"


def fraction(fields: Fields, name: str) -> float:
    """A score from 0 to 1; raises FormatError."""
    value = fields.amount(name)
    if value is None or value > 1:
        fields.fail(name, "must be a fraction")
    return value


def file_time(name: str) -> datetime | None:
    """When lm-eval wrote the results, as the name of its file says; None for another name."""
    found = _FILE_TIME.search(name)
    if found is None:
        return None
    day, hour, minute, second, part = found.groups()
    try:
        return datetime.fromisoformat(f"{day}T{hour}:{minute}:{second}{part or ''}").replace(tzinfo=UTC)
    except ValueError:
        return None


def _scenario(row: Fields) -> dict[str, Any]:
    found = read_scenario(row)
    return found if len(found) > 1 else {}
