"""The client against a real server: what it sends, follows, refuses and bounds."""

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import Settings

from results.github.client import GitHub
from results.github.exchange import Limits
from results.github.pull_requests import fetch_pull, repository_path
from results.github.server import configured_server, read_server
from results.github.trouble import ConfigurationError, GitHubError, Trouble
from tests.conftest import Clock
from tests.results.github.server import PULL, Fake, drip, endless, pull_json, serving, status, truncated

pytestmark = pytest.mark.usefixtures("clock")


def trouble(github: GitHub, repository: str = "who/toy") -> GitHubError:
    with pytest.raises(GitHubError) as caught:
        fetch_pull(github, repository, 7)
    return caught.value


def test_an_answer_is_read_once_and_then_confirmed_by_its_etag(github: GitHub, fake: Fake) -> None:
    first = fetch_pull(github, "who/toy", 7)
    again = fetch_pull(github, "who/toy", 7, first.etag)
    assert first.facts is not None
    assert (first.facts.title, first.facts.status, first.facts.merge_sha) == ("Be quick", "open", "")
    assert (again.facts, again.etag) == (None, first.etag)
    assert fake.tokens == ["Bearer secret"] * 2


def test_a_renamed_repository_is_followed_on_the_same_server(github: GitHub, fake: Fake) -> None:
    fake.objects = {"/repositories/1/pulls/7": pull_json(full_name="who/new-toy")}
    fake.special[PULL] = status(301, Location=f"{fake.url}/repositories/1/pulls/7")
    assert fetch_pull(github, "who/toy", 7).moved_to == "who/new-toy"


@pytest.mark.parametrize(
    "location", ["{other}/x", "//evil.example/x", "file:///etc/passwd", "", "http://[", "{self}:9/x"]
)
def test_a_redirect_to_another_server_is_not_followed(github: GitHub, fake: Fake, location: str) -> None:
    with serving() as other:
        here = fake.url.rpartition(":")[0]
        fake.special[PULL] = status(301, Location=location.format(other=other.url, self=here))
        assert trouble(github).trouble is Trouble.REDIRECT
        assert other.asked == []


def test_redirects_below_another_prefix_and_in_circles_end(fake: Fake, github: GitHub) -> None:
    fake.special[PULL] = status(301, Location=PULL)
    assert trouble(github).trouble is Trouble.REDIRECT
    assert len(fake.asked) == 4
    enterprise = GitHub(read_server(f"{fake.url}/api/v3"))
    fake.special[f"/api/v3{PULL}"] = status(301, Location="/internal/7")
    assert trouble(enterprise).trouble is Trouble.REDIRECT
    assert ("GET", "/internal/7") not in fake.asked


def test_enterprise_is_asked_below_its_prefix(fake: Fake) -> None:
    fake.objects = {f"/api/v3{PULL}": pull_json()}
    assert fetch_pull(GitHub(read_server(f"{fake.url}/api/v3/")), "who/toy", 7).facts is not None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (401, Trouble.UNAUTHORIZED),
        (403, Trouble.FORBIDDEN),
        (404, Trouble.NOT_FOUND),
        (410, Trouble.NOT_FOUND),
        (422, Trouble.REFUSED),
        (500, Trouble.SERVER),
        (502, Trouble.SERVER),
        (204, Trouble.BAD_ANSWER),
        (304, Trouble.BAD_ANSWER),
    ],
)
def test_every_status_has_its_name(github: GitHub, fake: Fake, code: int, expected: Trouble) -> None:
    fake.special[PULL] = lambda handler: handler.answer(code, raw=b"")
    assert trouble(github).trouble is expected


