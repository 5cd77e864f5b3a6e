"""Known issues and the points that each concerns."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from results.documents.known_issues import Concerns, KnownIssue, KnownIssues
from results.queries.points import PointRow
from results.queries.recipes_seen import RunSeen
from results.queries.seen_points import SeenPoint

SHIPPED = Path(__file__).resolve().parents[1] / "catalog" / "notes" / "known_issues.yaml"


@dataclass(frozen=True, slots=True)
class Noted:
    """An issue with its number on this page and the points that it concerns."""

    number: int
    issue: KnownIssue
    points: frozenset[int]


@lru_cache(maxsize=1)
def shipped_issues() -> tuple[KnownIssue, ...]:
    """In the order of the file, read once per process. ValidationError for a file that breaks a rule."""
    return KnownIssues.model_validate(yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))).issues


def noted(points: Iterable[SeenPoint], metrics: Iterable[str], prices: str | None) -> tuple[Noted, ...]:
    """The issues that concern any of these points under two metrics and a price table in force, if one is."""
    keys = tuple(metrics)
    by_run: dict[uuid.UUID, tuple[_About, list[int]]] = {}
    for point in points:
        if point.run not in by_run:
            by_run[point.run] = (_about(point.of), [])
        by_run[point.run][1].append(point.id)
    found: list[Noted] = []
    for issue in shipped_issues():
        if not _in_play(issue.concerns, keys, prices):
            continue
        ids = frozenset(id for about, ids in by_run.values() if _fits(issue.concerns, about) for id in ids)
        if ids:
            found.append(Noted(len(found) + 1, issue, ids))
    return tuple(found)


def _in_play(concerns: Concerns, metrics: tuple[str, ...], prices: str | None) -> bool:
    if concerns.prices and prices not in concerns.prices:
        return False
    return not concerns.metrics or any(key.startswith(concerns.metrics) for key in metrics)


def issues_of_point(row: PointRow) -> tuple[KnownIssue, ...]:
    """What concerns one point by itself; its prices are no property of it."""
    deployment = "disaggregated" if row.disaggregated else "multi" if row.multinode else "single"
    kind = "fixed" if row.scenario.partition("/")[0].isdecimal() else "agentic"
    about = _About(
        imported=bool(row.source_run),
        scenarios=frozenset({row.scenario, kind}),
        hardware=row.hardware,
        deployment=deployment,
        gpus=row.gpu_count,
        speculative=bool(row.speculative),
    )
    return tuple(
        issue
        for issue in shipped_issues()
        if _in_play(issue.concerns, tuple(row.values), None) and _fits(issue.concerns, about)
    )


@dataclass(frozen=True, slots=True)
class _About:
    imported: bool
    scenarios: frozenset[str]
    hardware: str
    deployment: str
    gpus: int
    speculative: bool


def _about(run: RunSeen) -> _About:
    recipe = run.recipe
    return _About(
        imported=bool(run.source_run),
        scenarios=frozenset({run.scenario, "agentic" if run.agentic else "fixed"}),
        hardware=recipe.hardware,
        deployment=recipe.deployment,
        gpus=recipe.gpu_count,
        speculative=bool(recipe.speculative),
    )


def _fits(concerns: Concerns, about: _About) -> bool:
    return (
        concerns.imported in (None, about.imported)
        and (not concerns.scenarios or not about.scenarios.isdisjoint(concerns.scenarios))
        and (not concerns.hardware or about.hardware in concerns.hardware)
        and (not concerns.deployment or about.deployment in concerns.deployment)
        and (not concerns.gpus or about.gpus in concerns.gpus)
        and concerns.speculative in (None, about.speculative)
    )
