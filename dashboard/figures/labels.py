"""What series and points are called, in the reader's language."""

from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures.arrange import Row
from results.queries.plane import ALL, RECIPE, SeriesSeen

#: Values that read better as a word of their own, by the field they belong to.
_WORDS = {"deployment": words.DEPLOYMENTS, "accuracy": words.ACCURACIES}


def series_name(one: SeriesSeen, group_by: tuple[str, ...]) -> str:
    """The labels of a recipe; else the values that a group shares."""
    if group_by == (RECIPE,):
        return " / ".join(one.labels)
    if group_by == (ALL,):
        return _("all points")
    texts = (value_name(name, value, one) for name, value in zip(group_by, one.values, strict=False))
    return " · ".join(text for text in texts if text)


def value_name(name: str, value: str, one: SeriesSeen) -> str:
    """A value of a field grouped by; what is off or absent has no part in a name."""
    if name == "hardware":
        return one.first.hardware_name
    if name == "engine":
        return one.first.engine_name
    if name == RECIPE:
        return value[:12]
    if name == "speculative":
        return "" if value == "none" else value.upper()
    if name == "offload":
        return "" if value == "none" else _("KV offload")
    return words.word(_WORDS[name], value) if name in _WORDS else value


def mark_label(row: Row, kind: str) -> str:
    """The text beside a mark: its load, or, on a frontier, its parallelism."""
    if kind == "load":
        return str(row.point.load)
    return row.recipe.build.parallel if kind == "parallel" and row.on_frontier else ""
