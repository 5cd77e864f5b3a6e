"""``manage.py comment_pulls``: write verdicts to pull requests on GitHub, where the settings allow it."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.github.client import GitHub
from results.github.server import configured_server
from results.github.trouble import OUTAGE, ConfigurationError, GitHubError, Trouble
from results.models import PullRequest
from results.services.comment_pulls import Wanted, comment_pull, commented_pulls

_HOPELESS = OUTAGE | {Trouble.RATE_LIMITED, Trouble.UNAUTHORIZED}


class Command(BaseCommand):
    help = "Write verdicts to pull requests on GitHub; off unless GITHUB_COMMENTS or GITHUB_CHECKS is set."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repository", metavar="OWNER/NAME", help="only pull requests of this one")
        parser.add_argument("--number", type=int, metavar="N", help="only this pull request of --repository")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            github, wanted = GitHub(configured_server()), allowed()
        except ConfigurationError as error:
            raise CommandError(str(error), returncode=2) from None
        failed = 0
        for pull in chosen(options["repository"], options["number"]):
            try:
                written = comment_pull(pull=pull, github=github, wanted=wanted)
                self.stdout.write(f"{pull}: {' and '.join(written) or 'nothing new'}")
            except GitHubError as error:
                failed += 1
                self.stdout.write(f"{pull}: {error.text}")
                if error.trouble in _HOPELESS:
                    break
        if failed:
            raise CommandError(f"{failed} pull requests could not be written to", returncode=1)


def allowed() -> Wanted:
    """What the settings allow; ConfigurationError when that is nothing or lacks what it needs."""
    if not (settings.GITHUB_COMMENTS or settings.GITHUB_CHECKS):
        raise ConfigurationError("GITHUB_COMMENTS, GITHUB_CHECKS: both are off, nothing may be written")
    if not settings.GITHUB_TOKEN:
        raise ConfigurationError("GITHUB_TOKEN: needed to write")
    if not settings.PUBLIC_URL.startswith(("https://", "http://")):
        raise ConfigurationError("PUBLIC_URL: the address of this site, for the links in a comment")
    return Wanted(settings.GITHUB_COMMENTS, settings.GITHUB_CHECKS, settings.PUBLIC_URL)


def chosen(repository: str | None, number: int | None) -> list[PullRequest]:
    if number is not None and repository is None:
        raise CommandError("--number: needs --repository", returncode=2)
    return [
        pull
        for pull in commented_pulls()
        if (repository is None or pull.repository.lower() == repository.lower())
        and number in (None, pull.number)
    ]
