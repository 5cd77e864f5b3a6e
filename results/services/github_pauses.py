"""Rate limits of GitHub outlive the process that met them."""

from datetime import datetime

from results.github.server import Server
from results.models import GitHubPause


def paused_until(server: Server, now: datetime) -> datetime | None:
    """The end of a pause that still lasts, or None."""
    found = GitHubPause.objects.filter(server=server.key, until__gt=now).first()
    return None if found is None else found.until


def pause(server: Server, until: datetime) -> None:
    GitHubPause.objects.update_or_create(server=server.key, defaults={"until": until})
