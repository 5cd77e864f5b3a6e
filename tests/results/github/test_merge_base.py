"""The sweeper asks GitHub for merge bases and syncs what is due; nothing of it can hurt a run."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from results.github.client import GitHub
from results.models import Duty, PullRequest, PullRequestRun, Run, State
from results.services.github_rounds import github_round
from results.services.settle_pull_runs import PATIENCE, settle_pull_runs
from tests.conftest import Clock
from tests.factories import make_run
from tests.results.github.server import MERGED, PULL, SHA, Fake, pull_json, status

COMPARE = "/repos/who/toy/compare/main..." + SHA


@pytest.fixture
def waiting(pull: PullRequest, github: GitHub, settings: Settings) -> PullRequestRun:
    """A run of the pull request's head that is over; nobody said its merge base."""
    settings.GITHUB_SYNC = True
    run = make_run(state=State.SUCCEEDED)
    recipe = run.recipe
    recipe.document["engine"]["commit"] = SHA
    recipe.save()
    return PullRequestRun.objects.create(run=run, pull_request=pull, commit=SHA)


def found(row: PullRequestRun) -> tuple[str, str, str, str]:
    row.refresh_from_db()
    return (row.merge_base, row.merge_base_source, row.trouble, row.outcome)


def compared(fake: Fake, path: str = COMPARE, sha: str = "c" * 40) -> None:
    fake.objects[path] = {"merge_base_commit": {"sha": sha}, "files": []}


def test_the_merge_base_is_asked_for_and_decides(waiting: PullRequestRun, fake: Fake, clock: Clock) -> None:
    compared(fake)
    assert settle_pull_runs(now=clock.now()) == []
    # The pull request itself was read on the way, so nothing is left for the hourly round.
    assert github_round() == "1 merge bases, 0 applied, 0 unchanged, 0 stale, 0 failed, 0 left"
    assert found(waiting) == ("c" * 40, "github", "", "waiting")
    assert settle_pull_runs(now=clock.now()) == [str(waiting.run_id)]
    waiting.refresh_from_db()
    assert (waiting.outcome, waiting.reason) == ("alone", "merge_base_never_measured")
    asked = len(fake.asked)
    assert (github_round(), len(fake.asked)) == ("0 merge bases", asked)


def test_after_the_merge_the_base_is_where_the_branch_stood(waiting: PullRequestRun, fake: Fake) -> None:
    fake.objects[PULL] = pull_json(**MERGED)
    compared(fake, f"/repos/who/toy/compare/{'a' * 40}...{SHA}")
    github_round()
    assert found(waiting)[:2] == ("c" * 40, "github")


@pytest.mark.parametrize(("code", "trouble", "waits"), [(404, "not_found", False), (502, "server", True)])
def test_a_refusal_ends_the_wait_and_an_outage_does_so_after_a_day(
    waiting: PullRequestRun, fake: Fake, clock: Clock, code: int, trouble: str, waits: bool
) -> None:
    fake.special[COMPARE] = status(code)
    github_round()
    assert found(waiting) == ("", "", trouble, "waiting")
    assert bool(settle_pull_runs(now=clock.now())) is not waits
    clock.advance(PATIENCE.total_seconds() + 1)
    settle_pull_runs(now=clock.now())
    waiting.refresh_from_db()
    assert waiting.reason == "merge_base_unknown"


def test_a_commit_of_the_base_branch_has_no_merge_base(
    waiting: PullRequestRun, fake: Fake, clock: Clock
) -> None:
    compared(fake, sha=SHA)
    github_round()
    settle_pull_runs(now=clock.now())
    waiting.refresh_from_db()
    assert waiting.reason == "commit_in_base"


def test_the_hourly_round_is_taken_once_and_says_how_it_went(
    pull: PullRequest, github: GitHub, fake: Fake, settings: Settings, clock: Clock
) -> None:
    assert (github_round(), Duty.objects.count()) == ("", 0)
    settings.GITHUB_SYNC = True
    fake.special[PULL] = status(401)
    assert github_round().endswith("1 failed, 0 left")
    duty = Duty.objects.get()
    assert (duty.outcome, duty.trouble, duty.ended_at) == (
        "0 applied, 0 unchanged, 0 stale, 1 failed, 0 left", "stopped early: unauthorized", clock.time,
    )  # fmt: skip
    assert github_round() == "0 merge bases"
    clock.advance(timedelta(hours=13).total_seconds())
    fake.special.clear()
    assert github_round().startswith("0 merge bases, 1 applied")
    settings.GITHUB_API_URL = "ftp://nowhere"
    clock.advance(3600)
    assert "GITHUB_API_URL" in github_round()
    assert not Run.objects.exists()
