"""The controls of Explore: filters, axes and what else its address can say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures import numbers
from dashboard.figures.arrange import Arranged, Entry
from dashboard.figures.labels import series_name
from dashboard.views.explore_state import BUILDS, FACETS, LABELS, SCALES, SHOW, VALIDITIES, ExploreState
from results.analysis.axis_names import FAMILIES, PERCENTILES, X_AXES, family_metric
from results.analysis.natural_order import natural
from results.documents.prices import Tier
from results.metrics import DEFAULT_METRICS, DERIVED, METRICS, STAT_LABELS
from results.queries.explore import Explored
from results.queries.names import Kind, shipped_name
from results.queries.plane import AUTO, GROUPINGS
from results.queries.prices import shipped_prices

#: A facet of more values than this starts closed.
_OPEN = 8
_FACET_WORDS = {"deployment": words.DEPLOYMENTS, "accuracy": words.ACCURACIES}
_FACET_NAMES: Mapping[str, Kind] = {"hardware": "hardware", "engine": "engines"}


@dataclass(frozen=True, slots=True)
class Option:
    """``count`` of points; a chosen value that no point has stays visible with 0."""

    value: str
    text: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    options: tuple[Option, ...]

    @property
    def open(self) -> bool:
        return len(self.options) <= _OPEN or any(option.chosen for option in self.options)


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    query: str
    current: bool


def controls(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    """Everything that changes the address, in the reader's language."""
    explored = arranged.plane.explored
    return {
        "entries": _entries(state, arranged),
        "over_entries": _entries(state, arranged.over) if arranged.over else [],
        "facets": list(_facets(state, explored)),
        "models": _names(explored, state),
        "scenarios": _scenarios(explored, state),
        "validities": _options(VALIDITIES, words.VALIDITIES, state.validity),
        "builds": [
            Option(BUILDS[0], _("newest of each configuration"), state.builds == BUILDS[0]),
            Option(BUILDS[1], _("all"), state.builds == BUILDS[1]),
        ],
        "percentiles": [Option(one, STAT_LABELS[one], one == state.percentile) for one in PERCENTILES],
        "families": {state.x, state.y} & set(FAMILIES),
        "shows": _options(SHOW, words.SHOWN, state.show),
        "label_kinds": _options(LABELS, words.LABELS, state.labels),
        "groupings": _groupings(state),
        "prices": _prices(state, arranged),
        "tiers": _options([tier.value for tier in Tier], words.TIERS, state.tier),
        "scales": _scales(state),
        "facet_choices": _facet_choices(state),
        "over": _over_choices(explored, state),
    }


def _entries(state: ExploreState, layer: Arranged) -> list[tuple[Entry, str, str]]:
    """Entries of a legend with their names and what a click on each makes of the address."""
    toggled, group_by = state.toggles(), layer.plane.group_by
    return [(entry, series_name(entry.series, group_by), toggled(entry.key)) for entry in layer.entries]


def _options(values: Any, named: words.Words, current: str) -> list[Option]:
    return [Option(value, words.word(named, value), value == current) for value in values]


def _names(explored: Explored, state: ExploreState) -> list[Option]:
    names = {place.model: place.model_name for place in explored.choices}
    names |= {place.model: place.model_name for place in explored.places}
    if state.model:
        names.setdefault(state.model, state.model)
    current = explored.places[0].model if explored.places else state.model
    return [
        Option(slug, name, slug == current) for slug, name in sorted(names.items(), key=lambda item: item[1])
    ]


def _scenarios(explored: Explored, state: ExploreState) -> list[Option]:
    model = explored.places[0].model if explored.places else state.model
    names = [place.scenario for place in explored.choices if place.model == model]
    current = state.scenario or (explored.places[0].scenario if explored.places else "")
    names += [current] if current and current not in names else []
    return [Option(name, name, name == current) for name in sorted(names, key=natural)]


def _facet_choices(state: ExploreState) -> list[Option]:
    names = {"": _("one chart"), **{name: words.word(words.FACETS, name) for name in FACETS if name}}
    return [Option(name, text, name == state.facet) for name, text in names.items()]


def _over_choices(explored: Explored, state: ExploreState) -> dict[str, list[Option]]:
    """What may be laid over the first model, scenario and day; the empty value is the same as below."""
    models = {place.model: place.model_name for place in explored.choices}
    scenarios = dict.fromkeys(sorted((place.scenario for place in explored.choices), key=natural))
    same = _("the same")
    return {
        "models": [Option("", same, not state.over_model)]
        + [Option(slug, name, slug == state.over_model) for slug, name in sorted(models.items())],
        "scenarios": [Option("", same, not state.over_scenario)]
        + [Option(name, name, name == state.over_scenario) for name in scenarios],
    }


def _facets(state: ExploreState, explored: Explored) -> Iterator[Facet]:
    for name, counts in explored.facets.items():
        wanted = state.chosen.get(name, ())
        values = dict.fromkeys([*counts, *wanted])
        if len(values) > 1 or wanted:
            options = (
                Option(value, facet_text(name, value), value in wanted, counts.get(value, 0))
                for value in values
            )
            yield Facet(name, tuple(options))


def facet_text(name: str, value: str) -> str:
    if name in _FACET_WORDS:
        return words.word(_FACET_WORDS[name], value)
    if name in _FACET_NAMES:
        return shipped_name(_FACET_NAMES[name], value)
    if value != "none":
        return value
    return _("off") if name in ("offload", "speculative") else _("not given")


def axis_groups(axis: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """What axis x or y offers by title: families are read at the chosen percentile, a key says it all."""
    first = X_AXES if axis == "x" else DEFAULT_METRICS
    groups = (
        (_("Most used"), first),
        (_("At the chosen percentile"), [name for name in FAMILIES if name not in first]),
        (_("Cost and provisioned energy"), DERIVED),
        (_("All others"), [key for key in METRICS if key not in first]),
    )
    return [(title, [(key, _axis_text(key)) for key in keys]) for title, keys in groups]


def _axis_text(key: str) -> str:
    metric = family_metric(key)
    name = _(metric.name) if key in FAMILIES else words.metric_label(key)
    return numbers.with_unit(name, metric.unit)


def _groupings(state: ExploreState) -> list[Option]:
    named: Mapping[str, Any] = {**words.FACETS, **words.GROUPINGS}
    return [Option(name, words.word(named, name), name in state.group) for name in GROUPINGS if name != AUTO]


def _prices(state: ExploreState, arranged: Arranged) -> list[Option]:
    table = arranged.plane.table
    day = _("as of the day (%(version)s)") % {"version": table.version if table else "–"}
    versions = [
        Option(one.version, one.version, one.version == state.prices) for one in shipped_prices().tables
    ]
    return [Option("", day if not state.prices else _("as of the day"), not state.prices), *versions]


def _scales(state: ExploreState) -> dict[str, list[Link]]:
    texts = {"lin": _("linear"), "log": _("log")}
    return {
        name: [
            Link(texts[scale], state.query(**{name: scale}), getattr(state, name) == scale)
            for scale in SCALES
        ]
        for name in ("xscale", "yscale")
    }
