"""Keeping a figure: the same figure of the same question is kept once."""

from typing import Any

from results import clock
from results.documents.canonical import fingerprint
from results.models import Permalink

#: Version of the frozen document's shape.
SCHEMA = "northstar.permalink/1"
_ID = 16


def freeze(*, query: str, document: dict[str, Any]) -> Permalink:
    """``document`` is plain JSON; ValueError for NaN and infinities."""
    identifier = fingerprint({"schema": SCHEMA, "query": query, "document": document})[:_ID]
    content = {"query": query, "document": {"schema": SCHEMA, **document}, "created_at": clock.now()}
    return Permalink.objects.get_or_create(id=identifier, defaults=content)[0]
