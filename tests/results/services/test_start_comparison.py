"""A plan becomes interleaved runs on one host, in the order that it declares."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results import clock
from results.documents.comparison import ComparisonPlan
from results.documents.refusal import DocumentError
from results.models import Comparison, Host, Run, Scenario
from results.services.start_comparison import extend_comparison, read_plan, start_comparison
from tests.factories import catalogue, run_json

pytestmark = pytest.mark.django_db


def plan_json(**changes: Any) -> dict[str, Any]:
    run = run_json()
    return {
        "title": "host tier on",
        "baseline": run["recipe"],
        "candidate": {**run["recipe"], "arguments": {"parallel": 2, "cache_ram_mib": 512}},
        "scenario": run["scenario"],
        "loads": [1, 2],
        "metrics": ["request_throughput", "ttft_p50"],
        "blocks": 3,
        "client": run["client"],
    } | changes


def host(name: str = "bench", **columns: Any) -> Host:
    now = clock.now()
    values = {"hardware_slugs": ["cpu"], "engines": ["llamacpp"], "first_seen_at": now, "last_seen_at": now}
    return Host.objects.create(name=name, **(values | columns))


def started(**changes: Any) -> Comparison:
    catalogue()
    host()
    return start_comparison(plan=read_plan(plan_json(**changes)))


def test_every_block_has_both_arms_next_to_each_other_on_one_host() -> None:
    comparison = started()
    members = list(comparison.members.select_related("run__host").order_by("position"))
    assert [member.block for member in members] == [1, 1, 2, 2, 3, 3]
    assert all({a.arm, b.arm} == {"A", "B"} for a, b in zip(members[::2], members[1::2], strict=True))
    assert {member.run.host.name for member in members if member.run.host} == {"bench"}
    queued = Run.objects.order_by("created_at").values_list("id", flat=True)
    assert list(queued) == [member.run_id for member in members]


def test_arms_of_a_block_share_the_client_seed_and_blocks_do_not() -> None:
    seeds: dict[int, set[int]] = {}
    for member in started().members.select_related("run"):
        assert member.run.document is not None
        seeds.setdefault(member.block, set()).add(member.run.document["client"]["seed"])
    assert all(len(of_block) == 1 for of_block in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds)


def test_recipes_and_scenario_are_those_of_the_runs() -> None:
    comparison = started()
    for member in comparison.members.select_related("run"):
        expected = comparison.baseline_id if member.arm == "A" else comparison.candidate_id
        assert member.run.recipe_id == expected
    assert comparison.scenario == Scenario.objects.get()


def test_the_same_recipe_twice_is_an_a_a_comparison() -> None:
    plan = plan_json()
    comparison = started(candidate=plan["baseline"])
    assert comparison.baseline_id == comparison.candidate_id


def test_a_plan_is_extended_once_and_only_where_it_says_so() -> None:
    comparison = started(extend_once=True)
    assert extend_comparison(comparison=comparison)
    assert not extend_comparison(comparison=comparison)
    assert sorted({member.block for member in comparison.members.all()}) == [1, 2, 3, 4, 5, 6]
    other = start_comparison(plan=read_plan(plan_json(title="fixed")))
    assert not extend_comparison(comparison=other)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"metrics": ["input_tokens_p50"]}, "/metrics"),
        ({"metrics": ["speed"]}, "/metrics"),
        ({"metrics": ["ttft_p50"] * 2}, "/metrics"),
        ({"frontier": {"x": "interactivity_p50", "y": "duration"}}, "/frontier/y"),
        ({"loads": [2, 1]}, "/loads"),
        ({"sesoi": {"itl_p50": 0.1}}, ""),
        ({"blocks": 2}, "/blocks"),
    ],
)
def test_a_bad_plan_is_refused_at_its_place(changes: dict[str, Any], pointer: str) -> None:
    with pytest.raises(DocumentError) as refusal:
        read_plan(plan_json(**changes))
    assert refusal.value.problems[0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("arm", "change", "pointer"),
    [
        ("baseline", {"engine": {"name": "sglang", "version": "1"}}, "/baseline/engine/name"),
        ("candidate", {"arguments": {"parallel": 0}}, "/candidate/arguments/parallel"),
        ("candidate", {"model": {"name": "nobody"}}, "/candidate/model/name"),
    ],
)
def test_an_arm_that_cannot_run_is_refused_inside_the_plan(
    arm: str, change: dict[str, Any], pointer: str
) -> None:
    catalogue()
    host()
    plan = plan_json()
    plan[arm] = {**plan[arm], **change}
    with pytest.raises(DocumentError) as refusal:
        start_comparison(plan=read_plan(plan))
    assert refusal.value.problems[0]["pointer"] == pointer
    assert not Run.objects.exists()


def test_without_a_fitting_host_nothing_is_queued() -> None:
    catalogue()
    host(engines=["vllm"])
    with pytest.raises(DocumentError) as refusal:
        start_comparison(plan=read_plan(plan_json()))
    assert refusal.value.problems[0]["pointer"] == "/host"
    assert not Run.objects.exists()


@given(st.integers(0, 2**31 - 1), st.integers(3, 8))
def test_an_extension_goes_on_where_the_plan_ended(seed: int, blocks: int) -> None:
    plan = ComparisonPlan.model_validate(plan_json(seed=seed, blocks=blocks))
    numbers = [block.number for block, _arm in plan.order() + plan.order(extension=True)]
    assert numbers == [number for number in range(1, 2 * blocks + 1) for _arm in "AB"]


def test_arguments_that_differ_between_the_arms_are_declared() -> None:
    plan = ComparisonPlan.model_validate(plan_json())
    assert plan.analysis().declared_changes == {"cache_ram_mib"}
