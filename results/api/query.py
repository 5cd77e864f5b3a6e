"""Query parameters: each view declares what it knows, and the rest is refused by name."""

from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from results.documents.refusal import DocumentError, Problem

#: Path parameter: 64 lower-case hexadecimal digits.
SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


class Query(serializers.Serializer[Any]):
    """No parameters; views with some subclass it."""


class PageQuery(Query):
    """``cursor`` comes from the previous answer's ``next``."""

    limit = serializers.IntegerField(min_value=1, max_value=200, default=50, help_text="rows per page")
    cursor = serializers.CharField(max_length=200, required=False, help_text="from `next`; opaque")


class StrictViewSet(ViewSet):
    """Reads ``query_class``, or ``write_query_class``, into ``self.params`` before the view runs."""

    query_class: type[Query] = Query
    write_query_class: type[Query] = Query
    http_method_names = ["get", "head", "post"]
    params: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        reads = request.method in ("GET", "HEAD")
        known = self.query_class if reads else self.write_query_class
        self.params = read_query(known, request.query_params)


def read_query(query_class: type[Query], values: QueryDict) -> dict[str, Any]:
    """Validated parameters; DocumentError with pointer ``?name`` for unknown, repeated and bad ones."""
    query = query_class(data=values.dict())
    found = [
        _problem(name, "unknown_parameter", "no such parameter")
        for name in values
        if name not in query.fields
    ]
    found += [
        _problem(name, "repeated", "given more than once") for name in values if len(values.getlist(name)) > 1
    ]
    if not query.is_valid():
        found += [_problem(name, details[0].code, str(details[0])) for name, details in query.errors.items()]
    if found:
        raise DocumentError(found)
    return dict(query.validated_data)


def _problem(name: str, rule: str, message: str) -> Problem:
    return Problem(pointer=f"?{name}", rule=rule, message=message)
