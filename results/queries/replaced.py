"""Published runs that newer builds replaced as a whole: counted, while their points stay unread."""

from typing import Any, NamedTuple

from django.db.models import Count, Sum

from results.queries.published import Scope, published_curves
from results.queries.recipes_seen import RecipeSeen

_COLUMNS = ("hardware__vendor", "hardware__slug", "gpu_count", "engine__slug", "precision", "speculative",
            "kv_offload", "disaggregated", "multinode", "accuracy")  # fmt: skip


class Replaced(NamedTuple):
    """Runs whose recipes are alike in all that ``recipe`` says; what it leaves blank may differ."""

    recipe: RecipeSeen
    runs: int
    points: int


def replaced_runs(scope: Scope) -> list[Replaced]:
    """What newer builds measured again, every point of it; one query."""
    curves = published_curves(scope).filter(superseded=True)
    rows = curves.values_list(*(f"recipe__{name}" for name in _COLUMNS))
    return [
        Replaced(_recipe(*row), runs, points)
        for *row, runs, points in rows.annotate(runs=Count("id"), held=Sum("points"))
    ]


def _recipe(vendor: str, hardware: str, gpu_count: int, engine: str, *shape: Any) -> RecipeSeen:
    """Without fingerprint, document, names and versions; ``shape`` is what comes last in a recipe."""
    return RecipeSeen("", "", vendor, "", hardware, "", gpu_count, engine, "", "", "", *shape)
