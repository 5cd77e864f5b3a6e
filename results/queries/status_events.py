"""What became of pull requests, as a feed tells it."""

from dataclasses import dataclass
from datetime import datetime

from results.models import PullRequestStatus
from results.queries.projects import text_in


@dataclass(frozen=True, slots=True)
class StatusEvent:
    """What the status of a pull request was found to be."""

    repository: str
    number: int
    title: str
    status: str
    as_of: datetime


def status_events(slug: str, language: str, count: int) -> tuple[StatusEvent, ...]:
    """The newest ``count`` findings about the pull requests of a project; one query."""
    found = PullRequestStatus.objects.filter(pull_request__optimization__project__slug=slug)
    rows = found.select_related("pull_request").order_by("-as_of", "-id")[:count]
    return tuple(
        StatusEvent(
            repository=row.pull_request.repository,
            number=row.pull_request.number,
            title=text_in(row.pull_request, "title", language),
            status=row.status,
            as_of=row.as_of,
        )
        for row in rows
    )
