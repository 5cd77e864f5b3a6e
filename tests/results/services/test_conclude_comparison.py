"""Runs that are over become a verdict, or a second look where the plan allows one."""

import random

import pytest

from results import clock
from results.analysis.gains.vocabulary import Verdict
from results.documents.verdict import read_verdict, write_verdict
from results.models import Attempt, Comparison, Host, Point, Run, State
from results.queries.equal_comparisons import equal_comparisons
from results.services.comparison_blocks import comparison_blocks
from results.services.conclude_comparison import conclude_comparison, conclude_ready
from results.services.start_comparison import read_plan, start_comparison
from tests.factories import catalogue
from tests.results.services.test_start_comparison import host, plan_json

pytestmark = pytest.mark.django_db


def started(**changes: object) -> Comparison:
    catalogue()
    if not Host.objects.exists():
        host()
    return start_comparison(plan=read_plan(plan_json(blocks=5, **changes)))


def finish(
    comparison: Comparison, factor: float, *, noise: float = 0.01, fail: tuple[int, str] = (0, "")
) -> None:
    """End every queued run with points; the candidate is ``factor`` times as fast as the baseline."""
    draw = random.Random(7)  # noqa: S311
    for place, member in enumerate(comparison.members.filter(run__state=State.QUEUED).order_by("position")):
        speed = (factor if member.arm == "B" else 1.0) * (1 + draw.gauss(0, noise))
        lost = fail == (member.block, member.arm)
        _end(member.run, place, speed, State.FAILED if lost else State.SUCCEEDED)


def _end(run: Run, place: int, speed: float, state: State) -> None:
    now = clock.now()
    failure = {"failure_class": "client"} if state == State.FAILED else {}
    Attempt.objects.filter(run=run).update(state=state, ended_at=now, host=Host.objects.get(), **failure)
    Run.objects.filter(id=run.id).update(state=state, ended_at=now, **failure)
    if state == State.FAILED:
        return
    for load in run.loads:
        at = now.replace(minute=place, second=load)
        Point.objects.create(
            run=run, attempt=run.attempts.get(), load=load, validity="diagnostic",
            reasons=["window_below_minimum"], rules_version="agentx-1", parser_version="t",
            started_at=at, created_at=now,
            request_throughput=speed * load, ttft_p50=1.5 * load / speed, requests_successful=400,
            requests_failed=0, error_rate=0.0, overall_cache_hit_rate=0.9, client_cache_hit_rate=0.9,
            output_tokens_mean=100.0,
        )  # fmt: skip


def verdicts(comparison: Comparison) -> dict[tuple[str, int | None], Verdict]:
    comparison.refresh_from_db()
    assert comparison.verdict is not None
    return {(one.metric, one.load): one.verdict for one in read_verdict(comparison.verdict).primary}


def test_a_clear_gain_is_called_one_for_both_directions_of_better() -> None:
    comparison = started()
    finish(comparison, 1.3)
    assert conclude_ready() == [str(comparison.id)]
    found = verdicts(comparison)
    assert set(found) >= {("request_throughput", 1), ("ttft_p50", 2)}
    assert set(found.values()) <= {Verdict.GAIN, Verdict.STRONG_GAIN}
    assert comparison.state == Comparison.State.CONCLUDED


def test_the_same_recipe_twice_shows_no_gain_and_becomes_history() -> None:
    comparison = started(candidate=plan_json()["baseline"])
    finish(comparison, 1.0)
    conclude_ready()
    assert set(verdicts(comparison).values()) <= {Verdict.INCONCLUSIVE, Verdict.EQUIVALENT}
    history = equal_comparisons()
    assert {(one.host_class, one.model, one.n) for one in history} == {("cpu", "northstar-tiny", 5)}
    assert ("request_throughput", 1) in {(one.metric, one.load) for one in history}


def test_nothing_is_concluded_while_a_run_is_live() -> None:
    comparison = started()
    assert conclude_ready() == []
    comparison.refresh_from_db()
    assert (comparison.state, comparison.verdict) == (Comparison.State.RUNNING, None)


def test_a_failed_run_leaves_its_block_incomplete() -> None:
    comparison = started()
    finish(comparison, 1.3, fail=(2, "A"))
    blocks = {block.number: len(block.observations) for block in comparison_blocks(comparison)}
    assert blocks == {1: 2, 2: 1, 3: 2, 4: 2, 5: 2}
    conclude_ready()
    comparison.refresh_from_db()
    assert comparison.verdict is not None
    assert read_verdict(comparison.verdict).blocks == 4


def test_an_inconclusive_first_look_queues_as_many_blocks_again_once() -> None:
    comparison = started(extend_once=True)
    finish(comparison, 1.002, noise=0.05)
    assert conclude_ready() == []
    comparison.refresh_from_db()
    assert comparison.extended
    assert comparison.members.filter(run__state=State.QUEUED).count() == 10
    finish(comparison, 1.002, noise=0.05)
    assert conclude_ready() == [str(comparison.id)]
    comparison.refresh_from_db()
    assert comparison.verdict is not None
    assert read_verdict(comparison.verdict).blocks == 10


def test_a_concluded_comparison_is_concluded_once() -> None:
    comparison = started()
    finish(comparison, 1.3)
    assert conclude_comparison(comparison=comparison)
    assert not conclude_comparison(comparison=comparison)


def test_a_verdict_reads_back_as_it_was_written() -> None:
    comparison = started()
    finish(comparison, 1.3)
    conclude_ready()
    comparison.refresh_from_db()
    assert comparison.verdict is not None
    assert write_verdict(read_verdict(comparison.verdict)) == comparison.verdict
