"""``manage.py sync_github``: what GitHub says about the pull requests of the catalogue."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results import clock
from results.github.client import GitHub
from results.github.server import configured_server
from results.github.trouble import ConfigurationError
from results.models import PullRequest
from results.services.github_rounds import line, reason, sync_and_note
from results.services.sync_pull_requests import due_pull_requests


class Command(BaseCommand):
    help = "Read title, state, merge, commits and labels of pull requests from GitHub."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repository", metavar="OWNER/NAME", help="only this one, however fresh")
        parser.add_argument("--number", type=int, metavar="N", help="only this pull request of --repository")

    def handle(self, *args: Any, **options: Any) -> None:
        pulls = wanted(options["repository"], options["number"])
        try:
            report = sync_and_note(pulls=pulls, github=GitHub(configured_server()))
        except ConfigurationError as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(line(report))
        if report.stopped:
            raise CommandError(reason(report), returncode=1)


def wanted(repository: str | None, number: int | None) -> list[PullRequest]:
    """What the options name, or else all that is due; CommandError when they name nothing."""
    if repository is None:
        if number is not None:
            raise CommandError("--number: needs --repository", returncode=2)
        return list(due_pull_requests(clock.now()))
    named = PullRequest.objects.filter(repository__iexact=repository).order_by("id")
    if number is not None:
        named = named.filter(number=number)
    if not named:
        what = f"{repository}#{number}" if number is not None else repository
        raise CommandError(f"--repository: the catalogue has no pull request {what}", returncode=2)
    return list(named)
