"""A folder of shipped measurements: which of its runs are compared."""

from typing import Annotated

from pydantic import Field

from results.documents.base import Document
from results.documents.catalogue import ModelSlug, Slug
from results.documents.run import Name
from results.documents.upstream import Prose, Words


class MeasuredComparison(Document):
    """Arms by the label of their runs; ``project`` and ``optimization`` where it is evidence for a topic.

    The English title and note are stored, and pages look up the Chinese ones here.
    """

    title: Words
    baseline: Name
    candidate: Name
    loads: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    metrics: Annotated[list[str], Field(min_length=1, max_length=3)]
    project: Slug | None = None
    optimization: Slug | None = None
    note: Prose | None = None


class NotRun(Document):
    """What was planned or would be asked for, and is missing: said where runs of these labels are shown."""

    model: ModelSlug
    scenario: Name
    labels: Annotated[list[Name], Field(min_length=1)]
    text: Prose


class MeasuredSet(Document):
    host: Name
    comparisons: list[MeasuredComparison]
    not_run: list[NotRun] = []
