"""Evidence: a plan that is run, runs that exist, and evidence that was taken back."""

from typing import Any

import pytest

from results.analysis.gains.vocabulary import Verdict
from results.documents.refusal import DocumentError
from results.documents.verdict import read_verdict
from results.models import Comparison, Evidence, PullRequest, Run
from results.services.conclude_comparison import conclude_ready
from results.services.link_evidence import link_evidence, read_evidence_request, withdraw_evidence
from tests.factories import catalogue
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_start_comparison import host, plan_json
from tests.shipped import shipped_projects

pytestmark = pytest.mark.django_db


@pytest.fixture
def pull_request() -> PullRequest:
    catalogue()
    host()
    shipped_projects()
    return PullRequest.objects.get(repository="vllm-project/vllm", number=37160)


@pytest.fixture
def planned(pull_request: PullRequest) -> Evidence:
    return link(pull_request, plan=plan_json(blocks=5))


def link(pull_request: PullRequest, **body: Any) -> Evidence:
    return link_evidence(pull_request=pull_request, request=read_evidence_request(body), token=None)


def sides(comparison: Comparison) -> dict[str, list[str]]:
    arms = {"A": "baseline_runs", "B": "candidate_runs"}
    members = comparison.members.order_by("position")
    return {name: [str(one.run_id) for one in members if one.arm == arm] for arm, name in arms.items()}


def sets(comparison: Comparison, **changes: Any) -> Any:
    return {"title": "again", "metrics": ["request_throughput"], **sides(comparison)} | changes


def test_a_plan_runs_and_its_verdict_stands_at_the_pull_request(planned: Evidence) -> None:
    finish(planned.comparison, 1.3)
    conclude_ready()
    comparison = Comparison.objects.get(evidence__pull_request__number=37160)
    assert comparison.declared_before_running
    assert comparison.verdict is not None
    assert read_verdict(comparison.verdict).headline.verdict in (Verdict.GAIN, Verdict.STRONG_GAIN)


def test_runs_that_exist_give_an_indication_at_most(planned: Evidence, pull_request: PullRequest) -> None:
    finish(planned.comparison, 1.3)
    evidence = link(pull_request, runs=sets(planned.comparison))
    assert not evidence.comparison.declared_before_running
    assert evidence.comparison.verdict is not None
    assert read_verdict(evidence.comparison.verdict).headline.verdict == Verdict.INDICATIVE_GAIN


@pytest.mark.parametrize(
    ("changes", "pointer", "rule"),
    [
        ({"baseline_runs": ["x"]}, "/runs/baseline_runs/0", "uuid"),
        ({"baseline_runs": ["00000000-0000-0000-0000-000000000000"]}, "/runs/baseline_runs/0", "unknown_run"),
        ({"metrics": ["duration"]}, "/runs/metrics", "invalid"),
        ({"metrics": []}, "/runs/metrics", "too_short"),
        ({"colour": 1}, "/runs/colour", "extra_forbidden"),
    ],
)
def test_bad_sets_are_refused(
    planned: Evidence, pull_request: PullRequest, changes: Any, pointer: str, rule: str
) -> None:
    finish(planned.comparison, 1.3)
    with pytest.raises(DocumentError) as refusal:
        link(pull_request, runs=sets(planned.comparison, **changes))
    assert (refusal.value.problems[0]["pointer"], refusal.value.problems[0]["rule"]) == (pointer, rule)
    assert Evidence.objects.count() == 1


def test_sets_that_mix_or_repeat_runs_are_refused(planned: Evidence, pull_request: PullRequest) -> None:
    found = sides(planned.comparison)
    a, b = found["baseline_runs"], found["candidate_runs"]

    def rule(**changes: Any) -> str:
        with pytest.raises(DocumentError) as refusal:
            link(pull_request, runs=sets(planned.comparison, **changes))
        return refusal.value.problems[0]["rule"]

    assert rule() == "unfinished"
    finish(planned.comparison, 1.3)
    assert rule(baseline_runs=[a[0], a[0]]) == "distinct"
    assert rule(baseline_runs=[a[0], b[0]]) == "one_recipe"
    assert rule(candidate_runs=a) == "distinct"
    assert Run.objects.count() == 10


def test_withdrawn_evidence_says_why_and_is_withdrawn_once(planned: Evidence) -> None:
    with pytest.raises(DocumentError):
        withdraw_evidence(evidence=planned, reason="  ", actor="operator")
    assert withdraw_evidence(evidence=planned, reason="wrong host", actor="operator")
    assert not withdraw_evidence(evidence=planned, reason="again", actor="operator")
    planned.refresh_from_db()
    assert planned.withdrawn_reason == "wrong host"


@pytest.mark.parametrize("body", [{}, {"plan": plan_json(), "runs": {}}])
def test_a_request_is_either_a_plan_or_runs(body: Any) -> None:
    with pytest.raises(DocumentError):
        read_evidence_request(body)


def test_problems_of_a_plan_point_into_the_request(pull_request: PullRequest) -> None:
    plan = plan_json()
    plan["candidate"]["arguments"] = {"parallel": 0}
    with pytest.raises(DocumentError) as refusal:
        link(pull_request, plan=plan)
    assert refusal.value.problems[0]["pointer"] == "/plan/candidate/arguments/parallel"
