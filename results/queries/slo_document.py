"""The answer to an objective as the API gives it."""

from typing import Any

from results.queries.slo import Answered, Offered


def slo_document(found: Answered) -> dict[str, Any]:
    """``points`` are identifiers under /api/v1/points/."""
    return {
        "met": found.met,
        "model": found.place.model if found.place else found.question.model,
        "scenario": found.place.scenario if found.place else found.question.scenario,
        "percentile": found.question.percentile,
        "points": len(found.points),
        "diagnostic": found.diagnostic,
        "offers": [_offer(one) for one in found.offers],
        "behind": found.behind,
        "misses": dict(found.misses),
        "versions": {"prices": found.table.version, "tier": found.question.tier.value},
    }


def _offer(one: Offered) -> dict[str, Any]:
    offer, recipe = one.offer, one.recipe
    return {
        "rank": one.rank,
        "point": one.point.id,
        "run": one.point.run,
        "recipe": recipe.fingerprint,
        "hardware": recipe.hardware,
        "engine": recipe.engine,
        "label": recipe.label,
        "gpus": recipe.gpus,
        "load": one.point.load,
        "ttft": offer.point.ttft,
        "speed": offer.point.speed,
        "deployments": offer.deployments,
        "throughput": offer.throughput,
        "dollars_per_hour": offer.dollars,
        "kilowatts": offer.kilowatts,
        "cost_per_million_tokens": offer.cost,
    }
