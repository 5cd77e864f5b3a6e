"""The state of Explore, which is its address: parse, check, write back."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from dashboard.figures.arrange import Choice
from dashboard.views.parameters import (
    matching,
    member,
    members,
    one,
    refuse_unknown,
    several,
)
from dashboard.views.quantities import day
from results.analysis.axis_names import AXES, PERCENTILES, axis_metric
from results.documents.prices import Tier
from results.metrics import Metric
from results.queries.explore import Selection
from results.queries.filters import FIELDS
from results.queries.plane import AUTO, GROUPINGS, View
from results.queries.prices import shipped_prices

X, Y = "interactivity", "output_throughput_per_gpu"
SCALES = ("lin", "log")
#: auto is best per hardware where there are many recipes, else all.
SHOW = ("auto", "all", "best", "frontier")
SORTS = ("rank", "x", "load", "recipe", "date")
VALIDITIES = ("auto", "valid", "diagnostic", "invalid", "failed", "all")
BUILDS = ("newest", "all")
LABELS = ("auto", "load", "parallel", "none")
SWITCH = ("off", "on")
#: What a chart may be split by: what a recipe alone decides, so that no line runs through two panels.
FACETS = ("", "hardware", "engine", "precision", "deployment", "offload")


@dataclass(frozen=True, slots=True)
class ExploreState:
    """One value per parameter; ``chosen``, ``group``, ``recipe``, ``run`` and ``hide`` may hold several.

    ``point`` and ``second`` are pinned, ``at`` is the x of the ruler and ``base`` the series it compares
    with. ``prices`` is a version of the price table, empty for that of the day. ``facet`` makes a panel of
    each value, the three ``over_`` lay another model, scenario or day over the first, ``row`` is how many
    rows of the table come before the first one shown.
    """

    model: str = ""
    scenario: str = ""
    x: str = X
    y: str = Y
    percentile: str = PERCENTILES[0]
    xscale: str = "lin"
    yscale: str = "lin"
    show: str = "auto"
    labels: str = "auto"
    overall: str = "off"
    validity: str = "auto"
    builds: str = "newest"
    facet: str = ""
    as_of: str = ""
    over_model: str = ""
    over_scenario: str = ""
    over_as_of: str = ""
    prices: str = ""
    tier: str = Tier.RENTAL.value
    sort: str = "rank"
    at: str = ""
    base: str = ""
    point: str = ""
    second: str = ""
    row: str = ""
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: tuple[str, ...] = (AUTO,)
    recipe: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()

    @classmethod
    def parse(cls, query: QueryDict) -> "ExploreState":
        """BadParameterError names the first parameter that breaks a rule."""
        refuse_unknown(query, KNOWN)
        return cls(
            **{name: one(query, name) for name in ("model", "scenario", "over_model", "over_scenario")},
            **{name: member(query, name, *allowed) for name, allowed in _MEMBERS.items()},
            **{name: _whole(query, name) for name in ("point", "second", "row")},
            **{name: _day(query, name) for name in ("as_of", "over_as_of")},
            at=_number(query, "at"),
            base=next(iter(_fingerprints(query, "base")), ""),
            chosen={name: values for name in FIELDS if (values := _chosen(query, name))},
            group=members(query, "group", GROUPINGS) or (AUTO,),
            recipe=_fingerprints(query, "recipe"),
            run=_runs(query),
            hide=_fingerprints(query, "hide"),
        )

    @property
    def x_metric(self) -> Metric:
        return axis_metric(self.x, self.percentile)

    @property
    def y_metric(self) -> Metric:
        return axis_metric(self.y, self.percentile)

    @property
    def view(self) -> View:
        return View(
            selection=Selection(
                models=(self.model,) if self.model else (),
                scenarios=(self.scenario,) if self.scenario else (),
                chosen=self.chosen,
                validity=self.validity,
                recipes=self.recipe,
                runs=tuple(map(uuid.UUID, self.run)),
                as_of=date.fromisoformat(self.as_of) if self.as_of else None,
                every_build=self.builds == "all",
            ),
            x=self.x_metric,
            y=self.y_metric,
            group_by=self.group,
            price_version=self.prices or None,
            tier=Tier(self.tier),
        )

    def over(self, model: str, scenario: str) -> "ExploreState | None":
        """What is laid over the first model and scenario; None when nothing is."""
        if not (self.over_model or self.over_scenario or self.over_as_of):
            return None
        return replace(
            self,
            model=self.over_model or model,
            scenario=self.over_scenario or scenario,
            as_of=self.over_as_of or self.as_of,
        )

    @property
    def choice(self) -> Choice:
        return Choice(
            x_log=self.xscale == "log",
            y_log=self.yscale == "log",
            only_frontier=self.show in ("frontier", "best"),
            hidden=self.hide,
            sort=self.sort,
            overall=self.overall == "on",
        )

    def query(self, **changes: Any) -> str:
        """The whole state as a query string, with ``changes`` applied."""
        state = replace(self, **changes)
        pairs = [(name, getattr(state, name)) for name in SINGLE if getattr(state, name)]
        pairs += [(name, value) for name, values in state.chosen.items() for value in values]
        pairs += [(name, value) for name in _SEVERAL for value in getattr(state, name)]
        return urlencode(pairs)

    def toggles(self) -> Callable[[str], str]:
        """Makes the query string after a click on a legend entry; a page asks for many."""
        shown = self.query(hide=())

        def toggled(key: str) -> str:
            rest = [other for other in self.hide if other != key]
            hide = rest if key in self.hide else [*rest, key]
            return shown + "".join(f"&hide={name}" for name in hide)

        return toggled

    @property
    def pin(self) -> str:
        """The query string that a point's id completes: the first pin, then the one compared with it."""
        name = "second" if self.point else "point"
        return f"{self.query(**{name: ''})}&{name}="


