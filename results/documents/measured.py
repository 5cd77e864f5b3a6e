"""A folder of shipped measurements: which of its runs are compared."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from results.documents.base import Document
from results.documents.catalogue import ModelSlug, Slug
from results.documents.run import Name
from results.documents.upstream import Prose, Words

PullName = Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+#[1-9][0-9]{0,8}$")]


class MeasuredComparison(Document):
    """Arms by the label of their runs; evidence for ``optimization`` of ``project``, or for ``pull_request``.

    The English title and note are stored, and pages look up the Chinese ones here.
    """

    title: Words
    baseline: Name
    candidate: Name
    loads: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    metrics: Annotated[list[str], Field(min_length=1, max_length=3)]
    project: Slug | None = None
    optimization: Slug | None = None
    pull_request: PullName | None = None
    note: Prose | None = None

    @model_validator(mode="after")
    def _one_subject(self) -> Self:
        if self.optimization is not None and self.pull_request is not None:
            raise ValueError("evidence is for an optimization or for a pull request")
        return self


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
