"""What an operator may change of the catalogue of upstream work.

A field that is absent stays; null gives it back to the shipped catalogue, whose next load fills it again.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from results.documents.base import Document
from results.documents.upstream import Layer, Line, StatusEntry, Url, Words

Kind = Literal["performance", "correctness", "day-zero", "portability"]
Short = Annotated[str, Field(max_length=64)]


class Texts(Document):
    """A paragraph in both languages; empty where nothing is to be said."""

    en: Annotated[str, Field(max_length=4000)]
    zh: Annotated[str, Field(max_length=4000)]


class Writeups(Document):
    """Markdown in both languages."""

    en: Annotated[str, Field(max_length=100_000)]
    zh: Annotated[str, Field(max_length=100_000)]


class ProjectEdit(Document):
    name: Line | None = None
    layer: Layer | None = None
    summary: Texts | None = None
    writeup: Writeups | None = None


class TopicEdit(Document):
    name: Words | None = None
    layer: Layer | None = None
    text: Texts | None = None


class PullEdit(Document):
    """``status`` comes with its day and its source and joins the history."""

    title: Words | None = None
    kind: Kind | None = None
    note: Texts | None = None
    status: StatusEntry | None = None


class ClaimEdit(Document):
    metric: Words | None = None
    before: Short | None = None
    after: Short | None = None
    change: Short | None = None
    unit: Short | None = None
    setup: Texts | None = None
    source: Url | None = None


Edit = ProjectEdit | TopicEdit | PullEdit | ClaimEdit


def columns(edit: Edit) -> dict[str, Any]:
    """New values by column; None gives a column back to the catalogue."""
    found: dict[str, Any] = {}
    for name in sorted(edit.model_fields_set):
        found |= dict(_columns(name, getattr(edit, name), _bilingual(edit, name)))
    return found


def _bilingual(edit: Edit, name: str) -> bool:
    """A field with a column per language; the name of a project is the same in both."""
    words = {Words, Texts, Writeups}
    return bool(words & set(get_args(type(edit).model_fields[name].annotation)))


def _columns(name: str, value: Any, bilingual: bool) -> Iterator[tuple[str, Any]]:
    if bilingual:
        yield f"{name}_en", None if value is None else value.en
        yield f"{name}_zh", None if value is None else value.zh
    elif name == "status":
        yield "status", None if value is None else value.is_
        yield "status_as_of", None if value is None else value.as_of
        yield "status_source", None if value is None else value.source
        yield "landed_on", None if value is None else value.landed_on or ""
    else:
        yield {"source": "source_url"}.get(name, name), value
