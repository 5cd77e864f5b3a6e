"""Evidence and claims of a project, a comparison before and after, and how to run it again."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from results import clock
from results.analysis.gains.vocabulary import Basis
from results.models import AuditEvent, Comparison, Evidence, Point, PullRequest
from results.queries.equal_comparisons import equal_comparisons
from results.services.conclude_comparison import conclude_ready
from results.services.link_evidence import link_evidence, read_evidence_request, withdraw_evidence
from results.services.withdraw_run import withdraw_run
from tests.dashboard.pages.test_projects import text
from tests.factories import catalogue
from tests.results.api.test_query_counts import compare
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_start_comparison import host, plan_json
from tests.shipped import shipped_projects

pytestmark = pytest.mark.django_db
PULL = "/pulls/vllm-project/vllm/37160/"


@pytest.fixture
def measured() -> Evidence:
    """A gain of 30 % at equal load, with a frontier, at a pull request whose author claims one of 50 %."""
    catalogue()
    host()
    shipped_projects()
    pull = PullRequest.objects.get(repository="vllm-project/vllm", number=37160)
    pull.claims.create(position=1, metric_en="median TTFT", metric_zh="TTFT 中位数", before="30", after="20",
                       unit="ms", source_url="https://example.org/")  # fmt: skip
    pull.claims.create(position=2, metric_en="hit rate", metric_zh="命中率", after=">95", unit="%",
                       source_url="https://example.org/")  # fmt: skip
    body = read_evidence_request({"plan": plan_json(blocks=5)})
    evidence = link_evidence(pull_request=pull, request=body, token=None)
    finish(evidence.comparison, 1.3)
    speed = F("request_throughput") / F("load")
    Point.objects.update(interactivity_p50=50 * speed / F("load"), total_throughput=100.0 * speed * F("load"))
    conclude_ready()
    return evidence


def loaded(client: Client, address: str) -> Any:
    return json.loads(text(client, address))


def test_a_pull_request_shows_both_gains_apart_and_how_to_repeat_them(
    client: Client, measured: Evidence
) -> None:
    page, site = text(client, PULL), f"/comparisons/{measured.comparison_id}/"
    for words in (
        f'data-figure="{site}figure.json"', "At equal load", "Along the frontier", "the frontier at equal",
        "exploratory", "This is another quantity than a gain at equal load", "which differ in", "5 blocks on",
        "deviations from plan", "accuracy not checked", f"{site}plan.json", "-d @plan.json", "badge.svg",
    ):  # fmt: skip
        assert words in page, words
    assert "Smallest p of a rank test" in page and "0.0625" in page
    along = Comparison.objects.get().verdict
    assert along is not None and along["frontier"]["verdict"]["gain"] > 1.2 * along["primary"][0]["gain"]
    figure = loaded(client, f"{site}figure.json")
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    dots = [trace for trace in figure["data"] if "markers" in trace["mode"]]
    assert (len(lines), [trace["name"] for trace in dots]) == (2, ["baseline", "candidate"])
    loads = len(measured.comparison.plan["loads"])
    assert [len(trace["x"]) for trace in dots] == [loads * (1 + 5)] * 2
    again = read_evidence_request(loaded(client, f"{site}plan.json"))
    assert again.basis.to_json() == measured.comparison.plan
    # What the plan does not declare is left to those who ask for all of a verdict.
    for address in (f"/api/v1{site}", f"/api/v1/pull-requests{PULL.removeprefix('/pulls')}"):
        served = loaded(client, address)
        served = served["evidence"][0]["comparison"] if "evidence" in served else served
        assert len(served["verdict"]["exploratory"]) == len(along["exploratory"]) > 0
    alone = text(client, site)
    assert "vllm-project/vllm #37160" in alone and "python -m workers run baseline.json" in alone


def test_regressions_stand_beside_the_headline_and_few_launches_ask_for_more(
    client: Client, measured: Evidence
) -> None:
    found = Comparison.objects.get()
    assert found.verdict is not None
    found.verdict["headline"]["counts"]["regression"] = 4
    found.save()
    assert "strong gain, 4 regressions" in text(client, PULL)
    assert "], 4 regressed" in text(client, f"{PULL}badge.svg")
    found.verdict["headline"] |= {"verdict": "insufficient", "counts": {}}
    found.save()
    assert "Add repeats" in text(client, PULL)
    other = PullRequest.objects.get(repository="vllm-project/vllm", number=40549)
    assert "not for this change alone" not in text(client, "/pulls/vllm-project/vllm/40549/")
    Evidence.objects.update(pull_request=None, optimization=other.optimization)
    assert "not for this change alone" in text(client, "/pulls/vllm-project/vllm/40549/")
    Comparison.objects.update(candidate=F("baseline"))
    assert Basis.FRONTIER in {one.basis for one in equal_comparisons()}


def test_a_project_draws_evidence_and_claims_and_never_a_gain_alone(
    client: Client, measured: Evidence
) -> None:
    page = text(client, "/projects/vllm/")
    assert page.count('class="forest"') == 2
    assert page.count('class="claimed"') == 6
    assert "A claim is what its author states" in page and "10 pull requests have a claim" in page
    gains = re.findall(
        r'<td class="number">([+-][\d.]+\u00a0%)</td><td class="number nowrap">(.*?)</td>', page
    )
    assert gains and all(re.fullmatch(r"\[[+-].*, [+-].*\]", interval) for _gain, interval in gains)
    assert "no quantity with a better direction" in page and "only one side is stated" in page
    withdraw_evidence(evidence=measured, reason="wrong host", actor="a test")
    page = text(client, "/projects/vllm/")
    assert "1 withdrawn." in page and page.count('class="forest"') == 1
    assert "wrong host" in text(client, f"/comparisons/{measured.comparison_id}/")


def test_a_withdrawn_run_turns_evidence_into_withdrawn_and_points_into_no_results(
    client: Client, measured: Evidence
) -> None:
    run = measured.comparison.members.all()[0].run
    assert withdraw_run(run_id=run.id, reason="the <b>wrong</b> driver", actor="a test")
    assert not withdraw_run(run_id=run.id, reason="again", actor="a test")
    for address in (PULL, "/projects/vllm/", f"/comparisons/{measured.comparison_id}/", f"/runs/{run.id}/"):
        assert "withdrawn" in text(client, address).lower(), address
    assert "was withdrawn: the &lt;b&gt;wrong&lt;/b&gt; driver" in text(client, PULL)
    assert {point.validity for point in run.points.all()} == {"invalid"}
    assert {point.reasons[0] for point in run.points.all()} == {"withdrawn"}
    kept = client.get("/api/v1/points.csv?validity=diagnostic").getvalue().decode()
    assert str(run.id) not in kept and str(measured.comparison.members.all()[1].run_id) in kept
    event = AuditEvent.objects.get(verb="withdraw", object_type="run")
    assert set(event.details["validity"].values()) == {"diagnostic"}


def test_queries_do_not_grow_with_evidence(client: Client, measured: Evidence) -> None:
    addresses = {"page-pull": PULL, "page-project": "/projects/vllm/", "page-projects": "/projects/",
                 "evidence": "/api/v1/evidence/", "claims": "/api/v1/claims/"}  # fmt: skip
    counts = {name: [queries(client, address)] for name, address in addresses.items()}
    pull = measured.pull_request
    for _more in range(3):
        copy = Comparison.objects.get(id=measured.comparison_id)
        members = list(copy.members.all())
        copy.pk = None
        copy._state.adding = True
        copy.id = type(copy)._meta.get_field("id").get_default()
        copy.save()
        for member in members:
            copy.members.create(run=member.run, block=member.block, arm=member.arm, position=member.position)
        Evidence.objects.create(comparison=copy, pull_request=pull, created_at=clock.now())
    for name, found in counts.items():
        compare(name, [*found, queries(client, addresses[name])])


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        text(client, address)
    return len(captured)


def test_a_recipe_against_itself_takes_neither_badge_nor_first_place(
    client: Client, measured: Evidence
) -> None:
    plan = plan_json(blocks=5)
    plan["candidate"], plan["title"] = plan["baseline"], "the same twice"
    assert measured.pull_request is not None
    body = read_evidence_request({"plan": plan})
    again = link_evidence(pull_request=measured.pull_request, request=body, token=None)
    finish(again.comparison, 1.0)
    conclude_ready()
    assert "strong gain +29" in text(client, f"{PULL}badge.svg")
    page = text(client, PULL)
    assert page.index(measured.comparison.title) < page.index("the same twice")
    assert "nothing: an A/A comparison" in page
    assert "llama.cpp" in page
    withdraw_evidence(evidence=measured, reason="a test", actor="operator")
    assert "not measured" in text(client, f"{PULL}badge.svg")
