"""Rows that look right and are not, and rows that must not be read at all."""

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.analysis.validity import Reason, Validity
from results.ingest.formats import inferencex_agentic
from results.ingest.rows import FormatError, Rejected, Result
from tests.results.ingest.formats import agentic_rows
from tests.results.ingest.formats.folders import source
from tests.results.ingest.formats.test_inferencex_agentic import read, refused

X, F = Validity.INVALID, Validity.FAILED


def nested(path: str, value: Any) -> dict[str, Any]:
    """The row of July 2026 with one leaf changed."""
    row = agentic_rows.nested()
    *steps, last = path.split(".")
    inner = row
    for step in steps:
        inner = inner[step]
    inner[last] = value
    return row


def test_a_row_without_success_is_stored_as_failed() -> None:
    row = nested("num_requests_successful", 0)
    row["request_accounting"] = {"records_dropped_total": 110, "records_warmup_dropped": 12}
    row["request_metrics"]["latency"]["ttft"] = {"mean": 0.0, "p50": 0.0}
    found = read(row)
    assert found.verdict.validity is F
    assert Reason.NO_SUCCESSFUL_REQUEST in found.verdict.reasons
    assert not any(name.startswith(("ttft", "e2e", "interactivity")) for name in found.values)
    assert "total_throughput" not in found.values
    assert (found.values["requests_failed"], found.values["error_rate"]) == (98, 1.0)


def test_a_truncated_row_is_invalid() -> None:
    limit = read(nested("request_metrics.throughput.duration_seconds", 3240.0))
    short = read(nested("request_metrics.throughput.duration_seconds", 3239.9))
    assert limit.verdict.validity is Validity.VALID
    assert (short.verdict.validity, short.verdict.reasons) == (X, (Reason.TRUNCATED,))
    assert read({**agentic_rows.april(), "duration_seconds": 1619.0}).verdict.validity is X


def test_too_many_errors_are_invalid() -> None:
    row = nested("num_requests_successful", 71)
    assert read(row).verdict.reasons == (Reason.ERROR_RATE,)
    assert read(nested("num_requests_successful", 72)).verdict.reasons == ()


def test_a_failed_warm_up_is_no_failed_request() -> None:
    row = agentic_rows.nested()
    row["request_accounting"] |= {"records_dropped_total": 27, "records_warmup_dropped": 27,
                                  "records_error_dropped": 1}  # fmt: skip
    assert read(row).values["requests_failed"] == 0


def test_invalid_power_leaves_no_energy() -> None:
    found = read({**agentic_rows.newest(), "power_valid": 0})
    assert not any("power" in name or "joule" in name or "energy" in name for name in found.values)
    assert not any("power" in name or "joule" in name or "energy" in name for name in found.extra)
    assert "power_valid is 0: no power or energy is taken" in found.notes


@pytest.mark.parametrize("change", [{"power_metric_schema_version": None}, {"power_metric_schema_version": 3},
                                    {"power_valid": None}])  # fmt: skip
def test_power_of_another_meaning_is_not_taken(change: dict[str, Any]) -> None:
    found = read({**agentic_rows.newest(), **change})
    assert "joules_per_output_token" not in found.values
    assert any("joules_per_output_token" in note for note in found.notes)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("none", {"mode": "none"}),
        ("off", {"mode": "none"}),
        ("cpu", {"mode": "dram"}),
        ("dram", {"mode": "dram"}),
        ("hicache", {"mode": "dram", "backend": "hicache"}),
        ("lmcache-mp", {"mode": "dram", "backend": "lmcache-mp"}),
    ],
)
def test_spellings_of_offload(stated: str, expected: dict[str, Any]) -> None:
    assert read({**agentic_rows.early_agentx(), "offloading": stated}).recipe["kv_offload"] == expected


def test_offload_to_a_disk_is_refused() -> None:
    assert "ssd" in refused({**agentic_rows.nested(), "kv_offloading": "ssd"}).reason


def test_what_the_row_does_not_state_is_absent() -> None:
    row = {**agentic_rows.nested(), "hw": "", "conc": 0, "precision": None, "framework": " "}
    for name in ("dataset", "image", "spec_decoding", "kv_offloading", "kv_offload_backend", "is_multinode"):
        del row[name]
    found = read(row)
    assert found.load is None
    assert set(found.recipe) == {"roles", "model"}
    assert "hardware" not in found.recipe["roles"]["serve"]
    assert found.scenario == {"kind": "agentic"}


