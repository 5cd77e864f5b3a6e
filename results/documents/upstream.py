"""Catalogue file of one upstream project: optimizations, pull requests, claims, statuses with sources."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from results.documents.base import Document
from results.documents.catalogue import Slug

Layer = Literal["router-orchestration", "inference-engine", "kernels", "kv-cache", "transfer-engine"]
Repository = Annotated[str, Field(max_length=140, pattern=r"^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$")]
Line = Annotated[str, Field(min_length=1, max_length=256)]
Text = Annotated[str, Field(min_length=1, max_length=4000)]
Value = Annotated[str, Field(min_length=1, max_length=64)]
Url = Annotated[str, Field(max_length=512, pattern=r"^https://\S+$")]
Day = Annotated[date, Field(strict=False)]


class Words(Document):
    """The same line in both languages of the interface."""

    en: Line
    zh: Line


class Prose(Document):
    """The same paragraph in both languages of the interface."""

    en: Text
    zh: Text


class StatusEntry(Document):
    """``landed_on`` names the branch of a merge that is not the default branch."""

    is_: Literal["merged", "merged-elsewhere", "open", "closed", "unknown"] = Field(alias="is")
    as_of: Day
    source: Line
    landed_on: Line | None = None

    @model_validator(mode="after")
    def _branch_iff_elsewhere(self) -> Self:
        if (self.is_ == "merged-elsewhere") != (self.landed_on is not None):
            raise ValueError("landed_on is stated if and only if the status is merged-elsewhere")
        return self


class RelevanceEntry(Document):
    """How the work relates to agent traffic, and who says so."""

    grade: Literal["names AgentX", "matches seed topic", "weak", "none"]
    basis: Value
    listed_by: Value


class ClaimEntry(Document):
    """A number that the author states, in his words; nothing of it was measured by us."""

    metric: Words
    before: Value | None = None
    after: Value | None = None
    change: Value | None = None
    unit: Value | None = None
    setup: Prose | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.before is None and self.after is None and self.change is None and self.setup is None:
            raise ValueError("a claim states a value before, a value after, a change or a setup")
        return self


class PullRequestEntry(Document):
    """``repository`` where it is not the project's own."""

    number: Annotated[int, Field(ge=1)]
    repository: Repository | None = None
    kind: Literal["performance", "correctness", "day-zero", "portability"]
    title: Words
    status: StatusEntry
    opened_on: Day | None = None
    merged_on: Day | None = None
    agentx: RelevanceEntry
    source: Url
    added_later: bool = False
    note: Prose | None = None
    claims: list[ClaimEntry] = []


class OptimizationEntry(Document):
    slug: Slug
    layer: Layer
    name: Words
    text: Prose | None = None
    pull_requests: Annotated[list[PullRequestEntry], Field(min_length=1)]


class ProjectEntry(Document):
    """``added_later`` marks a project that the source documents did not name yet."""

    slug: Slug
    name: Line
    layer: Layer
    repository: Repository
    position: Annotated[int, Field(ge=1)]
    added_later: bool = False
    summary: Prose | None = None


class ProjectFile(Document):
    project: ProjectEntry
    optimizations: Annotated[list[OptimizationEntry], Field(min_length=1)]
