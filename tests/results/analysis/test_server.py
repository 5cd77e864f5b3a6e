from typing import Any

import pytest

from results.analysis.series import Scrape, Window
from results.analysis.server import server_metrics, theoretical_hit_rate
from results.analysis.server_export import ServerExport
from results.metrics import METRICS


def between(before: dict[str, float], after: dict[str, float]) -> Window:
    return Window([Scrape(0.0, before), Scrape(1.0, after)], 0, 1)


def by_source(compute: float, local: float, external: float) -> dict[str, float]:
    name = "vllm:prompt_tokens_by_source_total"
    return {
        f'{name}{{source="local_compute"}}': compute,
        f'{name}{{source="local_cache_hit"}}': local,
        f'{name}{{source="external_kv_transfer"}}': external,
    }


def test_llamacpp_hit_rate_is_cached_over_cached_and_computed() -> None:
    before = {"llamacpp:prompt_tokens_total": 1000.0, "llamacpp:prompt_tokens_cached_total": 500.0}
    after = {"llamacpp:prompt_tokens_total": 1300.0, "llamacpp:prompt_tokens_cached_total": 1200.0}
    found = server_metrics(between(before, after))
    assert found["overall_cache_hit_rate"] == pytest.approx(0.7)
    assert found["prompt_tokens_computed"] == 300
    assert "gpu_cache_hit_rate" not in found
    assert "host_cache_hit_rate" not in found


def test_llamacpp_without_a_cache_counter_has_no_hit_rate() -> None:
    before, after = {"llamacpp:prompt_tokens_total": 0.0}, {"llamacpp:prompt_tokens_total": 90.0}
    assert server_metrics(between(before, after)) == {"prompt_tokens_computed": 90.0}


def test_an_idle_engine_has_no_hit_rate() -> None:
    level = {"llamacpp:prompt_tokens_total": 7.0, "llamacpp:prompt_tokens_cached_total": 3.0}
    assert "overall_cache_hit_rate" not in server_metrics(between(level, level))


def test_vllm_hit_rates_come_from_prompt_tokens_by_source() -> None:
    found = server_metrics(between(by_source(100, 50, 0), by_source(400, 650, 100)))
    assert found["overall_cache_hit_rate"] == pytest.approx(0.7)
    assert found["gpu_cache_hit_rate"] == pytest.approx(0.6)
    assert found["external_cache_hit_rate"] == pytest.approx(0.1)
    assert found["prompt_tokens_computed"] == 300
    assert found["prompt_tokens_cached_host"] == 100
    assert "host_cache_hit_rate" not in found


def test_lookups_of_waiting_requests_never_reach_a_hit_rate() -> None:
    # 186 M look-ups for 1,000 prompt tokens: what a queue of waiting requests does to these counters.
    trap = {"vllm:prefix_cache_queries_total": 186e6, "vllm:prefix_cache_hits_total": 2e6}
    before = {
        **by_source(0, 0, 0),
        "vllm:prefix_cache_queries_total": 0.0,
        "vllm:prefix_cache_hits_total": 0.0,
    }
    with_trap = server_metrics(between(before, {**by_source(1000, 0, 0), **trap}))
    assert with_trap == server_metrics(between(by_source(0, 0, 0), by_source(1000, 0, 0)))
    assert with_trap["gpu_cache_hit_rate"] == 0
    alone = between({"vllm:prefix_cache_queries_total": 0.0, "vllm:prefix_cache_hits_total": 0.0}, trap)
    assert server_metrics(alone) == {}


def test_vllm_tiers_where_the_engine_tells_them_apart() -> None:
    tier = "vllm:prompt_tokens_cached_by_source_total"
    before = {**by_source(0, 0, 0), f'{tier}{{source="device"}}': 0.0}
    after = {
        **by_source(100, 600, 300),
        f'{tier}{{source="device"}}': 600.0,
        f'{tier}{{source="host"}}': 300.0,
    }
    found = server_metrics(between(before, after))
    assert found["gpu_cache_hit_rate"] == pytest.approx(0.6)
    assert found["host_cache_hit_rate"] == pytest.approx(0.3)
    assert found["overall_cache_hit_rate"] == pytest.approx(0.9)


def test_offload_traffic_pool_and_load() -> None:
    def level(moved: float, seconds: float, running: float, waiting: float, usage: float) -> dict[str, float]:
        return {
            'vllm:kv_offload_total_bytes_total{transfer_type="CPU_to_GPU"}': moved,
            'vllm:kv_offload_total_time_total{transfer_type="CPU_to_GPU"}': seconds,
            "vllm:num_requests_running": running,
            "vllm:num_requests_waiting": waiting,
            "vllm:kv_cache_usage_perc": usage,
            'vllm:cache_config_info{num_gpu_blocks="100",block_size="16"}': 1.0,
        }

    found = server_metrics(between(level(10, 1, 2, 0, 0.5), level(90, 3, 4, 5, 0.25)))
    assert found == {
        "kv_offload_bytes_in": 80,
        "kv_offload_bandwidth_in": 40,
        "requests_running_mean": 3,
        "requests_waiting_mean": 2.5,
        "gpu_kv_usage_max": 0.5,
        "kv_cache_pool_tokens": 1600,
    }
    assert set(found) <= set(METRICS)


def series(labels: dict[str, str], **stats: float) -> dict[str, Any]:
    return {"endpoint_url": "http://localhost/metrics", "labels": labels, "stats": stats}


def test_the_clients_own_export_answers_the_same_questions() -> None:
    document = {
        "metrics": {
            "vllm:prompt_tokens_by_source": {
                "type": "counter",
                "series": [
                    series({"source": "local_compute"}, total=300.0, rate=3.0),
                    series({"source": "local_cache_hit"}, total=600.0, rate=6.0),
                    series({"source": "external_kv_transfer"}, total=100.0, rate=1.0),
                ],
            },
            "vllm:num_requests_running": {
                "type": "gauge",
                "series": [series({"engine": "0"}, avg=1.5, max=2), series({"engine": "1"}, avg=1.0, max=4)],
            },
            "vllm:kv_cache_usage_perc": {"type": "gauge", "series": [series({}, avg=0.2, max=0.9)]},
        }
    }  # fmt: skip
    found = server_metrics(ServerExport(document))
    assert found["overall_cache_hit_rate"] == pytest.approx(0.7)
    assert found["requests_running_mean"] == 2.5
    assert found["gpu_kv_usage_max"] == 0.9


@pytest.mark.parametrize("document", [None, [], {}, {"metrics": []}])
def test_an_export_without_metrics_is_refused(document: Any) -> None:
    with pytest.raises(ValueError, match="metrics must be an object"):
        ServerExport(document)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"unit": "%", "avg": 92.8, "count": 295295, "sum": 273995}, 273995 / 295295),
        ({"unit": "%", "avg": 80.0}, 0.8),
        ({"unit": "%", "avg": 80.0, "count": 0, "sum": 0}, 0.8),
        ({"unit": "ratio", "avg": 0.8}, None),
        ({"unit": "%", "avg": "80"}, None),
        ("80 %", None),
        (None, None),
    ],
)
def test_theoretical_hit_rate(entry: Any, expected: float | None) -> None:
    assert theoretical_hit_rate({"theoretical_prefix_cache_hit": entry}) == expected
    assert theoretical_hit_rate({}) is None
