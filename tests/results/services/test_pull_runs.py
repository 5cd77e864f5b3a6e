"""A run of a pull request finds its baseline by rule, is judged no harder than it allows, or says why not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from results import clock
from results.analysis.gains.vocabulary import Reason, Verdict
from results.documents.failures import FailureClass
from results.documents.refusal import DocumentError
from results.documents.verdict import read_verdict
from results.models import Artifact, AttemptArtifact, Comparison, Evidence, Point, PullRequestRun, Run
from results.services.claims import claim_attempt
from results.services.load_projects import load_projects
from results.services.outcomes import complete_attempt, fail_attempt
from results.services.progress import begin_upload, start_attempt
from results.services.settle_pull_runs import settle_pull_runs
from results.services.submit_run import read_run_document, submit_run
from results.services.withdraw_run import withdraw_run
from tests.conftest import Clock
from tests.factories import catalogue, make_host, run_json
from tests.results.services.test_load_projects import toy

BASE, HEAD, PULL = "a" * 40, "b" * 40, "who/toy#7"
MANIFEST = "cd" * 32


@pytest.fixture
def measure(db: None, clock: Clock, hinted: list[str], tmp_path: Path) -> Callable[..., Run]:
    """Submits a run and executes it with the verbs of a host; the sweep settles afterwards."""
    catalogue()
    for name in ("alpha", "beta"):
        make_host(name)
    load_projects(folder=toy(tmp_path))
    Artifact.objects.create(sha256=MANIFEST, size=2, media_type="application/json", stored_at=clock.now())

    def measured(speed: float | None = 1.0, *, host: str = "alpha", **changes: Any) -> Run:
        clock.advance(60)
        run = submit_run(document=read_run_document(run_json(host=host, **changes)))
        execute(run, speed, host)
        settle_pull_runs(now=clock.now())
        return run

    return measured


def execute(run: Run, speed: float | None, host: str) -> None:
    """To success with points of this speed, or to failure for None."""
    claim = claim_attempt(host=host)
    assert claim is not None and claim.run == run.id
    key = {"attempt": claim.attempt, "number": claim.number}
    start_attempt(**key)
    begin_upload(**key)
    if speed is None:
        fail_attempt(**key, failure_class=FailureClass.CLIENT, line="client failed")
        return
    attempt = run.attempts.get()
    AttemptArtifact.objects.create(attempt=attempt, artifact_id=MANIFEST, path="MANIFEST.json")
    for load in run.loads:
        Point.objects.create(
            run=run, attempt=attempt, load=load, validity="diagnostic", reasons=["window_below_minimum"],
            rules_version="agentx-1", parser_version="t", started_at=run.created_at,
            created_at=run.created_at,
            output_throughput_per_gpu=speed * load, ttft_p50=1.5 * load / speed, interactivity_p50=60 * speed,
            requests_successful=400, requests_failed=0, error_rate=0.0, overall_cache_hit_rate=0.9,
            client_cache_hit_rate=0.9, output_tokens_mean=100.0,
        )  # fmt: skip
    complete_attempt(**key, manifest=MANIFEST)


def of_pull(**changes: Any) -> dict[str, Any]:
    return {"pull_request": PULL, "commit": HEAD, "merge_base": BASE} | changes


def row(run: Run) -> PullRequestRun:
    return PullRequestRun.objects.get(run=run)


def test_one_run_is_compared_with_its_merge_base_and_gives_no_verdict(measure: Callable[..., Run]) -> None:
    before = measure(commit=BASE)
    after = measure(2.0, **of_pull())
    found = row(after)
    assert found.outcome == "compared" and found.evidence is not None
    comparison = found.evidence.comparison
    assert comparison.plan["baseline_runs"] == [str(before.id)]
    assert comparison.baseline_id == before.recipe_id != after.recipe_id == comparison.candidate_id
    assert not comparison.declared_before_running and comparison.verdict is not None
    verdict = read_verdict(comparison.verdict)
    assert verdict.headline.verdict is Verdict.INSUFFICIENT
    assert {one.n for one in verdict.primary} == {1}
    assert all(Reason.TOO_FEW_LAUNCHES in one.reasons for one in verdict.primary)


def test_more_runs_of_both_replace_it_and_indicate_at_most(measure: Callable[..., Run]) -> None:
    for speed in (1.0, 1.01, 0.99):
        measure(2 * speed, **of_pull())
        measure(speed, commit=BASE)
    (standing,) = Evidence.objects.filter(withdrawn_at=None)
    assert {one.evidence_id for one in PullRequestRun.objects.all()} == {standing.id}
    assert standing.comparison.verdict is not None
    assert read_verdict(standing.comparison.verdict).headline.verdict is Verdict.INDICATIVE_GAIN
    assert [len(standing.comparison.plan[side]) for side in ("baseline_runs", "candidate_runs")] == [3, 3]
    withdrawn = Evidence.objects.exclude(withdrawn_at=None)
    assert withdrawn and all(one.withdrawn_reason.startswith("superseded") for one in withdrawn)


def test_without_a_baseline_the_first_reason_is_kept_and_a_later_baseline_is_found(
    measure: Callable[..., Run],
) -> None:
    recipe = run_json()["recipe"]
    other = {**recipe, "arguments": {"parallel": 3}}
    after = measure(**of_pull())
    reasons = [row(after).reason]
    for changes in ({"recipe": other}, {"loads": [1]}, {"host": "beta"}, {"speed": None}):
        measure(**({"commit": BASE} | changes))
        again = measure(**of_pull())
        reasons.append(row(again).reason)
    assert reasons == [
        "merge_base_never_measured", "merge_base_with_another_recipe",
        "merge_base_with_other_scenario_or_loads", "merge_base_on_another_host",
        "merge_base_run_failed_or_withdrawn",
    ]  # fmt: skip
    assert not Comparison.objects.exists()
    measure(commit=BASE)
    assert {one.outcome for one in PullRequestRun.objects.all()} == {"compared"}
    assert Comparison.objects.count() == 1


def test_a_run_that_is_taken_back_takes_its_comparison_with_it(measure: Callable[..., Run]) -> None:
    before, after = measure(commit=BASE), measure(**of_pull())
    withdraw_run(run_id=before.id, reason="wrong clock", actor="operator")
    settle_pull_runs(now=clock.now())
    assert row(after).reason == "merge_base_run_failed_or_withdrawn"
    again = measure(commit=BASE)
    found = row(after).evidence
    assert found is not None and found.comparison.plan["baseline_runs"] == [str(again.id)]
    withdraw_run(run_id=after.id, reason="wrong build", actor="operator")
    settle_pull_runs(now=clock.now())
    assert row(after).reason == "run_withdrawn"
    assert not Evidence.objects.filter(withdrawn_at=None)


def test_a_run_that_failed_and_a_merge_base_that_nobody_knows(measure: Callable[..., Run]) -> None:
    assert row(measure(None, **of_pull())).reason == "run_failed"
    assert row(measure(**of_pull(merge_base=None))).reason == "merge_base_unknown"


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"pull_request": "who/toy#8"}, "/pull_request"),
        ({"pull_request": "toy"}, "/pull_request"),
        ({"commit": None}, ""),
        ({"merge_base": HEAD}, ""),
        ({"pull_request": None}, ""),
        ({"commit": "b" * 12}, "/commit"),
        ({"recipe": {**run_json()["recipe"], "engine": {"name": "llamacpp", "commit": "c" * 40}}}, ""),
    ],
)
def test_what_does_not_add_up_is_refused(
    measure: Callable[..., Run], changes: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(DocumentError) as refusal:
        measure(**of_pull(**changes))
    assert refusal.value.problems[0]["pointer"] == pointer
    assert not Run.objects.exists()
