import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from results.analysis.validity import Reason, Validity
from results.ingest.formats import aiperf_export
from results.ingest.rows import Remark, Result
from results.metrics import METRICS
from tests.results.ingest.formats import aiperf_files
from tests.results.ingest.formats.aiperf_files import write
from tests.results.ingest.formats.folders import source, stored

SUMMARY = "profile_export_aiperf.json"


def point(folder: Path, name: str = SUMMARY) -> Result:
    (found,) = aiperf_export.read(stored(folder / name))
    assert isinstance(found, Result), found
    assert set(found.values) <= set(METRICS)
    assert not any(name.endswith("_per_gpu") for name in found.values)
    return found


@pytest.mark.parametrize(
    ("part", "content", "version"),
    [
        ("summary", aiperf_files.summary(), "profile_export_aiperf.json 1.2"),
        ("summary", aiperf_files.newest(), "profile_export_aiperf.json 1.4"),
        ("summary", aiperf_files.synthetic(), "profile_export_aiperf.json 1.0"),
        ("records", aiperf_files.jsonl(), "profile_export.jsonl 0"),
        ("records", aiperf_files.jsonl(aiperf_files.records()[:1]), "profile_export.jsonl 0"),
        ("table", aiperf_files.TABLE, "profile_export_aiperf.csv 0"),
        ("server", aiperf_files.server(), "server_metrics_export.json 1.0"),
        ("server_table", aiperf_files.SERVER_TABLE, "server_metrics_export.csv 1.0"),
        ("slices", {"timeslices": [{"start_ns": 1}]}, "profile_export_aiperf_timeslices.json 0"),
        (
            "slices",
            "Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value\n",
            "profile_export_aiperf_timeslices.csv 0",
        ),
    ],
)
def test_the_content_tells_the_part(part: str, content: Any, version: str, tmp_path: Path) -> None:
    (file,) = write(tmp_path, **{part: content}).iterdir()
    assert aiperf_export.detect(stored(file)) == version
    assert aiperf_export.detect(stored(file.rename(tmp_path / "other.bin"))) == version


@pytest.mark.parametrize(
    "content",
    [{"request_throughput": {"unit": "requests/sec", "avg": 1.0}, "input_config": {}}, "a,b\n", b"", [1]],
)
def test_other_files_are_not_taken(content: Any, tmp_path: Path) -> None:
    assert aiperf_export.detect(source(tmp_path, content)) is None


def test_records_decide_where_every_request_has_one(tmp_path: Path) -> None:
    write(tmp_path, summary=aiperf_files.summary(), records=aiperf_files.jsonl())
    found = point(tmp_path)
    assert found.recipe == {"model": {"name": "amd/Kimi-K2.7-Code-MXFP4"}}
    assert found.scenario == {"kind": "agentic", "corpus": "semianalysis_cc_traces_weka_062126_256k"}
    assert (found.load, found.planned_window_seconds, found.flags) == (8, 3600, ())
    values = found.values
    assert (values["requests_total"], values["requests_successful"], values["requests_failed"]) == (6, 4, 1)
    assert values["ttft_p50"] == pytest.approx(0.75)
    assert values["itl_p50"] == pytest.approx(0.03)
    assert values["interactivity_p50"] == pytest.approx(1 / 0.03)
    assert values["input_throughput"] == pytest.approx(10000 / 3600)
    assert values["theoretical_cache_hit_rate"] == 0.925
    # 1 / mean of (2.5/101, 5/201, 4.25/101, 5/31)
    assert values["e2e_norm_interactivity_mean"] == pytest.approx(4 / (6.75 / 101 + 5 / 201 + 5 / 31))
    assert found.extra["errors"] == {"Unavailable": 1}
    assert found.extra["records_warmup"] == 1
    assert found.started_at == datetime(2026, 9, 21, 14, 13, 10, tzinfo=UTC)
    assert found.measured_at == found.started_at
    # One error of five answers is above ten percent.
    assert found.verdict.reasons == (Reason.ERROR_RATE,)


def test_without_records_the_summary_decides(tmp_path: Path) -> None:
    document = aiperf_files.summary()
    del document["error_request_count"]
    found = point(write(tmp_path, summary=document))
    values = found.values
    assert (values["ttft_mean"], values["ttft_p50"], values["ttft_std"]) == (0.9375, 0.75, 0.6645)
    assert (values["itl_p90"], values["tpot_p90"]) == (0.082, 0.082)
    assert values["interactivity_p90"] == pytest.approx(1 / 0.082)
    assert "interactivity_std" not in values
    # Tokens over the measured duration, not the client's own throughput.
    assert values["output_throughput"] == 434 / 3600
    assert values["request_throughput"] == 4 / 3600
    assert "requests_total" not in values
    assert "e2e_norm_interactivity_p90" not in values
    assert (found.verdict.validity, found.ended_at) == (
        Validity.VALID,
        datetime(2026, 9, 21, 15, 13, 10, tzinfo=UTC),
    )


def test_incomplete_records_do_not_stand_for_the_run(tmp_path: Path) -> None:
    write(tmp_path, summary=aiperf_files.summary(), records=aiperf_files.jsonl(aiperf_files.records()[:3]))
    found = point(tmp_path)
    assert found.flags == ("records_incomplete",)
    assert found.notes == ("2 successful records of 4 requests: the client's summary is taken",)
    assert found.values["requests_successful"] == 4


