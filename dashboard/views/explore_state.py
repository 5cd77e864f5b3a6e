"""The state of Explore, which is its address: parse, check, write back."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from dashboard.figures.arrange import Choice
from dashboard.views.parameters import matching, member, one, refuse_unknown, several
from results.metrics import METRICS
from results.queries.explore import FIELDS, Selection

X, Y = "interactivity_p50", "output_throughput_per_gpu"
SCALES = ("lin", "log")
SHOW = ("all", "frontier")
SORTS = ("rank", "x", "load", "recipe", "date")
VALIDITIES = ("auto", "valid", "diagnostic", "invalid", "failed", "all")
_SINGLE = ("model", "scenario", "x", "y", "xscale", "yscale", "show", "validity", "sort", "point")
KNOWN = (*_SINGLE, *FIELDS, "recipe", "hide")


@dataclass(frozen=True, slots=True)
class ExploreState:
    """One value per parameter; ``chosen``, ``recipe`` and ``hide`` may hold several."""

    model: str = ""
    scenario: str = ""
    x: str = X
    y: str = Y
    xscale: str = "lin"
    yscale: str = "lin"
    show: str = "all"
    validity: str = "auto"
    sort: str = "rank"
    point: str = ""
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recipe: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()

    @classmethod
    def parse(cls, query: QueryDict) -> "ExploreState":
        """BadParameterError names the first parameter that breaks a rule."""
        refuse_unknown(query, KNOWN)
        return cls(
            model=one(query, "model"),
            scenario=one(query, "scenario"),
            x=member(query, "x", METRICS, X),
            y=member(query, "y", METRICS, Y),
            xscale=member(query, "xscale", SCALES, "lin"),
            yscale=member(query, "yscale", SCALES, "lin"),
            show=member(query, "show", SHOW, "all"),
            validity=member(query, "validity", VALIDITIES, "auto"),
            sort=member(query, "sort", SORTS, "rank"),
            point=_whole(query, "point"),
            chosen={name: values for name in FIELDS if (values := _chosen(query, name))},
            recipe=_fingerprints(query, "recipe"),
            hide=_fingerprints(query, "hide"),
        )

    @property
    def selection(self) -> Selection:
        return Selection(
            model=self.model or None,
            scenario=self.scenario or None,
            chosen=self.chosen,
            validity=self.validity,
            recipes=self.recipe,
        )

    @property
    def choice(self) -> Choice:
        return Choice(
            x=METRICS[self.x],
            y=METRICS[self.y],
            x_log=self.xscale == "log",
            y_log=self.yscale == "log",
            only_frontier=self.show == "frontier",
            hidden=self.hide,
            sort=self.sort,
        )

    def query(self, **changes: Any) -> str:
        """The whole state as a query string, with ``changes`` applied."""
        state = replace(self, **changes)
        pairs = [(name, getattr(state, name)) for name in _SINGLE if getattr(state, name)]
        pairs += [(name, value) for name, values in state.chosen.items() for value in values]
        pairs += [("recipe", value) for value in state.recipe]
        pairs += [("hide", value) for value in state.hide]
        return urlencode(pairs)

    def toggled(self, key: str) -> str:
        """The query string after a click on a legend entry."""
        hide = tuple(other for other in self.hide if other != key)
        return self.query(hide=hide if key in self.hide else (*self.hide, key))


def _chosen(query: QueryDict, name: str) -> tuple[str, ...]:
    values = several(query, name)
    if name == "block":
        for value in values:
            matching(name, value, r"none|[1-9][0-9]{0,4}", _("must be whole numbers or none"))
    return values


def _whole(query: QueryDict, name: str) -> str:
    value = one(query, name)
    return matching(name, value, r"[1-9][0-9]{0,17}", _("must be a whole number")) if value else ""


def _fingerprints(query: QueryDict, name: str) -> tuple[str, ...]:
    rule = _("must be 8 to 64 hexadecimal digits of a recipe fingerprint")
    return tuple(matching(name, value, r"[0-9a-f]{8,64}", rule) for value in several(query, name))