@pytest.mark.parametrize(
    ("code", "headers", "seconds"),
    [
        (403, {"Retry_After": "90"}, 90),
        (429, {"Retry_After": "Sun, 01 Nov 2026 12:05:00 GMT"}, 300),
        (429, {"Retry_After": "soon"}, 60),
        (429, {}, 60),
        (503, {"Retry_After": "999999999"}, 86400),
        (403, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "1793535000"}, 600),
        (403, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "1"}, 1),
    ],
)
def test_limits_end_when_the_server_says(
    github: GitHub, fake: Fake, clock: Clock, code: int, headers: dict[str, str], seconds: int
) -> None:
    clock.time = datetime(2026, 11, 1, 12, tzinfo=UTC)
    fake.special[PULL] = status(code, **headers)
    found = trouble(github)
    assert found.trouble is Trouble.RATE_LIMITED
    assert found.until == clock.time + timedelta(seconds=seconds)


def test_a_secondary_limit_is_known_by_its_words(github: GitHub, fake: Fake, clock: Clock) -> None:
    fake.special[PULL] = lambda handler: handler.answer(
        403, {"message": "You have exceeded a secondary rate limit."}
    )
    assert trouble(github).until == clock.time + timedelta(seconds=60)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (pull_json(number=8), "another pull request"),
        (pull_json(full_name="who/else"), "another pull request"),
        (pull_json(merged=True), "contradict"),
        (pull_json(state="merged"), "state"),
        (pull_json(title=""), "title"),
        (pull_json(head=None), "head"),
        (pull_json(labels=None), "labels"),
        ([pull_json()], "not a pull request"),
        ({}, "not a pull request"),
        ("text", "neither an object"),
    ],
)
def test_lies_are_refused(github: GitHub, fake: Fake, value: object, words: str) -> None:
    fake.objects[PULL] = value
    found = trouble(github)
    assert found.trouble is Trouble.BAD_ANSWER
    assert words in found.text


def test_broken_bodies_are_refused(github: GitHub, fake: Fake) -> None:
    for special in (truncated, endless):
        fake.special[PULL] = special
        assert trouble(github).trouble is Trouble.BAD_ANSWER
    for raw in (b"<html>", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"[" * 100_000, b"\xff", b'"\\u0000"'):
        fake.special[PULL] = lambda handler, raw=raw: handler.answer(200, raw=raw)  # type: ignore[misc]
        assert trouble(github).text == "the answer is not JSON"


@pytest.mark.parametrize("header", ["Content-Length", "Connection"])
def test_a_slow_body_ends_at_the_limit_of_the_whole_exchange(fake: Fake, header: str) -> None:
    fake.special[PULL] = drip({"Content-Length": "100000", "Connection": "close"}[header], header)
    github = GitHub(read_server(fake.url), Limits(seconds=0.2))
    assert trouble(github).trouble is Trouble.TIMEOUT


def test_nobody_at_home(fake: Fake) -> None:
    with serving() as gone:
        pass
    found = trouble(GitHub(read_server(gone.url, "secret")))
    assert found.trouble is Trouble.UNREACHABLE
    assert "secret" not in found.text


@pytest.mark.parametrize(
    "name", ["../user", "who/..", "who", "who/toy/x", "who/to y", "who/t?x=1", "a/%2e%2e", "/"]
)
def test_names_that_would_leave_their_place_are_not_asked_for(github: GitHub, fake: Fake, name: str) -> None:
    with pytest.raises(GitHubError):
        repository_path(name)
    assert trouble(github, name).trouble is Trouble.NOT_FOUND
    assert fake.asked == []


@pytest.mark.parametrize(
    "url",
    [
        "http://api.github.com", "http://169.254.169.254", "ftp://x", "file:///etc/passwd", "", "https://",
        "https://u:p@h", "https://h/?q", "https://h/#f", "https://h/a/../b", "https://h:99999", "https://[",
    ],
)  # fmt: skip
def test_addresses_that_settings_may_not_name(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^GITHUB_API_URL: "):
        read_server(url)


def test_a_bad_token_is_refused_without_being_shown(settings: Settings) -> None:
    settings.GITHUB_TOKEN = "hush\nX-Evil: 1"
    with pytest.raises(ConfigurationError) as caught:
        configured_server()
    assert "hush" not in str(caught.value)
    assert "hush" not in repr(read_server("https://api.github.com", "hush"))
