"""Syncing: facts come in beside the catalogue's, history grows, and nothing known goes away."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from results.github.client import GitHub
from results.models import PullRequest, PullRequestStatus, PullRequestSync
from results.services.load_projects import load_projects
from results.services.sync_pull_requests import SyncReport, due_pull_requests, sync_pull_requests
from tests.conftest import Clock
from tests.results.github.server import MERGED, PULL, Fake, Special, endless, pull_json, status, truncated

PAGE = "/pulls/who/toy/7/"


def sync(github: GitHub) -> SyncReport:
    return sync_pull_requests(pulls=list(PullRequest.objects.order_by("number")), github=github)


def facts(pull: PullRequest) -> dict[str, Any]:
    """Everything that is known, but not when it was read."""
    pull.refresh_from_db()
    return {name: value for name, value in vars(pull).items() if not name.startswith("_")}


def history(pull: PullRequest) -> list[tuple[str, str]]:
    return list(
        PullRequestStatus.objects.filter(pull_request=pull).order_by("id").values_list("status", "source")
    )


def test_a_merge_is_found_and_the_history_says_by_whom(
    pull: PullRequest, github: GitHub, fake: Fake, clock: Clock
) -> None:
    sync(github)
    fake.objects[PULL] = pull_json(**MERGED)
    clock.advance(86400)
    sync(github)
    pull.refresh_from_db()
    assert (pull.status, str(pull.merged_on), pull.github_merge_sha) == ("merged", "2026-10-02", "b" * 40)
    assert (pull.github_labels, pull.status_as_of) == (["performance"], clock.time.date())
    assert history(pull) == [("open", "thread"), ("open", "GitHub REST API"), ("merged", "GitHub REST API")]


def test_an_unchanged_answer_confirms_and_adds_no_history(
    pull: PullRequest, github: GitHub, clock: Clock
) -> None:
    sync(github)
    clock.advance(86400)
    assert sync(github).counts == {"unchanged": 1}
    pull.refresh_from_db()
    assert (pull.github_synced_at, len(history(pull))) == (clock.time, 2)


def test_a_merge_to_another_branch_is_no_merge_to_the_project(
    pull: PullRequest, github: GitHub, fake: Fake, client: Client
) -> None:
    fake.objects[PULL] = pull_json(**MERGED, ref="feat/m3")
    sync(github)
    pull.refresh_from_db()
    assert (pull.status, pull.landed_on) == ("merged-elsewhere", "feat/m3")
    page = client.get(PAGE).content.decode()
    assert "merged to feat/m3" in page
    assert "The catalogue says proposed as of 2026-09-01; GitHub says merged to a side branch" in page


def test_a_new_load_of_the_catalogue_keeps_what_the_sync_found(
    pull: PullRequest, github: GitHub, fake: Fake, tmp_path: Any
) -> None:
    fake.objects[PULL] = pull_json(**MERGED)
    sync(github)
    before = facts(pull)
    load_projects(folder=tmp_path)
    assert facts(pull) == before


@pytest.mark.parametrize(
    ("special", "error"),
    [
        (status(404), "not_found"),
        (status(401), "unauthorized"),
        (status(403), "forbidden"),
        (status(500), "server"),
        (status(429, Retry_After="60"), "rate_limited"),
        (status(301, Location="https://evil.example/"), "redirect"),
        (truncated, "bad_answer"),
        (endless, "bad_answer"),
        (lambda handler: handler.answer(200, {}), "bad_answer"),
        (lambda handler: handler.answer(200, pull_json(full_name="who/else")), "bad_answer"),
        (lambda handler: handler.answer(200, pull_json(**MERGED) | {"id": 9}), "bad_answer"),
        (lambda handler: handler.answer(200, pull_json(updated_at="2026-12-01T00:00:00Z")), "bad_answer"),
    ],
)
def test_no_failure_and_no_lie_changes_a_fact(
    pull: PullRequest, github: GitHub, fake: Fake, client: Client, special: Special, error: str
) -> None:
    fake.objects[PULL] = pull_json(**MERGED)
    sync(github)
    before, known = facts(pull), history(pull)
    fake.special[PULL] = special
    assert sync(github).counts == {"failed": 1}
    assert (facts(pull), history(pull)) == (before, known)
    assert PullRequestSync.objects.get().error == error
    page = client.get(PAGE)
    assert page.status_code == 200
    assert "Last attempt to synchronise" in page.content.decode()
    assert client.get("/api/v1/pull-requests/who/toy/7/").json()["github"]["error"] == error


def test_an_older_answer_that_comes_late_is_left_aside(pull: PullRequest, github: GitHub, fake: Fake) -> None:
    sync(github)
    before = facts(pull)
    fake.objects[PULL] = pull_json(title="An old cache", updated_at="2026-09-30T00:00:00Z")
    assert sync(github).counts == {"stale": 1}
    assert facts(pull) == before


def test_a_renamed_repository_is_asked_by_its_new_name_from_then_on(
    pull: PullRequest, github: GitHub, fake: Fake, client: Client
) -> None:
    fake.objects["/repos/who/new/pulls/7"] = pull_json(full_name="who/new")
    fake.special[PULL] = status(301, Location="/repos/who/new/pulls/7")
    sync(github)
    fake.special[PULL] = lambda handler: handler.answer(200, pull_json(id=666, title="Somebody else's"))
    sync(github)
    pull.refresh_from_db()
    moved_to = PullRequestSync.objects.get(pull_request=pull).moved_to
    assert (pull.repository, pull.github_title, moved_to) == ("who/toy", "Be quick", "who/new")
    assert "who/new" in client.get(PAGE).content.decode()


def more(pull: PullRequest, numbers: range) -> None:
    columns = {"kind": "performance", "status": "open", "status_as_of": pull.status_as_of, "grade": "weak"}
    for number in numbers:
        PullRequest.objects.create(
            repository="who/toy", number=number, optimization=pull.optimization, **columns
        )


def test_a_rate_limit_ends_the_round_and_lasts_for_the_next_process(
    pull: PullRequest, github: GitHub, fake: Fake, clock: Clock
) -> None:
    more(pull, range(8, 12))
    fake.special["/repos/who/toy/pulls/8"] = status(403, Retry_After="120")
    report = sync(github)
    assert (report.counts, report.left, report.stopped) == ({"applied": 1, "failed": 1}, 3, "rate_limited")
    assert report.until == clock.time + timedelta(seconds=120)
    asked = len(fake.asked)
    assert (sync(github).left, len(fake.asked)) == (5, asked)
    clock.advance(121)
    fake.special.clear()
    assert sync(github).left == 0


def test_the_last_request_of_an_allowance_is_the_last_one_sent(
    pull: PullRequest, github: GitHub, fake: Fake, clock: Clock
) -> None:
    more(pull, range(8, 10))
    reset = str(int(clock.time.timestamp()) + 600)
    fake.special[PULL] = lambda handler: handler.answer(
        200, pull_json(), X_RateLimit_Remaining="0", X_RateLimit_Reset=reset
    )
    report = sync(github)
    assert (report.counts, report.left, len(fake.asked)) == ({"applied": 1}, 2, 1)


@pytest.mark.parametrize(("code", "asked"), [(500, 3), (401, 1)])
def test_a_server_that_is_down_is_not_asked_about_everything(
    pull: PullRequest, github: GitHub, fake: Fake, code: int, asked: int
) -> None:
    more(pull, range(8, 20))
    for number in range(7, 20):
        fake.special[f"/repos/who/toy/pulls/{number}"] = status(code)
    sync(github)
    assert len(fake.asked) == asked


def test_a_round_goes_on_where_it_stopped(pull: PullRequest, github: GitHub, clock: Clock) -> None:
    sync(github)
    more(pull, range(8, 9))
    assert [one.number for one in due_pull_requests(clock.time)] == [8]
    assert [one.number for one in due_pull_requests(clock.advance(12 * 3600))] == [8, 7]


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("sync_github", *arguments, stdout=out)
    return out.getvalue().strip()


def test_the_command_says_what_it_did(pull: PullRequest, github: GitHub, fake: Fake) -> None:
    assert command() == "1 applied, 0 unchanged, 0 stale, 0 failed, 0 left"
    assert command() == "0 applied, 0 unchanged, 0 stale, 0 failed, 0 left"
    assert command("--repository", "Who/Toy", "--number", "7").startswith("0 applied, 1 unchanged")
    fake.special[PULL] = status(429, Retry_After="60")
    with pytest.raises(CommandError, match="no requests until 2026-11-01T12:01:00Z") as caught:
        command("--repository", "who/toy")
    assert caught.value.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--number", "7"], "--number: needs --repository"),
        (["--repository", "who/else"], "no pull request who/else"),
        (["--repository", "who/toy", "--number", "8"], "no pull request who/toy#8"),
    ],
)
def test_the_command_refuses_in_one_line(pull: PullRequest, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words) as caught:
        command(*arguments)
    assert caught.value.returncode == 2


def test_what_github_sends_shows_as_text(
    pull: PullRequest, github: GitHub, fake: Fake, client: Client
) -> None:
    fake.objects[PULL] = pull_json(title="<img src=x onerror=alert(1)>", labels=[{"name": "<b>"}], ref="<i>")
    sync(github)
    page = client.get(PAGE).content.decode()
    assert "&lt;img src=x" in page
    assert not any(bad in page for bad in ("<img src=x", "<b>", "<i>"))
