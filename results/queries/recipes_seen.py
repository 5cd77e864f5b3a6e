"""The recipes behind a set of points."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Min, QuerySet

from results.models import Point

RECIPE = "run__recipe__fingerprint"


@dataclass(frozen=True, slots=True)
class RecipeSeen:
    """A recipe of the scope, filtered or not, so that its colour does not depend on filters."""

    fingerprint: str
    document: Mapping[str, Any]
    labels: tuple[str, ...]
    vendor: str
    kind: str
    hardware: str
    gpu_count: int
    engine: str
    engine_name: str
    engine_version: str
    precision: str
    offload: str
    first_at: datetime


def recipes_seen(scope: QuerySet[Point]) -> tuple[RecipeSeen, ...]:
    """The recipes of these points in the order in which they were first run; one query."""
    paths = {
        "document": "run__recipe__document",
        "vendor": "run__recipe__hardware__vendor",
        "kind": "run__recipe__hardware__kind",
        "hardware": "run__recipe__hardware__name",
        "gpu_count": "run__recipe__gpu_count",
        "engine": "run__recipe__engine__slug",
        "engine_name": "run__recipe__engine__name",
        "engine_version": "run__recipe__engine_version",
        "precision": "run__recipe__precision",
        "offload": "run__recipe__kv_offload",
    }
    rows = (
        scope.values(RECIPE, "run__label", **{name: F(path) for name, path in paths.items()})
        .annotate(first_at=Min("run__created_at"))
        .order_by("first_at", RECIPE)
    )
    found: dict[str, RecipeSeen] = {}
    for row in rows:
        fingerprint, label = row.pop(RECIPE), row.pop("run__label")
        labels = found[fingerprint].labels if fingerprint in found else ()
        first = found[fingerprint].first_at if fingerprint in found else row["first_at"]
        found[fingerprint] = RecipeSeen(
            **{**row, "fingerprint": fingerprint, "labels": (*labels, label), "first_at": first}
        )
    return tuple(found.values())
