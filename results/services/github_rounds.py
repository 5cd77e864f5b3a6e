"""What the sweeper asks GitHub by itself: merge bases at once, all pull requests twice a day."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings

from results import clock
from results.github.client import GitHub
from results.github.server import configured_server
from results.github.trouble import ConfigurationError
from results.models import Duty, PullRequest
from results.services.ask_merge_bases import ask_merge_bases
from results.services.duties import end_duty, take_duty
from results.services.receive_webhook import forget_old_deliveries
from results.services.sync_pull_requests import SyncReport, due_pull_requests, sync_pull_requests

#: A limit that cut a round short is over by the next one; nothing is asked for twice within twelve hours.
EVERY = timedelta(hours=1)


def github_round() -> str:
    """One line that says what was done; empty where GitHub is not to be asked."""
    if not settings.GITHUB_SYNC:
        return ""
    due = take_duty(name=Duty.Name.GITHUB, every=EVERY)
    began = clock.now()
    try:
        github = GitHub(configured_server())
    except ConfigurationError as error:
        end_duty(name=Duty.Name.GITHUB, began_at=began, outcome="", trouble=str(error))
        return str(error)
    answered = ask_merge_bases(github=github)
    said = f"{answered} merge bases"
    if not due:
        return said
    return f"{said}, {line(sync_and_note(pulls=list(due_pull_requests(began)), github=github))}"


def sync_and_note(*, pulls: Sequence[PullRequest], github: GitHub) -> SyncReport:
    """Sync these, and keep for the status page how it went."""
    began = clock.now()
    report = sync_pull_requests(pulls=pulls, github=github)
    forget_old_deliveries(now=clock.now())
    end_duty(name=Duty.Name.GITHUB, began_at=began, outcome=line(report), trouble=reason(report))
    return report


def line(report: SyncReport) -> str:
    words = ("applied", "unchanged", "stale", "failed")
    return ", ".join(f"{report.counts[word]} {word}" for word in words) + f", {report.left} left"


def reason(report: SyncReport) -> str:
    """Why a round ended early; empty if it did not."""
    if not report.stopped:
        return ""
    if report.until is not None:
        return f"GitHub wants no requests until {report.until:%Y-%m-%dT%H:%M:%SZ}; call again after that"
    return f"stopped early: {report.stopped.replace('_', ' ')}"
