"""Keyset pages: stable while rows are added, equally fast at any depth."""

from typing import Protocol, Self, TypeVar

from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from results.documents.refusal import DocumentError, Problem


class Decodable(Protocol):
    @classmethod
    def decode(cls, text: str) -> Self: ...


Cursor = TypeVar("Cursor", bound=Decodable)


def read_cursor(kind: type[Cursor], text: str | None) -> Cursor | None:
    """The cursor of an earlier answer; DocumentError for anything else."""
    if text is None:
        return None
    try:
        return kind.decode(text)
    except ValueError:
        problem = Problem(pointer="?cursor", rule="cursor", message="not a cursor from an earlier answer")
        raise DocumentError([problem]) from None


def next_address(request: Request, cursor: str | None) -> str | None:
    """This address with the next cursor; None on the last page."""
    if cursor is None:
        return None
    return str(replace_query_param(request.build_absolute_uri(), "cursor", cursor))
