"""The frontier of any two metrics, as Explore draws it."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.analysis.prices import NoPriceTableError
from results.api.errors import BadQuery
from results.api.many import ManyViewSet
from results.api.serializers.frontier import FrontierQuery, FrontierRead
from results.documents.prices import Tier
from results.documents.refusal import Problem
from results.queries.filters import FIELDS
from results.queries.frontier import Question, TooManyPlanesError, UnknownAxisError, answer

#: Parameters with one meaning for the whole question.
_ONCE = ("validity", "builds")
_PLANES = ("x", "y", "percentile", "as_of", "price_version", "group_by")


class FrontierItem(ManyViewSet):
    query_class = FrontierQuery

    @extend_schema(operation_id="read_frontier", parameters=[FrontierQuery], responses=FrontierRead)
    def retrieve(self, request: Request) -> Response:
        """Points of published curves in the plane of two metrics, and which of them no other one beats.

        Groups never share a frontier, nor do two models, two scenarios or two versions of one. Several of
        x, y, percentile, as_of, price_version or tier ask for all their combinations. A family such as
        `ttft` is read at `percentile`; a key such as `ttft_p90` says it all.
        """
        try:
            found = answer(_question(self.params))
        except (UnknownAxisError, TooManyPlanesError, NoPriceTableError) as error:
            raise _refused("x", "not_allowed", str(error.args[0])) from None
        return Response(FrontierRead(found).data)


def _question(params: Mapping[str, list[Any]]) -> Question:
    for name in _ONCE:
        if len(params.get(name, ())) > 1:
            raise _refused(name, "repeated", "given more than once")
    given = {name: tuple(dict.fromkeys(values)) for name, values in params.items() if values}
    asked: dict[str, Any] = {name: given[name] for name in _PLANES if name in given}
    if "tier" in given:
        asked["tier"] = tuple(map(Tier, given["tier"]))
    return Question(
        models=given.get("model", ()),
        scenarios=given.get("scenario", ()),
        chosen={name: given[name] for name in FIELDS if name in given},
        validity=given.get("validity", ("auto",))[0],
        every_build=given.get("builds", ("newest",))[0] == "all",
        **asked,
    )


def _refused(name: str, rule: str, message: str) -> BadQuery:
    return BadQuery([Problem(pointer=f"?{name}", rule=rule, message=message)])
