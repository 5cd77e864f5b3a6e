"""Where a commit left the branch that it is to be merged to."""

from pydantic import BaseModel, ConfigDict, ValidationError

from results.github.client import GitHub
from results.github.facts import Sha
from results.github.pull_requests import repository_path
from results.github.trouble import GitHubError, Trouble


class _MergeBase(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)
    sha: Sha


class _Compared(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)
    merge_base_commit: _MergeBase


def fetch_merge_base(github: GitHub, repository: str, base: str, commit: str) -> str:
    """Hash of the merge base of ``base``, a branch or a commit, and ``commit``; GitHubError without one."""
    reply = github.get(f"{repository_path(repository)}/compare/{base}...{commit}?per_page=1")
    try:
        return _Compared.model_validate(reply.value).merge_base_commit.sha
    except ValidationError:
        raise GitHubError(Trouble.BAD_ANSWER, "the answer names no merge base") from None
