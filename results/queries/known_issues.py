"""Known issues and the points that each concerns."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from results.documents.known_issues import Concerns, KnownIssue, KnownIssues
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
    by_run: dict[uuid.UUID, tuple[RunSeen, list[int]]] = {}
    for point in points:
        by_run.setdefault(point.run, (point.of, []))[1].append(point.id)
    found: list[Noted] = []
    for issue in shipped_issues():
        if not _in_play(issue.concerns, keys, prices):
            continue
        ids = frozenset(id for run, ids in by_run.values() if _fits(issue.concerns, run) for id in ids)
        if ids:
            found.append(Noted(len(found) + 1, issue, ids))
    return tuple(found)


def _in_play(concerns: Concerns, metrics: tuple[str, ...], prices: str | None) -> bool:
    if concerns.prices and prices not in concerns.prices:
        return False
    return not concerns.metrics or any(key.startswith(concerns.metrics) for key in metrics)


def _fits(concerns: Concerns, run: RunSeen) -> bool:
    recipe = run.recipe
    names = {run.scenario, "agentic" if run.agentic else "fixed"}
    return (
        concerns.imported in (None, bool(run.source_run))
        and (not concerns.scenarios or not names.isdisjoint(concerns.scenarios))
        and (not concerns.hardware or recipe.hardware in concerns.hardware)
        and (not concerns.deployment or recipe.deployment in concerns.deployment)
        and (not concerns.gpus or recipe.gpu_count in concerns.gpus)
        and concerns.speculative in (None, bool(recipe.speculative))
    )
