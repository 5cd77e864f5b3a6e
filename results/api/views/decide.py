"""Compare sides; find what meets an objective. The pages show what these addresses answer."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.analysis.prices import NoPriceTableError
from results.analysis.slo import Objective
from results.api.errors import BadQuery
from results.api.many import ManyViewSet
from results.api.serializers.decide import CompareQuery, ComparisonSidesRead, SloQuery, SloRead
from results.documents.prices import Tier
from results.documents.refusal import Problem
from results.queries.compare import Wanted, compare
from results.queries.compare_document import comparison_document
from results.queries.sides import BUILDS, FEWEST, MOST, Asked, UnknownSideError
from results.queries.slo import Question, search
from results.queries.slo_document import slo_document

Found = TypeVar("Found")


class CompareItem(ManyViewSet):
    query_class = CompareQuery

    @extend_schema(operation_id="compare", parameters=[CompareQuery], responses=ComparisonSidesRead)
    def retrieve(self, request: Request) -> Response:
        """Runs, recipes, hardware or engines side by side: what differs, ratios, equal x, guards."""
        wanted = _wanted(self.params)
        if not FEWEST <= wanted.asked.count <= MOST:
            raise refused("run", "sides", f"{FEWEST} to {MOST} of run, recipe, hardware and engine together")
        return Response(comparison_document(asked(lambda: compare(wanted))))


class SloItem(ManyViewSet):
    query_class = SloQuery

    @extend_schema(operation_id="meet_objective", parameters=[SloQuery], responses=SloRead)
    def retrieve(self, request: Request) -> Response:
        """Measured configurations that meet an objective, best first; nothing is interpolated."""
        limits = {name: self.params.get(name) for name in ("ttft", "speed", "budget", "power")}
        question = Question(
            objective=Objective(**limits),
            precision=tuple(self.params.get("precision", ())),
            tier=Tier(self.params["tier"]),
            percentile=self.params["percentile"],
            kind=self.params["kind"],
            **_given(self.params, "model", "scenario", "prices"),
        )
        return Response(slo_document(asked(lambda: search(question))))


def asked(question: Callable[[], Found]) -> Found:
    """The answer; what the question names and nothing has becomes a named problem."""
    try:
        return question()
    except UnknownSideError as error:
        raise refused(error.name, "unknown", error.rule) from error
    except NoPriceTableError as error:
        raise refused("prices", "unknown", str(error)) from error


def refused(name: str, rule: str, message: str) -> BadQuery:
    return BadQuery([Problem(pointer=f"?{name}", rule=rule, message=message)])


def _wanted(params: dict[str, Any]) -> Wanted:
    sides = Asked(
        runs=tuple(dict.fromkeys(params.get("run", ()))),
        recipes=tuple(dict.fromkeys(params.get("recipe", ()))),
        hardware=tuple(dict.fromkeys(params.get("hardware", ()))),
        engines=tuple(dict.fromkeys(params.get("engine", ()))),
        **_given(params, "model", "scenario", "precision", "as_of"),
        every_build=params["builds"] != BUILDS[0],
    )
    return Wanted(
        asked=sides,
        at=tuple(sorted(set(params.get("at", ())))),
        tier=Tier(params["tier"]),
        **_given(params, "x", "y", "load", "prices"),
    )


def _given(params: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: params[name] for name in names if name in params}
