"""Marks of the chart of Explore, in the reader's language."""

from functools import cache

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import words
from dashboard.figures.arrange import Row
from dashboard.figures.labels import mark_label
from dashboard.figures.marks import symbol
from dashboard.figures.pareto import Mark
from results.queries.recipes_seen import RecipeSeen


class Marks:
    """Those of one layer; what all points of a recipe have in common is worded once."""

    def __init__(self, label: str) -> None:
        """``label`` is what stands beside a mark, as ``mark_label`` takes it."""
        self._label, self._load = label, _("load")
        self._validity = cache(lambda code: words.word(words.VALIDITIES, code))
        self._recipes: dict[str, tuple[str, str, str]] = {}

    def of(self, row: Row) -> Mark:
        recipe, point = row.recipe, row.point
        if recipe.fingerprint not in self._recipes:
            self._recipes[recipe.fingerprint] = _described(recipe)
        served, build, shape = self._recipes[recipe.fingerprint]
        state = f"{self._validity(point.validity)} · {row.measured_at.date().isoformat()}"
        return Mark(
            id=point.id,
            load=point.load,
            label=mark_label(row, self._label),
            x=row.x,
            y=row.y,
            on_frontier=row.on_frontier,
            eligible=row.eligible,
            symbol=shape,
            halo=recipe.offload != "none",
            ring=bool(row.place.canonical),
            lines=(f"{point.label} · {self._load} {point.load}", served, build, state),
        )


def _described(recipe: RecipeSeen) -> tuple[str, str, str]:
    """What was served, by which build, and its symbol."""
    gpus = ngettext("%(count)d device", "%(count)d devices", recipe.gpu_count) % {"count": recipe.gpu_count}
    served = (recipe.hardware_name, gpus, recipe.build.parallel, recipe.precision)
    build = f"{recipe.engine_name} {recipe.engine_version}"
    return " · ".join(served), build, symbol(recipe.precision)
