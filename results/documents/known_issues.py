"""What is known to be odd about numbers that others published: stated once, shown where it concerns one."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from results.documents.base import Document
from results.documents.prices import Slug

Text = Annotated[str, Field(min_length=1, max_length=600)]


class Concerns(Document):
    """All of what is given must fit; nothing given fits everything.

    ``scenarios`` are names (``1024/8192``) or kinds (agentic, fixed), ``metrics`` beginnings of keys on an
    axis, ``prices`` versions of the price table that has a part in the numbers. ``imported`` points name the
    run of somebody else that measured them.
    """

    imported: bool | None = None
    scenarios: tuple[str, ...] = Field((), strict=False)
    hardware: tuple[Slug, ...] = Field((), strict=False)
    deployment: tuple[Literal["single", "multi", "disaggregated"], ...] = Field((), strict=False)
    gpus: tuple[int, ...] = Field((), strict=False)
    speculative: bool | None = None
    metrics: tuple[str, ...] = Field((), strict=False)
    prices: tuple[str, ...] = Field((), strict=False)


class KnownIssue(Document):
    """``day`` is when the source said it, or when it was read where it states no day."""

    key: Slug
    en: Text
    zh: Text
    source: Annotated[str, Field(pattern=r"^https://")]
    day: date
    concerns: Concerns


class KnownIssues(Document):
    issues: tuple[KnownIssue, ...] = Field(strict=False)
