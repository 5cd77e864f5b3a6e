"""Articles: numbers are those of points, what cannot be resolved shows, and markup stays text."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from dashboard.citations import Citation, read_citation
from dashboard.writeup import writeup
from results.models import Host, Project, Run, State
from results.queries.cited import Place
from tests.factories import make_attempt, make_host, make_point, make_run
from tests.shipped import shipped_projects

pytestmark = pytest.mark.django_db
#: What stands in a text of ours without being measured: versions, names, plans, limits of memory, and numbers
#: of pull requests.
PLANNED = {
    "100", "200", "10", "0.25.1", "3", "1.7", "1", "2", "4", "8", "16", "25", "15", "50", "90", "112", "31.5",
    "64", "37160",
}  # fmt: skip


@pytest.fixture
def points() -> dict[int, int]:
    """By block three points at load 4 with TTFT of 1, 2 and 9 s; on another host one of 7 s, as block 0."""
    found = {}
    for block, host, ttft in ((1, "h-1", 1.0), (2, "h-1", 2.0), (3, "h-1", 9.0), (1, "h-2", 7.0)):
        run = make_run(state=State.SUCCEEDED, label="arm", block=block)
        machine = Host.objects.filter(name=host).first() or make_host(host)
        make_attempt(run, state=State.SUCCEEDED, host=machine)
        point = make_point(
            run, 4, ttft_p50=ttft, overall_cache_hit_rate=0.25, kv_offload_bandwidth_in=48.29e9
        )
        found[block if host == "h-1" else 0] = point.id
    return found


def test_numbers_are_read_from_points(
    points: dict[int, int], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    text = (
        "# T\n\nA {point:h-1/arm#1/4:ttft_p50}, B {point:h-1/arm/4:ttft_p50}, "
        "C {ratio:h-1/arm#3/4 over h-1/arm#2/4:ttft_p50}, D {point:h-1/arm/4:overall_cache_hit_rate}, "
        "E {point:h-1/arm/4:kv_offload_bandwidth_in}"
    )
    with django_assert_num_queries(1):
        article = writeup(text)
    assert article is not None
    assert (article.title, article.missing) == ("T", ())
    plain = re.sub(r"<[^>]+>", "", article.body).strip()
    assert plain == "A 1.00 s, B 2.00 s, C ×4.50, D 25.0\u00a0%, E 48.3 GB/s"
    assert f'href="/points/{points[3]}/"' in article.body
    assert "(n = 3)" in article.body


@pytest.mark.parametrize(
    "reference",
    [
        "{point:h-1/arm#4/4:ttft_p50}", "{point:h-1/arm/8:ttft_p50}", "{point:h-9/arm/4:ttft_p50}",
        "{point:h-1/arm/4:itl_p50}", "{point:h-1/arm/4:speed}", "{point:h-1/arm/4}", "{point:arm/4:ttft_p50}",
        "{point:h-1/arm#0/4:ttft_p50}", "{ratio:h-1/arm/4:ttft_p50}", "{host:h-1:device_copy}",
        "{ratio:h-1/arm/4 over h-1/no/4:ttft_p50}", "{point:<b>:x}",
    ],
)  # fmt: skip
def test_what_was_not_measured_is_said_in_its_place(points: dict[int, int], reference: str) -> None:
    article = writeup(f"a {reference} b")
    assert article is not None
    assert article.missing == (reference,)
    assert "not measured here</span>" in article.body
    assert "<b>" not in article.body


def test_the_grammar_is_strict() -> None:
    place = Place("h200-2026-11-30", "small-pool", 2, 8)
    assert read_citation("{point:h200-2026-11-30/small-pool#2/8:ttft_p50}") == Citation("ttft_p50", (place,))
    for text in (
        "{point:h/a/4:ttft_p50} ",
        "{Point:h/a/4:x}",
        "{point: h/a/4:x}",
        "{point:h/a/4:x:y}",
        "{x}",
    ):
        assert read_citation(text) is None


def test_markup_and_marks_of_ours_stay_text(points: dict[int, int]) -> None:
    article = writeup(
        "<script>x</script> \ue0000\ue001 `{point:h-1/arm#1/4:ttft_p50}` [x](javascript:alert(1)) {x}"
    )
    assert article is not None
    assert "<script" not in article.body
    assert 'href="javascript' not in article.body
    assert "{x}" in article.body
    assert 'style="' not in (writeup("|a|\n|---:|\n|1|\n") or article).body


def test_without_the_measurements_the_page_says_what_is_missing(client: Client) -> None:
    shipped_projects()
    page = client.get("/projects/vllm/").content.decode()
    assert "not measured here</span>" in page
    assert "python manage.py load_measured" in page
    assert client.get("/projects/sglang/").content.decode().count('id="article"') == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_measured_number_is_typed_into_a_shipped_text(language: str) -> None:
    shipped_projects()
    for project in Project.objects.exclude(**{f"writeup_{language}": ""}):
        text = getattr(project, f"writeup_{language}")
        prose = re.sub(r"\{[^{}]*\}|\]\([^)]*\)|\|[-:| ]+\|\n", " ", text)
        assert set(re.findall(r"\d+(?:\.\d+)*", prose)) <= PLANNED
    assert Run.objects.count() == 0
