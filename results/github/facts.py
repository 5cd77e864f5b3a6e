"""A pull request as GitHub describes it, in an answer or in a webhook; what does not add up is refused."""

from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from results.documents.base import one_line
from results.github.trouble import GitHubError, Trouble

Sha = Annotated[str, Field(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
Ref = Annotated[str, Field(min_length=1, max_length=256)]
FullName = Annotated[str, Field(max_length=140, pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")]
Number = Annotated[int, Field(ge=1)]
Moment = Annotated[AwareDatetime, Field(strict=False)]
#: Sources of a status history that are not the catalogue.
API, WEBHOOK = "GitHub REST API", "GitHub webhook"
SOURCES = (API, WEBHOOK)
_MERGED, _ELSEWHERE = "merged", "merged-elsewhere"


class _Part(BaseModel):
    """Strict about what we read, silent about the many fields that we do not."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Repository(_Part):
    full_name: FullName
    default_branch: Ref


class Base(_Part):
    ref: Ref
    sha: Sha
    repo: Repository


class Head(_Part):
    sha: Sha


class Label(_Part):
    name: Annotated[str, Field(min_length=1, max_length=128)]


class PullFacts(_Part):
    """``merge_commit_sha`` of an open pull request is a trial merge and means nothing."""

    id: Number
    number: Number
    title: Annotated[str, Field(min_length=1, max_length=1024)]
    state: Literal["open", "closed"]
    merged: bool
    merged_at: Moment | None
    merge_commit_sha: Sha | None
    updated_at: Moment
    base: Base
    head: Head
    labels: Annotated[list[Label], Field(max_length=200)]

    @model_validator(mode="after")
    def _merge_is_whole(self) -> Self:
        if self.merged != (self.merged_at is not None):
            raise ValueError("merged and merged_at contradict each other")
        if self.merged and (self.state == "open" or self.merge_commit_sha is None):
            raise ValueError("a merged pull request is closed and has a merge commit")
        return self

    @property
    def status(self) -> str:
        """In the catalogue's words: a merge to any branch but the default one is a merge elsewhere."""
        if self.merged:
            return _MERGED if self.base.ref == self.base.repo.default_branch else _ELSEWHERE
        return self.state

    @property
    def landed_on(self) -> str:
        return self.base.ref if self.status == _ELSEWHERE else ""

    @property
    def merge_sha(self) -> str:
        return self.merge_commit_sha or "" if self.merged else ""


def read_facts(value: object) -> PullFacts:
    """GitHubError (bad_answer) names the first field that is missing or contradicts another."""
    try:
        return PullFacts.model_validate(value)
    except ValidationError as error:
        text = f"not a pull request: {one_line(error)}"
        raise GitHubError(Trouble.BAD_ANSWER, text[:256]) from None
