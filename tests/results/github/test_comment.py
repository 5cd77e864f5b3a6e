"""The comment: what it says, that it is written once and kept up to date, and that nobody can misuse it."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from results.github.client import GitHub
from results.github.comment import code, comment
from results.models import Evidence, PullRequest, PullRequestComment
from results.queries.comparisons import evidence_of
from results.services.comment_pulls import Wanted, comment_pull
from results.services.conclude_comparison import conclude_ready
from results.services.link_evidence import link_evidence, read_evidence_request, withdraw_evidence
from results.services.sync_pull_requests import sync_pull_requests
from tests.conftest import Clock
from tests.factories import catalogue, run_json
from tests.results.github.server import ISSUE, PULL, SHA, Fake, status
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_start_comparison import host, plan_json

SITE = "https://northstar.example"
BOTH = Wanted(comments=True, checks=True, site=SITE)
HOSTILE = "`x` | @everyone <!-- northstar --> #1\n## [a](http://b) <img src=x>"


def measure(pull: PullRequest, factor: float | None, **plan: Any) -> Evidence:
    """Evidence whose candidate is ``factor`` times as fast; still running without one."""
    catalogue()
    if not Evidence.objects.exists():
        host()
    request = read_evidence_request({"plan": plan_json(blocks=5, **plan)})
    evidence = link_evidence(pull_request=pull, request=request, token=None)
    if factor is not None:
        finish(evidence.comparison, factor)
        conclude_ready()
    return evidence


def commits() -> dict[str, Any]:
    """A plan that compares two commits of the engine; the candidate is the head of the pull request."""
    recipe = run_json()["recipe"]
    built = {name: {**recipe["engine"], "commit": sha} for name, sha in (("a", "e" * 40), ("b", SHA))}
    return {"baseline": recipe | {"engine": built["a"]}, "candidate": recipe | {"engine": built["b"]}}


def write(pull: PullRequest, github: GitHub, wanted: Wanted = BOTH) -> list[str]:
    return comment_pull(pull=PullRequest.objects.get(id=pull.id), github=github, wanted=wanted)


def text(pull: PullRequest) -> str:
    return comment("who/toy", 7, evidence_of(pull_request__id=pull.id), SITE)


def test_the_preview_says_the_verdict_with_its_interval(pull: PullRequest, client: Client) -> None:
    measure(pull, 1.3)
    answer = client.get("/pulls/who/toy/7/comment.md")
    shown = answer.content.decode()
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert shown.startswith("### Northstar: strong gain\n")
    gain, bound = r"\+29\.\d\u00a0%", r"\+\d+\.\d\u00a0%"
    assert re.search(
        rf"- strong gain: Request throughput {gain} \[95\u00a0% CI {bound}, {bound}\] at load 1, n = 5", shown
    )
    assert "which differ in `cache_ram_mib: 0 → 512`" in shown
    assert "merge base" not in shown
    assert "- accuracy not checked\n- deviations from plan: none\n" in shown
    assert "(http://testserver/pulls/who/toy/7/)" in shown
    assert "northstar " not in shown


def test_commits_are_compared_with_the_merge_base(pull: PullRequest) -> None:
    measure(pull, 1.3, **commits())
    assert "who/toy#7 (`0123456789ab`) against its merge base (`eeeeeeeeeeee`)" in text(pull)


def test_what_is_not_measured_running_or_withdrawn_says_so(pull: PullRequest, client: Client) -> None:
    assert text(pull).startswith("### Northstar: not measured\n")
    evidence = measure(pull, None)
    assert "0 of 10 runs are over" in text(pull)
    finish(evidence.comparison, 1.3)
    conclude_ready()
    withdraw_evidence(evidence=evidence, reason="wrong | host", actor="operator")
    assert text(pull).startswith("### Northstar: evidence withdrawn\n")
    assert "withdrawn on 2026-11-01: `wrong | host`" in text(pull)
    assert client.get("/pulls/who/else/7/comment.md").status_code == 404


def test_a_comment_stays_short(pull: PullRequest) -> None:
    measure(pull, 1.3)
    assert "<details>" not in text(pull)
    for number in range(5):
        measure(pull, 1.1, title=f"again {number}", loads=list(range(1, 8)))
    shown = text(pull)
    visible = re.sub(r"<details>.*?</details>", "", shown, flags=re.S)
    assert shown.count("<summary>") == 2
    assert "`again 4`" in visible
    assert not re.search("`again [0-3]`|^- ", visible, re.M)
    assert "1 more on the page." in shown


def test_what_is_submitted_does_not_depend_on_github(pull: PullRequest, github: GitHub, fake: Fake) -> None:
    fake.special[PULL] = status(403, Retry_After="600")
    assert sync_pull_requests(pulls=[pull], github=github).stopped == "rate_limited"
    measure(pull, 1.3)
    assert text(pull).startswith("### Northstar: strong gain")


def test_words_of_others_stay_code(pull: PullRequest) -> None:
    measure(pull, 1.3, title=HOSTILE)
    title = "**`x | @everyone !-- northstar -- #1 ## [a](http://b) img src=x`**"
    assert title in text(pull)
    assert code("``\n<") == "` `"


def test_a_comment_is_written_once_and_brought_up_to_date(
    pull: PullRequest, github: GitHub, fake: Fake
) -> None:
    evidence = measure(pull, None)
    assert write(pull, github) == []
    finish(evidence.comparison, 1.3)
    conclude_ready()
    assert [write(pull, github), write(pull, github)] == [["comment"], []]
    withdraw_evidence(evidence=evidence, reason="wrong host", actor="operator")
    assert write(pull, github) == ["comment"]
    assert [row["id"] for row in fake.comments] == [100]
    assert "evidence withdrawn" in fake.comments[0]["body"]
    assert [ask for ask in fake.asked if ask[0] != "GET"] == [
        ("POST", f"{ISSUE}/7/comments"), ("PATCH", f"{ISSUE}/comments/100"),
    ]  # fmt: skip


def test_a_comment_whose_answer_was_lost_is_found_again_among_many(
    pull: PullRequest, github: GitHub, fake: Fake
) -> None:
    fake.comments = [{"id": number, "body": "text"} for number in range(1, 121)]
    measure(pull, 1.3)
    write(pull, github)
    PullRequestComment.objects.all().delete()
    measure(pull, 1.3)
    write(pull, github)
    assert len(fake.comments) == 121
    assert fake.comments[-1]["body"].count("**`host tier on`**") == 2


def test_a_comment_that_somebody_deleted_stays_deleted(pull: PullRequest, github: GitHub, fake: Fake) -> None:
    measure(pull, 1.3)
    write(pull, github)
    fake.comments.clear()
    measure(pull, 1.3)
    assert [write(pull, github), write(pull, github)] == [[], []]
    assert fake.comments == []


def test_a_check_run_stands_at_the_head_that_was_measured_and_nowhere_else(
    pull: PullRequest, github: GitHub, fake: Fake
) -> None:
    evidence = measure(pull, 1.3, **commits())
    assert write(pull, github) == ["comment"]
    sync_pull_requests(pulls=[pull], github=github)
    assert [write(pull, github), write(pull, github)] == [["check run"], []]
    assert (fake.checks[0]["head_sha"], fake.checks[0]["conclusion"]) == (SHA, "success")
    PullRequestComment.objects.update(check_run_id=None, check_sha="", check_sha256="")
    assert write(pull, github) == ["check run"]
    withdraw_evidence(evidence=evidence, reason="wrong host", actor="operator")
    assert write(pull, github) == ["comment", "check run"]
    assert [row["conclusion"] for row in fake.checks] == ["neutral"]


def test_a_regression_fails_the_check(pull: PullRequest, github: GitHub, fake: Fake) -> None:
    sync_pull_requests(pulls=[pull], github=github)
    measure(pull, 0.7, **commits())
    write(pull, github)
    assert fake.checks[0]["conclusion"] == "failure"


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("comment_pulls", *arguments, stdout=out)
    return out.getvalue().strip()


def test_the_command_writes_only_what_the_settings_allow(
    pull: PullRequest, github: GitHub, fake: Fake, settings: Settings
) -> None:
    measure(pull, 1.3)
    with pytest.raises(CommandError, match="both are off") as caught:
        command()
    assert caught.value.returncode == 2
    settings.GITHUB_COMMENTS = True
    with pytest.raises(CommandError, match="PUBLIC_URL"):
        command()
    settings.PUBLIC_URL = SITE
    assert command() == "who/toy#7: comment"
    assert command("--repository", "who/else") == ""
    settings.GITHUB_TOKEN = ""
    with pytest.raises(CommandError, match="GITHUB_TOKEN"):
        command()


def test_a_refused_write_is_reported_and_a_limit_is_kept(
    pull: PullRequest, github: GitHub, fake: Fake, settings: Settings, clock: Clock
) -> None:
    settings.GITHUB_COMMENTS, settings.PUBLIC_URL = True, SITE
    measure(pull, 1.3)
    fake.special[f"{ISSUE}/7/comments"] = status(403)
    with pytest.raises(CommandError, match="1 pull requests could not be written to"):
        command()
    fake.special[f"{ISSUE}/7/comments"] = status(403, Retry_After="60")
    for _time in range(2):
        with pytest.raises(CommandError):
            command()
    assert len(fake.asked) == 2
    fake.special.clear()
    clock.advance(61)
    assert command() == "who/toy#7: comment"
