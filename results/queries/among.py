"""Hundreds of identifiers as one parameter of a statement."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func
from django.db.models.sql.compiler import SQLCompiler


class Among(Func):
    """``column = ANY (array)``, the condition that ``column__in=values`` is to PostgreSQL.

    With ``in`` Django, the driver and the parser of statements look at each value as a parameter of its own:
    six hundred of them cost more than the rows that they find. ``values`` have texts that need no quotes,
    such as numbers, UUIDs and fingerprints. Like ``in``, nothing is asked where there are none.
    """

    def __init__(self, column: str, values: Iterable[object]) -> None:
        super().__init__(F(column), output_field=BooleanField())
        self.array = ",".join(map(str, values))

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, *_more: Any, **_context: Any
    ) -> tuple[str, tuple[str | int, ...]]:
        if not self.array:
            raise EmptyResultSet
        (column,) = self.source_expressions
        sql, params = compiler.compile(column)
        kind = column.output_field.db_type(connection)
        return f"{sql} = ANY (%s::{kind}[])", (*params, f"{{{self.array}}}")
