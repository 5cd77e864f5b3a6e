"""What the templates of Compare need, ready to print."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard.figures.side_figures import looks
from dashboard.views.compare_state import query_of
from results.metrics import DEFAULT_METRICS
from results.queries.compare import Comparison, Wanted
from results.queries.pickable import pickable_runs
from results.queries.presets import presets
from results.queries.side_columns import QUANTITIES
from results.queries.sides import ALL, BUILDS, MOST

#: Rows of the metric table before the rest is folded away.
_FIRST = len(DEFAULT_METRICS)
#: Empty places for further values of x.
_PLACES = 4


def context(found: Comparison, pair: str | None) -> dict[str, Any]:
    wanted = found.wanted
    query = query_of(wanted, sides=pair is None)
    base = reverse("compare") if pair is None else reverse("compare-pair", args=[pair])
    kept = [row for row in found.metrics if row.key in DEFAULT_METRICS]
    return {
        "found": found,
        "wanted": wanted,
        "base": base,
        "query": query,
        "api_query": query_of(wanted),
        "columns": list(zip(found.sides, looks(found.sides), found.planes, strict=True)),
        "others": found.sides[1:],
        "first_metrics": kept,
        "rest_metrics": [row for row in found.metrics if row.key not in DEFAULT_METRICS],
        "only": [(key, [found.sides[n].name for n in places]) for key, places in found.only.items()],
        "only_partial": [(load, [found.sides[n].name for n in places])
                         for load, places in found.loads.partial.items()],
        "loads": [(load, query_of(wanted, sides=pair is None, load=load), load == found.load)
                  for load in (*found.loads.shared, *found.loads.partial)],
        "several": any(cell and len(cell) > 1 for cell in found.evidence),
        "places": [*wanted.at, *[None] * max(1, _PLACES - len(wanted.at))],
        "models": list({place.model: place.name for place in found.table.places}.items()),
        "scenarios": _scenarios(found),
        "groups": any(side.kind in ("hardware", "engine") for side in found.sides),
        "precisions": [ALL, *found.table.precisions],
        "builds": list(zip(BUILDS, (_("newest of each configuration"), _("all")), strict=True)),
        "every_build": query_of(wanted, sides=pair is None, builds=BUILDS[1]),
        "hidden": _hidden(wanted, pair),
        "quantities": [(key, query_of(wanted, quantity=key)) for key in QUANTITIES],
        "telemetry": query_of(wanted, load=found.load),
        "has_requests": pair is None and any(side.kind in ("run", "recipe") for side in found.sides),
        "mixed_validity": len({plane.kind for plane in found.planes if plane.kind}) > 1,
        "diagnostic": [side.name for side, plane in zip(found.sides, found.planes, strict=True)
                       if plane.kind == "diagnostic"],
        "empty": [side.name for side, plane in zip(found.sides, found.planes, strict=True)
                  if not plane.cells],
        "cost_keys": sorted({key for row in found.iso for entry in row.entries for key in entry.costs}),
    }  # fmt: skip


def picking(wanted: Wanted) -> dict[str, Any]:
    """One side or none is chosen: what it could be compared with."""
    return {
        "presets": presets(),
        "wanted": wanted,
        "chosen": [str(run) for run in wanted.asked.runs],
        "recipes": wanted.asked.recipes,
        "found": pickable_runs(wanted.asked.runs, wanted.asked.recipes),
        "most": MOST,
    }


def _scenarios(found: Comparison) -> list[str]:
    place = found.table.place
    return [one.scenario for one in found.table.places if place is not None and one.model == place.model]


def _hidden(wanted: Wanted, pair: str | None) -> list[tuple[str, str]]:
    """What the form carries along without showing it."""
    if pair is not None:
        return []
    asked = wanted.asked
    sides = {"run": asked.runs, "recipe": asked.recipes, "hardware": asked.hardware, "engine": asked.engines}
    return [(name, str(value)) for name, values in sides.items() for value in values]
