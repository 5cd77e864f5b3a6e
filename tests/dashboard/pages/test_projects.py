"""Projects, pull requests, the primer, badges and feeds."""

import re
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from dashboard.figures.badge import badge_svg
from dashboard.figures.forest import LEFT, RIGHT, Interval, forest
from results.models import Evidence, Project, PullRequest
from results.queries.stack import stack_parts
from results.services.conclude_comparison import conclude_ready
from results.services.link_evidence import link_evidence, read_evidence_request, withdraw_evidence
from tests.factories import catalogue
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_start_comparison import host, plan_json
from tests.shipped import shipped_projects

pytestmark = pytest.mark.django_db
CHINESE = {"accept-language": "zh-CN"}
MEASURED = "/pulls/vllm-project/vllm/37160/"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def shipped() -> None:
    shipped_projects()


def text(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200, address
    return response.content.decode()


@pytest.mark.usefixtures("shipped")
def test_every_pull_request_stands_once_on_its_project_page(client: Client) -> None:
    for project in Project.objects.all():
        page = text(client, f"/projects/{project.slug}/")
        anchors = re.findall(r'id="pr-[a-z0-9-]+-(\d+)"', page)
        expected = PullRequest.objects.filter(optimization__project=project)
        assert sorted(map(int, anchors)) == sorted(expected.values_list("number", flat=True))


@pytest.mark.usefixtures("shipped")
def test_pages_are_complete_in_both_languages(client: Client) -> None:
    for slug in Project.objects.values_list("slug", flat=True):
        english, chinese = text(client, f"/projects/{slug}/"), text(client, f"/projects/{slug}/", **CHINESE)
        for pull in PullRequest.objects.filter(optimization__project__slug=slug):
            assert pull.title_en.replace("'", "&#x27;") in english
            assert pull.title_zh in chinese
            assert pull.title_en not in chinese or pull.title_en == pull.title_zh


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/pulls/vllm-project/vllm/46906/", "describes a proposal"),
        ("/pulls/vllm-project/vllm/51183/", "describes a proposal"),
        ("/pulls/ROCm/ATOM/1331/", "merged to a MiniMax-M3 branch"),
        ("/pulls/sgl-project/sglang/25377/", "Nobody has checked"),
    ],
)
def test_what_is_not_merged_says_so(client: Client, address: str, words: str) -> None:
    assert words in text(client, address)


@pytest.mark.usefixtures("shipped")
def test_a_merged_change_carries_no_warning_and_its_claims_are_called_claims(client: Client) -> None:
    page = text(client, "/pulls/vllm-project/vllm/43447/")
    assert "strip warn" not in page
    for words in ("Claimed by its author", "&gt;95", "Nothing in this table was measured here", "2026-09-22"):
        assert words in page


@pytest.mark.usefixtures("shipped")
def test_numbers_in_texts_lead_to_their_pages(client: Client) -> None:
    page = text(client, "/projects/vllm/")
    assert '<a href="/pulls/vllm-project/vllm/43447/">#43447</a> decides' in page
    sglang = text(client, "/projects/mori-umbp/")
    assert 'href="https://github.com/sgl-project/sglang/pull/30762"' in sglang


def test_markup_in_a_title_or_text_shows_as_text(client: Client) -> None:
    shipped_projects()
    bad = '<img src=x onerror="alert(1)">'
    pull = PullRequest.objects.get(repository="vllm-project/vllm", number=43447)
    PullRequest.objects.filter(id=pull.id).update(title_en=bad, landed_on=bad)
    type(pull.optimization).objects.filter(id=pull.optimization_id).update(text_en=bad + " isn't #43447")
    for address in ("/projects/vllm/", "/pulls/vllm-project/vllm/43447/", "/projects/"):
        page = text(client, address)
        assert "<img src=x" not in page
    assert "isn&#x27;t <a href" in text(client, "/projects/vllm/")


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("address", "queries"),
    [("/projects/", 8), ("/projects/vllm/", 12), ("/pulls/vllm-project/vllm/43447/", 7), ("/stack/", 4)],
)
def test_queries_do_not_grow_with_the_catalogue(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, address: str, queries: int
) -> None:
    with django_assert_num_queries(queries):
        text(client, address)


