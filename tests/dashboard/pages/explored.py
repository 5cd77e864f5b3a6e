"""Published points of imported runs, each valid and named by what varies."""

import uuid
from datetime import UTC, datetime
from typing import Any

from results import clock
from results.documents.recipe import Recipe as RecipeDocument
from results.models import Engine, Hardware, LanguageModel, Origin, Point, Recipe, Run, Scenario, State
from results.services.publish_curve import publish_curve

VENDORS = {"b200": "NVIDIA", "h200": "NVIDIA", "mi355x": "AMD"}
FIXED = {"kind": "fixed", "isl": 8192, "osl": 1024}
AGENTIC = {"kind": "agentic", "corpus": "cc-traces", "context_cap": 131072}


def recipe(hardware: str = "b200", **changes: Any) -> Recipe:
    """``tp``, ``offload`` and ``accuracy`` beside keys of the recipe document."""
    tp, accuracy = changes.pop("tp", 8), changes.pop("accuracy", "unknown")
    role = {"hardware": hardware, "gpus": tp, "tp": tp}
    document = RecipeDocument.model_validate(
        {
            "roles": changes.pop("roles", {"serve": role}),
            "engine": {"name": "vllm", "version": "1.0"},
            "model": {"name": "large"},
            "precision": "fp8",
            **changes,
        }
    )
    slugs = {one.hardware for one in document.roles.values()}
    for slug in slugs:
        Hardware.objects.get_or_create(
            slug=slug, defaults={"name": slug.upper(), "vendor": VENDORS[slug], "kind": "gpu"}
        )
    engine, _made = Engine.objects.get_or_create(slug=document.engine.name, defaults={"name": "An engine"})
    model, _made = LanguageModel.objects.get_or_create(slug="large", defaults={"name": "Large"})
    columns = {
        "document": document.model_dump(mode="json"),
        "hardware": Hardware.objects.get(slug=next(iter(document.roles.values())).hardware),
        "gpu_count": document.total_gpus,
        "engine": engine,
        "engine_version": document.engine.version or "",
        "language_model": model,
        "precision": document.precision,
        "speculative": document.speculative.method if document.speculative else "",
        "kv_offload": document.kv_offload.mode,
        "disaggregated": document.disaggregated,
        "multinode": document.multinode,
        "accuracy": accuracy,
        "created_at": clock.now(),
    }
    return Recipe.objects.get_or_create(fingerprint=document.fingerprint, defaults=columns)[0]


def points(
    of: Recipe,
    rows: dict[int, tuple[float, float]],
    *,
    day: int = 1,
    scenario: dict[str, Any] | None = None,
    label: str = "imported",
    **metrics: float,
) -> list[Point]:
    """One run; ``rows`` maps a load to interactivity P50 and total throughput per GPU."""
    now, measured = clock.now(), datetime(2026, 10, day, tzinfo=UTC)
    run = Run.objects.create(
        id=uuid.uuid4(), label=label, recipe=of, loads=list(rows), origin=Origin.IMPORTED, created_at=now,
        scenario=Scenario.objects.get_or_create(**(scenario or FIXED))[0], state=State.SUCCEEDED,
        measured_at=measured,
    )  # fmt: skip
    made = [
        Point.objects.create(
            run=run, load=load, digest=uuid.uuid4().hex * 2, measured_at=measured, validity="valid",
            rules_version="r1", parser_version="p1", created_at=now, interactivity_p50=x,
            total_throughput_per_gpu=y, **metrics,
        )
        for load, (x, y) in rows.items()
    ]  # fmt: skip
    publish_curve(run=run.id)
    return made