def test_broken_records_leave_the_summary(tmp_path: Path) -> None:
    write(tmp_path, summary=aiperf_files.summary(), records=aiperf_files.jsonl() + '{"metadata": {')
    found = point(tmp_path)
    assert "line 7" in found.notes[0]
    assert found.values["ttft_mean"] == 0.9375


def test_schema_1_4(tmp_path: Path) -> None:
    found = point(write(tmp_path, summary=aiperf_files.newest()))
    assert found.recipe == {"model": {"name": "northstar-tiny"}}
    # The data set is a path, which says nothing to anybody else.
    assert found.scenario == {"kind": "agentic"}
    assert (found.load, found.planned_window_seconds) == (2, 600)
    assert found.values["client_cache_hit_rate"] == 0.75
    assert found.verdict.validity is Validity.INVALID
    assert set(found.verdict.reasons) == {Reason.ERROR_RATE, Reason.SHORT_WINDOW, Reason.UNSAFE_OVERRIDE}


def test_fixed_lengths_have_rules_of_their_own(tmp_path: Path) -> None:
    found = point(write(tmp_path, summary=aiperf_files.synthetic()))
    assert found.scenario == {"kind": "fixed", "isl": 1024, "osl": 128}
    assert (found.load, found.verdict.rules_version) == (4, "fixed-1")


def test_the_first_versions_kept_metrics_under_a_key(tmp_path: Path) -> None:
    document = aiperf_files.summary()
    metrics = {name: document.pop(name) for name in list(document) if "unit" in (document[name] or "")}
    del document["schema_version"]
    found = point(write(tmp_path, summary={**document, "records": metrics}))
    assert found.values["ttft_mean"] == 0.9375


def test_a_table_alone_is_a_rounded_point(tmp_path: Path) -> None:
    found = point(write(tmp_path, table=aiperf_files.TABLE), "profile_export_aiperf.csv")
    assert (found.values["ttft_p50"], found.values["itl_std"]) == (0.75, 0.03279)
    assert found.values["total_throughput"] == 10434 / 3600
    assert found.values["theoretical_cache_hit_rate"] == 0.925
    assert (found.flags, found.recipe, found.load) == (("rounded",), {}, None)


def test_records_alone_are_a_point_without_a_window(tmp_path: Path) -> None:
    found = point(write(tmp_path, records=aiperf_files.jsonl()), "profile_export.jsonl")
    assert found.values["requests_total"] == 6
    assert (found.planned_window_seconds, found.recipe, found.scenario) == (None, {}, {})


@pytest.mark.parametrize("names", [("summary", "records"), ("records", "table"), ("summary", "table")])
def test_a_folder_is_one_point(names: tuple[str, str], tmp_path: Path) -> None:
    contents = {
        "summary": aiperf_files.summary(),
        "records": aiperf_files.jsonl(),
        "table": aiperf_files.TABLE,
    }
    write(tmp_path, **{name: contents[name] for name in names}, server=aiperf_files.server(),
          server_table=aiperf_files.SERVER_TABLE, slices={"timeslices": []})  # fmt: skip
    rows = [row for file in sorted(tmp_path.iterdir()) for row in aiperf_export.read(stored(file))]
    assert sum(isinstance(row, Result) for row in rows) == 1
    remarks = [row.text for row in rows if isinstance(row, Remark)]
    better = SUMMARY if "summary" in names else "profile_export.jsonl"
    assert remarks == [f"read together with {better}"] * 4


def test_files_of_one_prefix_belong_together(tmp_path: Path) -> None:
    (tmp_path / "r7_aiperf.json").write_text(json.dumps(aiperf_files.summary()))
    (tmp_path / "r7.jsonl").write_text(aiperf_files.jsonl())
    (found,) = aiperf_export.read(stored(tmp_path / "r7_aiperf.json"))
    assert isinstance(found, Result)
    assert found.values["requests_total"] == 6


@pytest.mark.parametrize("part", ["server", "server_table", "slices"])
def test_parts_without_requests_make_no_point(part: str, tmp_path: Path) -> None:
    contents = {"server": aiperf_files.server(), "server_table": aiperf_files.SERVER_TABLE,
                "slices": {"timeslices": []}}  # fmt: skip
    (file,) = write(tmp_path, **{part: contents[part]}).iterdir()
    (found,) = aiperf_export.read(stored(file))
    assert isinstance(found, Remark)


def test_engine_counters_come_from_either_export(tmp_path: Path) -> None:
    write(tmp_path, summary=aiperf_files.summary(), server_table=aiperf_files.SERVER_TABLE)
    values = point(tmp_path).values
    assert (values["gpu_cache_hit_rate"], values["external_cache_hit_rate"]) == (0.7, 0.2)
    assert (values["prompt_tokens_computed"], values["generation_tokens"]) == (1000, 434)
    assert (values["gpu_kv_usage_max"], values["requests_running_mean"]) == (0.75, 2.5)
    # Two engines of 100 and 50 blocks of 16 tokens.
    assert values["kv_cache_pool_tokens"] == 2400
    write(tmp_path, server=aiperf_files.server())
    assert point(tmp_path).values["gpu_kv_usage_max"] == 0.7531


def test_unreadable_engine_counters_cost_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, summary=aiperf_files.summary(), server='{"summary": {"endpoint_info": {}}, "metrics": {')
    found = point(tmp_path)
    assert "gpu_cache_hit_rate" not in found.values
    assert found.notes[-1].startswith("server_metrics_export.json cannot be read")
