"""Reading one pull request from GitHub."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from results.github.client import GitHub
from results.github.facts import PullFacts, read_facts
from results.github.trouble import GitHubError, Trouble

_SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,100}")


@dataclass(frozen=True, slots=True)
class Fetched:
    """``facts`` is None when nothing changed. ``moved_to``: the repository's name after a rename."""

    facts: PullFacts | None
    etag: str
    moved_to: str
    spent_until: datetime | None


def fetch_pull(github: GitHub, repository: str, number: int, etag: str = "") -> Fetched:
    """GitHubError also when the answer is about another pull request than the one asked for."""
    reply = github.get(f"{repository_path(repository)}/pulls/{number}", etag)
    if reply.unchanged:
        return Fetched(None, etag, "", reply.spent_until)
    facts = read_facts(reply.value)
    name = facts.base.repo.full_name
    same = name.lower() == repository.lower()
    if facts.number != number or not (same or reply.moved):
        raise GitHubError(Trouble.BAD_ANSWER, "the answer is about another pull request")
    return Fetched(facts, reply.etag, "" if same else name, reply.spent_until)


def repository_path(repository: str) -> str:
    """``/repos/owner/name``; GitHubError for names that would mean something else in a path."""
    parts = repository.split("/")
    if len(parts) != 2 or not all(_SEGMENT.fullmatch(part) and part.strip(".") for part in parts):
        raise GitHubError(Trouble.NOT_FOUND, "not the name of a repository")
    return f"/repos/{repository}"


def identifier(value: Any) -> int:
    """The ``id`` of what was created; GitHubError (bad_answer) without one."""
    found = value.get("id") if isinstance(value, dict) else None
    if type(found) is not int or found < 1:
        raise GitHubError(Trouble.BAD_ANSWER, "the answer names no identifier")
    return found