#: Parameter to its allowed values and its default.
_MEMBERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "x": (AXES, X),
    "y": (AXES, Y),
    "percentile": (PERCENTILES, PERCENTILES[0]),
    "xscale": (SCALES, "lin"),
    "yscale": (SCALES, "lin"),
    "show": (SHOW, "auto"),
    "labels": (LABELS, "auto"),
    "overall": (SWITCH, "off"),
    "facet": (FACETS, ""),
    "validity": (VALIDITIES, "auto"),
    "builds": (BUILDS, "newest"),
    "prices": (("", *(table.version for table in shipped_prices().tables)), ""),
    "tier": (tuple(tier.value for tier in Tier), Tier.RENTAL.value),
    "sort": (SORTS, "rank"),
}
_SEVERAL = ("group", "recipe", "run", "hide")
SINGLE = tuple(one.name for one in fields(ExploreState) if one.name not in (*_SEVERAL, "chosen"))
KNOWN = (*SINGLE, *FIELDS, *_SEVERAL)


def _chosen(query: QueryDict, name: str) -> tuple[str, ...]:
    values = several(query, name)
    if name == "block":
        for value in values:
            matching(name, value, r"none|[1-9][0-9]{0,4}", _("must be whole numbers or none"))
    return values


def _whole(query: QueryDict, name: str) -> str:
    value = one(query, name)
    return matching(name, value, r"[1-9][0-9]{0,17}", _("must be a whole number")) if value else ""


def _number(query: QueryDict, name: str) -> str:
    value = one(query, name)
    pattern = r"(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,17})?(?:e-?[0-9]{1,2})?"
    return matching(name, value, pattern, _("must be a number such as 35 or 0.25")) if value else ""


def _day(query: QueryDict, name: str) -> str:
    found = day(query, name)
    return found.isoformat() if found is not None else ""


def _runs(query: QueryDict) -> tuple[str, ...]:
    pattern = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    return tuple(
        matching("run", value, pattern, _("must be the id of a run")) for value in several(query, "run")
    )


def _fingerprints(query: QueryDict, name: str) -> tuple[str, ...]:
    rule = _("must be 8 to 64 hexadecimal digits of a recipe fingerprint")
    return tuple(matching(name, value, r"[0-9a-f]{8,64}", rule) for value in several(query, name))
