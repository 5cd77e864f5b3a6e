"""Which measured configuration meets an objective: page, figure and table."""

from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard import decide_words, words
from dashboard.figures import numbers
from dashboard.figures.offers import Place, offers_figure
from dashboard.figures.pareto import Axis
from dashboard.views.csv_files import csv_file
from dashboard.views.errors import checked
from dashboard.views.slo_state import query_of, question_of
from results.metrics import METRICS
from results.queries.lean_points import LeanPoint
from results.queries.places import Place as Where
from results.queries.prices import shipped_prices
from results.queries.slo import KINDS, PERCENTILES, Answered, search

#: Rows of the page; the file and the API hold all.
_SHOWN = 50


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    found = search(question_of(request.GET))
    return render(request, "decide/slo.html", _context(found))


@require_safe
@checked
def figure(request: HttpRequest) -> HttpResponse:
    found = search(question_of(request.GET))
    return HttpResponse(orjson.dumps(_figure(found)), content_type="application/json")


@require_safe
@checked
def offers_csv(request: HttpRequest) -> HttpResponse:
    found = search(question_of(request.GET))
    question = found.question
    header = [
        "rank", "hardware", "devices", "engine", "engine_version", "precision", "parallelism", "fingerprint",
        "load", "deployments", "quantity", "value", "unit", "point", "run", "price_version", "price_tier",
    ]  # fmt: skip
    rows = []
    for one in found.offers:
        recipe, offer = one.recipe, one.offer
        fixed = [one.rank, recipe.hardware, recipe.gpus, recipe.engine, recipe.version, recipe.precision,
                 recipe.label, recipe.fingerprint, one.point.load, offer.deployments]  # fmt: skip
        quantities = (
            (question.ttft, offer.point.ttft, "s"),
            (question.speed, offer.point.speed, "tok/s/user"),
            (question.throughput, offer.point.throughput, "tok/s/GPU"),
            ("throughput", offer.throughput, "tok/s"),
            (f"cost_per_million_{question.kind}_tokens", offer.cost, "USD/Mtok"),
            ("price", offer.dollars, "USD/h"),
            ("power", offer.kilowatts, "kW"),
        )
        evidence = [one.point.id, one.point.run, found.table.version, question.tier.value]
        rows += [[*fixed, name, value, unit, *evidence] for name, value, unit in quantities]
    return csv_file("slo", header, rows)


def _context(found: Answered) -> dict[str, Any]:
    question = found.question
    model = found.place.model if found.place else question.model
    scenario = found.place.scenario if found.place else question.scenario
    misses = sorted(found.misses.items(), key=lambda item: -item[1])
    return {
        "found": found,
        "question": question,
        "query": query_of(question, model=model, scenario=scenario),
        "models": _models(found.places),
        "scenarios": [place.scenario for place in found.places if place.model == model],
        "model": model,
        "scenario": scenario,
        "percentiles": [(name, name.upper()) for name in PERCENTILES],
        "kinds": [(name, decide_words.KINDS[name]) for name in KINDS],
        "tiers": list(decide_words.TIERS.items()),
        "price_versions": [table.version for table in reversed(shipped_prices().tables)],
        "offers": found.offers[:_SHOWN],
        "considered": len(found.points),
        "missed": [(words.word(decide_words.MISSES, name), count) for name, count in misses],
        "asked": any(getattr(question.objective, name) for name in ("ttft", "speed", "budget", "power")),
        "throughput_unit": "tok/s",
    }


def _models(places: tuple[Where, ...]) -> list[tuple[str, str]]:
    return list({place.model: place.name for place in places}.items())


def _figure(found: Answered) -> dict[str, Any]:
    question = found.question
    places = [place for point in found.points if (place := _place(found, point)) is not None]
    limits = {"x": question.objective.speed, "y": question.objective.ttft}
    return offers_figure(
        places,
        _axis(question.speed, log=False),
        _axis(question.ttft, log=True),
        {axis: value for axis, value in limits.items() if value is not None},
    )


def _axis(key: str, *, log: bool) -> Axis:
    metric = METRICS[key]
    return Axis(decide_words.label(key), metric.unit, log, words.better(metric.direction))


def _place(found: Answered, point: LeanPoint) -> Place | None:
    speed, ttft = point.values.get(found.question.speed), point.values.get(found.question.ttft)
    if speed is None or ttft is None or ttft <= 0:
        return None
    recipe = found.recipes[point.recipe]
    lines = (
        recipe.title,
        f"{_('load')} {point.load}",
        f"{decide_words.label(found.question.speed)}: {numbers.short(speed)} tok/s/user",
        f"{decide_words.label(found.question.ttft)}: {numbers.short(ttft)} s",
    )
    asked = found.question.objective
    meets = (asked.speed is None or speed >= asked.speed) and (asked.ttft is None or ttft <= asked.ttft)
    return Place(point.id, point.load, recipe, speed, ttft, meets, lines)