def test_an_artefact_name_in_place_of_an_image() -> None:
    found = read({**agentic_rows.nested(), "image": "nvcr.io#nvidia/vllm:1"})
    assert found.recipe["engine"]["image"] == "nvcr.io/nvidia/vllm:1"


def test_a_latency_of_zero_is_no_measurement() -> None:
    found = read(nested("request_metrics.latency.itl.p50", 0.0))
    assert "itl_p50" not in found.values
    assert found.values["interactivity_p50"] == 100.0
    assert any("itl.p50" in note for note in found.notes)


def test_a_quotient_beyond_all_numbers_is_absent() -> None:
    row = nested("request_metrics.latency.itl.p50", 5e-324)
    row["request_metrics"]["latency"]["intvty"] = {}
    row["request_metrics"]["throughput"] |= {
        "total": {"tokens_per_second": 1e308},
        "duration_seconds": 5e-324,
    }
    row["request_metrics"]["throughput"]["per_gpu"] = {"total_tput_tps": 5e-324}
    found = read(row)
    assert "interactivity_p50" not in found.values
    assert "request_throughput" not in found.values
    assert found.values["total_throughput_per_gpu"] == 2.5e307


def test_a_share_above_one_is_left_out() -> None:
    found = read(nested("server_metrics.cache.overall_cache_hit_rate", 1.2))
    assert "overall_cache_hit_rate" not in found.values


def test_look_ups_instead_of_tokens_are_no_rate() -> None:
    found = read(nested("server_metrics.tokens.prompt_by_source", {"computed": None}))
    assert "gpu_cache_hit_rate" not in found.values
    assert found.extra["server_metrics.cache.gpu_cache_hit_rate"] == 0.1


def test_unknown_fields_are_kept_under_their_names() -> None:
    found = read({**agentic_rows.nested(), "goodput": 3.5, "deep": {"p99.9_x": 1, "empty": None}})
    assert (found.extra["goodput"], found.extra["deep.p99.9_x"]) == (3.5, 1)
    assert "deep.empty" not in found.extra


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("request_metrics.latency.ttft.p50", float("nan"), "/3/request_metrics/latency/ttft/p50"),
        ("request_metrics.latency.ttft.p50", "fast", "/3/request_metrics/latency/ttft/p50"),
        ("request_metrics.latency.ttft.p50", True, "/3/request_metrics/latency/ttft/p50"),
        ("request_metrics.unknown", float("inf"), "/3/request_metrics/unknown"),
        ("tp", 1.5, "/3/tp"),
        ("tp", -4, "/3/tp"),
        ("disagg", "maybe", "/3/disagg"),
        ("framework", 7, "/3/framework"),
        ("num_requests_successful", 2**60, "/3/num_requests_successful"),
    ],
)
def test_broken_values_lose_their_row_alone(path: str, value: Any, place: str) -> None:
    assert refused(nested(path, value)).pointer == place


def test_nan_in_a_file_loses_the_row_with_its_place(tmp_path: Path) -> None:
    text = json.dumps(agentic_rows.nested()).replace('"p50": 2.0', '"p50": NaN')
    with pytest.raises(FormatError, match="/request_metrics/latency/ttft/p50"):
        list(inferencex_agentic.read(source(tmp_path, text)))


LEAF = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.builds(list),
    st.builds(dict, a=st.just(1)),
)
ROWS = st.sampled_from(
    [
        agentic_rows.april,
        agentic_rows.early_agentx,
        agentic_rows.nested,
        agentic_rows.newest,
        agentic_rows.disaggregated,
    ]
)


@given(ROWS, st.lists(st.tuples(st.integers(0, 200), LEAF), max_size=4))
def test_no_row_raises_anything(build: Any, changes: list[tuple[int, Any]]) -> None:
    row = build()
    for place, value in changes:
        leaves = list(_leaves(row))
        inner, key = leaves[place % len(leaves)]
        inner[key] = value
    for found in inferencex_agentic.read_row(row, ""):
        assert isinstance(found, Result | Rejected)
        if isinstance(found, Result):
            assert all(map(math.isfinite, found.values.values()))
            json.dumps(found.extra, allow_nan=False)


def _leaves(row: dict[str, Any]) -> Any:
    for key, value in row.items():
        yield row, key
        if isinstance(value, dict):
            yield from _leaves(value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
def test_no_bytes_raise_anything_but_ours(tmp_path: Path, content: bytes | str) -> None:
    file = source(tmp_path, content)
    inferencex_agentic.detect(file)
    with suppress(FormatError):
        list(inferencex_agentic.read(file))
