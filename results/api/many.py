"""Queries whose keys may be repeated: several values of one key are alternatives or sides.

Unlike elsewhere an unknown key and a value of another type are answered with 400 and what is allowed: these
addresses are typed by hand and shared as links.
"""

from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from results.api.errors import BadQuery
from results.api.query import Query
from results.documents.refusal import Problem


class ManyViewSet(ViewSet):
    """Reads ``query_class`` into ``self.params`` before the view runs; lists where the field is one."""

    query_class: type[Query] = Query
    http_method_names = ["get", "head"]
    params: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.params = read_many(self.query_class, request.query_params)


def read_many(query_class: type[Query], values: QueryDict) -> dict[str, Any]:
    """Validated parameters; BadQuery names each one that is unknown, repeated or ill-typed, and the rule."""
    fields = query_class().fields
    lists = {name for name, field in fields.items() if isinstance(field, serializers.ListField)}
    given = {name: values.getlist(name) if name in lists else values[name] for name in values}
    allowed = ", ".join(sorted(fields))
    found = [
        _problem(name, "unknown_parameter", f"allowed: {allowed}") for name in values if name not in fields
    ]
    found += [
        _problem(name, "repeated", "given more than once")
        for name in values
        if name in fields and name not in lists and len(values.getlist(name)) > 1
    ]
    query = query_class(data=given)
    if not query.is_valid():
        found += [_problem(name, *_first(details)) for name, details in query.errors.items()]
    if found:
        raise BadQuery(found)
    return dict(query.validated_data)


def _first(details: Any) -> tuple[str, str]:
    """Code and text of the first complaint; those of a list are by place."""
    while isinstance(details, dict):
        details = next(iter(details.values()))
    return details[0].code, str(details[0])


def _problem(name: str, rule: str, message: str) -> Problem:
    return Problem(pointer=f"?{name}", rule=rule, message=message)