@pytest.mark.usefixtures("shipped")
def test_github_ignores_case_in_names_and_so_do_addresses(client: Client) -> None:
    assert "#1331" in text(client, "/pulls/rocm/atom/1331/")


@pytest.mark.parametrize(
    "address",
    ["/projects/nothing/", "/pulls/a/b/1/", "/pulls/a/b/1/badge.svg", "/projects/nothing/feed.atom"],
)
def test_unknown_names_are_404(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_an_empty_catalogue_says_how_to_fill_it(client: Client) -> None:
    assert "manage.py load_catalogue" in text(client, "/projects/")


@pytest.mark.usefixtures("shipped")
def test_the_badge_is_a_picture_that_says_what_is_measured(client: Client) -> None:
    response = client.get("/pulls/vllm-project/vllm/43447/badge.svg")
    assert response.headers["Content-Type"] == "image/svg+xml"
    root = ET.fromstring(response.content)  # noqa: S314
    assert root.attrib["aria-label"] == "northstar: not measured"


def test_a_badge_escapes_what_it_says() -> None:
    root = ET.fromstring(badge_svg('a<b&"c', "d>e"))  # noqa: S314
    assert [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")] == ['a<b&"c', "d>e"]


@pytest.fixture
def measured() -> Evidence:
    """A concluded comparison with a clear gain, at a pull request."""
    catalogue()
    host()
    shipped_projects()
    pull = PullRequest.objects.get(repository="vllm-project/vllm", number=37160)
    body = read_evidence_request({"plan": plan_json(blocks=5)})
    evidence = link_evidence(pull_request=pull, request=body, token=None)
    assert "running" in Client().get(f"{MEASURED}").content.decode()
    finish(evidence.comparison, 1.3)
    conclude_ready()
    return evidence


def test_evidence_shows_verdict_interval_design_and_runs(client: Client, measured: Evidence) -> None:
    page = text(client, MEASURED)
    for words in ("gain</span>", "cache_ram_mib", "declared before running", "MDE", 'class="forest"'):
        assert words in page
    assert page.count("/runs/") >= 10
    badge = client.get(f"{MEASURED}badge.svg").content.decode()
    assert re.search(r"gain \+\d+\.\d\u00a0% \[\+\d", badge)
    assert "显著增益" in text(client, MEASURED, **CHINESE) or "增益" in text(client, MEASURED, **CHINESE)


def test_withdrawn_evidence_stays_readable_and_leaves_the_badge(client: Client, measured: Evidence) -> None:
    withdraw_evidence(evidence=measured, reason="the wrong <host>", actor="a test")
    page = text(client, MEASURED)
    assert "Withdrawn on" in page
    assert "the wrong &lt;host&gt;" in page
    assert "not measured" in client.get(f"{MEASURED}badge.svg").content.decode()


@given(st.lists(st.tuples(st.floats(-0.9, 9), st.floats(0, 5), st.floats(0, 5)), max_size=8))
def test_a_forest_keeps_every_mark_inside_its_drawing(rows: list[tuple[float, float, float]]) -> None:
    drawn = forest([Interval("m", gain, gain - below, gain + above, "gain") for gain, below, above in rows])
    for line in drawn.lines if drawn else ():
        assert LEFT <= line.left <= line.mark <= line.right <= RIGHT


@pytest.mark.usefixtures("shipped")
def test_the_feed_names_what_became_of_pull_requests(client: Client) -> None:
    pull = PullRequest.objects.get(repository="kvcache-ai/Mooncake", number=2225)
    pull.history.create(status="closed", as_of=datetime(2026, 10, 1, tzinfo=UTC), source="test")
    root = ET.fromstring(client.get("/projects/mooncake/feed.atom").content)  # noqa: S314
    titles = [entry.findtext(f"{ATOM}title") for entry in root.iter(f"{ATOM}entry")]
    assert titles[0] == "kvcache-ai/Mooncake #2225: closed, not merged"
    assert len(titles) == 7


@pytest.mark.usefixtures("shipped")
def test_the_primer_names_only_projects_of_the_catalogue(client: Client) -> None:
    known = set(Project.objects.values_list("slug", flat=True))
    for language in ("en", "zh-hans"):
        for part in stack_parts(language):
            assert set(part.projects) <= known
            assert all(part.paragraphs)
    page = text(client, "/stack/", **CHINESE)
    assert "断崖式下跌" in page
    assert page.count("<svg") >= 3
