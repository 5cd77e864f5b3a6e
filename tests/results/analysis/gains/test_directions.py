"""The direction of every registered metric, written down a second time.

A wrong direction breaks nothing and stays unnoticed for years; only a table that knows better finds it.
"""

from dataclasses import replace

import pytest

from results import metrics
from results.analysis.gains.compare import compare
from results.analysis.gains.plan import Plan
from results.analysis.gains.vocabulary import Verdict
from results.metrics import METRICS, Direction
from tests.results.analysis.gains.samples import FIVE, LOAD, plan, ratio_blocks

#: Names without their statistic.
MORE_IS_BETTER = {
    "interactivity", "legacy_interactivity", "e2e_norm_interactivity", "full_response_interactivity",
    "completions_per_second", "request_throughput", "input_throughput", "output_throughput",
    "total_throughput", "input_throughput_per_gpu", "output_throughput_per_gpu", "total_throughput_per_gpu",
    "prefill_input_throughput_per_gpu", "decode_output_throughput_per_gpu", "client_cache_hit_rate",
    "overall_cache_hit_rate", "gpu_cache_hit_rate", "host_cache_hit_rate", "external_cache_hit_rate",
    "frontend_cache_hit_rate", "router_cache_hit_rate", "kv_offload_bandwidth_out", "kv_offload_bandwidth_in",
}  # fmt: skip
LESS_IS_BETTER = {
    "ttft", "e2e_latency", "itl", "tpot", "full_response_itl", "requests_failed", "error_rate",
    "requests_waiting_mean", "preemptions", "gpu_power_mean", "total_power_mean", "gpu_energy",
    "joules_per_request", "joules_per_input_token", "joules_per_output_token", "joules_per_total_token",
}  # fmt: skip
NEITHER = {
    "inter_chunk_latency", "input_tokens", "output_tokens", "duration", "requests_total",
    "requests_successful", "theoretical_cache_hit_rate", "prompt_tokens_computed", "prompt_tokens_cached_gpu",
    "prompt_tokens_cached_host", "generation_tokens", "gpu_kv_usage_max", "host_kv_usage_max",
    "kv_cache_pool_tokens", "requests_running_mean", "kv_offload_bytes_out", "kv_offload_bytes_in",
    "allocated_host_dram_gb",
}  # fmt: skip
DIRECTED = [key for key, metric in METRICS.items() if metric.direction is not Direction.NEUTRAL]
OPPOSITE = {Direction.HIGHER: Direction.LOWER, Direction.LOWER: Direction.HIGHER}
BETTER = {Verdict.GAIN, Verdict.STRONG_GAIN}


def name(key: str) -> str:
    stat = METRICS[key].stat
    return key if stat is None else key.removesuffix(f"_{stat}")


def level(key: str) -> float:
    """Rates of errors stay small, so that no guard stops them; counts stay large."""
    return 0.002 if METRICS[key].unit == "1" and key != "preemptions" else 200.0


def rises_by_a_fifth(key: str) -> Verdict:
    """The value itself rises from A to B, with 1 % of noise."""
    blocks = ratio_blocks([1.2 * (1 + one) for one in FIVE], key, level(key))
    (found,) = compare(blocks, plan(key)).primary
    return found.verdict


@pytest.mark.parametrize("key", METRICS)
def test_the_registry_agrees_with_the_table(key: str) -> None:
    way = METRICS[key].direction
    if METRICS[key].stat == "std":
        assert way is Direction.NEUTRAL
    else:
        tables = {
            Direction.HIGHER: MORE_IS_BETTER,
            Direction.LOWER: LESS_IS_BETTER,
            Direction.NEUTRAL: NEITHER,
        }
        assert {one for one, names in tables.items() if name(key) in names} == {way}


@pytest.mark.parametrize("key", DIRECTED)
def test_more_throughput_is_a_gain_and_more_latency_a_regression(key: str) -> None:
    if name(key) in MORE_IS_BETTER:
        assert rises_by_a_fifth(key) in BETTER
    else:
        assert name(key) in LESS_IS_BETTER
        assert rises_by_a_fifth(key) is Verdict.REGRESSION


@pytest.mark.parametrize("key", DIRECTED)
def test_an_inverted_direction_is_noticed(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inverted = replace(METRICS[key], direction=OPPOSITE[METRICS[key].direction])
    monkeypatch.setitem(metrics.METRICS, key, inverted)
    for check in (
        test_the_registry_agrees_with_the_table,
        test_more_throughput_is_a_gain_and_more_latency_a_regression,
    ):
        with pytest.raises(AssertionError):
            check(key)


@pytest.mark.parametrize("key", DIRECTED)
def test_every_verdict_names_unit_and_direction(key: str) -> None:
    (found,) = compare(ratio_blocks([1.0] * 3, key, level(key)), plan(key, blocks=3)).primary
    assert (found.unit, found.direction) == (METRICS[key].unit, METRICS[key].direction)


@pytest.mark.parametrize("key", [key for key in METRICS if key not in DIRECTED])
def test_a_metric_without_direction_has_no_verdict(key: str) -> None:
    with pytest.raises(ValueError, match=f"metrics: {key} has no better direction"):
        Plan((key,), (LOAD,))
    assert not any(
        one.metric == key for one in compare(ratio_blocks([1.1] * 5, key, level(key)), plan()).exploratory
    )
