"""What was changed upstream between two moments: perf-changelog entries and merged pull requests."""

from dataclasses import dataclass
from datetime import UTC, datetime, time

from django.db.models import F

from results.models import ChangelogEntry, PullRequest
from results.queries.lean_points import RecipeRow

#: Entries of each kind that are looked at.
LIMIT = 500


@dataclass(frozen=True, slots=True)
class UpstreamChange:
    """``kind`` is changelog or pull_request; ``url`` is empty where the source names none."""

    kind: str
    at: datetime
    title: str
    url: str


def upstream_changes(
    recipe: RecipeRow, first: datetime, last: datetime
) -> tuple[tuple[UpstreamChange, ...], int]:
    """In order of time, and how many fitting changelog entries carry no date. Two queries.

    An entry fits when one of its configuration keys names both hardware and engine; a pull request when it
    was merged to the repository of the engine.
    """
    entries = [entry for entry in _entries(first, last) if _fits(entry, recipe)]
    dated = [_entry(entry) for entry in entries if entry.changed_at is not None]
    pulls = PullRequest.objects.filter(
        repository=recipe.repository, merged_on__gte=first.date(), merged_on__lte=last.date()
    ).order_by("merged_on", "number")[:LIMIT]
    found = [*dated, *(_pull(pull) for pull in pulls)]
    return tuple(sorted(found, key=lambda one: (one.at, one.title))), len(entries) - len(dated)


def _entries(first: datetime, last: datetime) -> list[ChangelogEntry]:
    inside = ChangelogEntry.objects.filter(changed_at__gt=first, changed_at__lte=last)
    undated = ChangelogEntry.objects.filter(changed_at=None)
    return list((inside | undated).order_by(F("changed_at").desc(nulls_last=True), "id")[:LIMIT])


def _fits(entry: ChangelogEntry, recipe: RecipeRow) -> bool:
    return any(recipe.hardware in key and recipe.engine in key for key in entry.config_keys)


def _entry(entry: ChangelogEntry) -> UpstreamChange:
    assert entry.changed_at is not None  # noqa: S101
    title = entry.description.strip().partition("\n")[0] or ", ".join(entry.config_keys)
    return UpstreamChange("changelog", entry.changed_at, title[:200], entry.pull_request)


def _pull(pull: PullRequest) -> UpstreamChange:
    assert pull.merged_on is not None  # noqa: S101
    at = datetime.combine(pull.merged_on, time(), UTC)
    title = f"#{pull.number} {pull.title_en}"
    return UpstreamChange("pull_request", at, title, f"/pulls/{pull.repository}/{pull.number}/")
