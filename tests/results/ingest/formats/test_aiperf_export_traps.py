"""Exports that are damaged, odd or hostile."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.analysis.validity import Reason, Validity
from results.ingest.formats import aiperf_export
from results.ingest.rows import FormatError, Remark, Result
from tests.results.ingest.formats import aiperf_files
from tests.results.ingest.formats.aiperf_files import write
from tests.results.ingest.formats.folders import source, stored
from tests.results.ingest.formats.test_aiperf_export import SUMMARY, point

sharing = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def changed(**changes: Any) -> dict[str, Any]:
    return {**aiperf_files.summary(), **changes}


@pytest.mark.parametrize(
    ("change", "validity", "reasons"),
    [
        ({"error_request_count": None}, Validity.VALID, ()),
        ({"was_cancelled": True, "error_request_count": None}, Validity.INVALID, (Reason.CANCELLED,)),
        ({"is_complete": False, "error_request_count": None}, Validity.INVALID, (Reason.INCOMPLETE,)),
        ({"end_time": "2026-07-09T10:00:00", "error_request_count": None}, Validity.INVALID,
         (Reason.TRUNCATED,)),
        ({"skipped_context_overflow_count": {"avg": 1.0}, "error_request_count": None}, Validity.INVALID,
         (Reason.CONTEXT_OVERFLOW,)),
        ({"metadata": {"submission_invalid_reasons": ["insufficient_profile_metric_coverage"]},
          "error_request_count": None}, Validity.INVALID, (Reason.COVERAGE,)),
    ],
)  # fmt: skip
def test_the_client_decides_validity_too(
    change: dict[str, Any], validity: Validity, reasons: tuple[Reason, ...], tmp_path: Path
) -> None:
    verdict = point(write(tmp_path, summary=changed(**change))).verdict
    assert (verdict.validity, verdict.reasons) == (validity, reasons)


def test_no_answer_at_all_is_stored_as_failed(tmp_path: Path) -> None:
    found = point(write(tmp_path, summary=changed(request_count={"unit": "requests", "avg": 0.0})))
    assert found.verdict.validity is Validity.FAILED
    assert found.values == {"requests_successful": 0, "requests_failed": 1, "error_rate": 1.0}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"time_to_first_token": {"unit": "ms", "avg": "fast"}}, "/time_to_first_token/avg"),
        ({"time_to_first_token": {"unit": "ms", "avg": -1.0}}, "/time_to_first_token/avg"),
        ({"time_to_first_token": {"unit": "hours", "avg": 1.0}}, "/time_to_first_token/unit"),
        ({"benchmark_duration": {"unit": "", "avg": 1.0}}, "/benchmark_duration/unit"),
        ({"request_count": {"avg": True}}, "/request_count/avg"),
        ({"request_latency": {"unit": "ms", "p50": float("inf")}}, "/request_latency/p50"),
    ],
)
def test_a_broken_figure_is_named(change: dict[str, Any], place: str, tmp_path: Path) -> None:
    file = source(tmp_path, json.dumps(changed(**change)), SUMMARY)
    with pytest.raises(FormatError) as refusal:
        list(aiperf_export.read(file))
    assert refusal.value.pointer == place


@pytest.mark.parametrize("unit", [("s", 0.9375), ("sec", 0.9375), ("us", 937500.0), ("ns", 937500000.0)])
def test_units_become_seconds(unit: tuple[str, float], tmp_path: Path) -> None:
    name, average = unit
    file = changed(time_to_first_token={"unit": name, "avg": average})
    assert point(write(tmp_path, summary=file)).values["ttft_mean"] == pytest.approx(0.9375)


@pytest.mark.parametrize(
    "config",
    [
        None,
        {"loadgen": {"concurrency": [1, 2], "benchmark_duration": "1h"}},
        {"phases": [{"kind": "profiling", "concurrency": 1}, {"kind": "profiling", "concurrency": 2}]},
        {"endpoint": {"model_names": ["a", "b"]}, "loadgen": {"concurrency": True}},
        {"models": {"items": "x"}, "phases": {"kind": "profiling"}, "datasets": [7]},
    ],
)
def test_what_is_not_stated_once_is_not_stated(config: Any, tmp_path: Path) -> None:
    found = point(write(tmp_path, summary=changed(input_config=config, metadata=None)))
    assert (found.recipe, found.scenario, found.load) == ({}, {}, None)


def test_a_quotient_beyond_all_numbers_is_absent(tmp_path: Path) -> None:
    document = changed(
        benchmark_duration={"unit": "sec", "avg": 1e-320}, request_latency={"unit": "ms", "avg": 1}
    )
    document["inter_token_latency"] = {"unit": "s", "p50": 5e-324}
    values = point(write(tmp_path, summary=document)).values
    assert "request_throughput" not in values
    assert "interactivity_p50" not in values
    assert values["e2e_latency_mean"] == 0.001


def test_a_broken_cell_of_the_table_is_named(tmp_path: Path) -> None:
    file = source(tmp_path, aiperf_files.TABLE.replace("937.50", "fast"), "t.csv")
    with pytest.raises(FormatError, match="line 5"):
        list(aiperf_export.read(file))


def test_a_gigabyte_of_time_slices_is_not_kept(tmp_path: Path) -> None:
    document = aiperf_files.server()
    slices = [{"start_ns": place, "total": 1.0} for place in range(20_000)]
    document["metrics"]["vllm:prompt_tokens_by_source"]["series"][0]["timeslices"] = slices
    write(tmp_path, summary=aiperf_files.summary(), server=document)
    assert point(tmp_path).values["gpu_cache_hit_rate"] == 0.7


LEAF = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.builds(list),
                 st.builds(lambda: [{}]), st.builds(dict, a=st.just(1)))  # fmt: skip


@sharing
@given(st.lists(st.tuples(st.integers(0, 300), LEAF), min_size=1, max_size=4), st.booleans())
def test_no_summary_raises_anything_but_ours(
    tmp_path: Path, changes: list[tuple[int, Any]], newest: bool
) -> None:
    document = aiperf_files.newest() if newest else aiperf_files.summary()
    for place, value in changes:
        leaves = list(_leaves(document))
        inner, key = leaves[place % len(leaves)]
        inner[key] = value
    file = source(tmp_path, json.dumps(document), SUMMARY)
    if aiperf_export.detect(file) is not None:
        with suppress(FormatError):
            assert all(isinstance(row, Result | Remark) for row in aiperf_export.read(file))


def _leaves(value: dict[str, Any]) -> Any:
    for key, inner in value.items():
        yield value, key
        if isinstance(inner, dict):
            yield from _leaves(inner)


@sharing
@given(st.sampled_from([aiperf_files.TABLE, aiperf_files.SERVER_TABLE, aiperf_files.jsonl()]),
       st.integers(0, 2000), st.text(max_size=4), st.booleans())  # fmt: skip
def test_no_damage_raises_anything_but_ours(
    tmp_path: Path, text: str, place: int, inserted: str, cut: bool
) -> None:
    at = place % len(text)
    damaged = text[:at] + inserted + ("" if cut else text[at + 1 :])
    file = source(tmp_path, damaged.encode("utf-8", "surrogatepass"), "damaged")
    aiperf_export.detect(file)
    with suppress(FormatError):
        list(aiperf_export.read(file))
    beside = source(tmp_path, json.dumps(aiperf_files.summary()), SUMMARY)
    (tmp_path / "server_metrics_export.csv").write_bytes(damaged.encode("utf-8", "surrogatepass"))
    list(aiperf_export.read(stored(beside.location)))


@sharing
@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_ours(tmp_path: Path, content: bytes) -> None:
    file = source(tmp_path, content)
    aiperf_export.detect(file)
    with suppress(FormatError):
        list(aiperf_export.read(file))
