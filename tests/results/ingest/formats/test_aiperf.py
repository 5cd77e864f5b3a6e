import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from results.analysis.validity import Reason, Validity
from results.ingest.formats.aiperf import read_load
from results.ingest.raw_point import UnreadableError
from results.metrics import METRICS
from tests.results.ingest.bundles import DATA, change_json


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA, tmp_path / "c0002"))


def test_a_load_becomes_a_point(folder: Path) -> None:
    point = read_load(folder, gpus=4)
    assert set(point.values) <= set(METRICS)
    assert (point.load, point.planned_window_seconds) == (2, 20)
    assert point.values["requests_total"] == 13
    assert point.values["requests_successful"] == 9
    assert point.values["requests_failed"] == 1
    assert point.values["duration"] == pytest.approx(19.40225)
    assert point.values["ttft_p50"] == pytest.approx(0.20575)
    assert point.values["output_throughput_per_gpu"] == pytest.approx(423 / 19.40225 / 4)
    assert point.values["theoretical_cache_hit_rate"] == 0.84375
    assert point.values["overall_cache_hit_rate"] == pytest.approx(20000 / 25200)
    assert point.extra["errors"] == {"ServerDisconnectedError": 1}
    assert point.extra["records_cancelled"] == 1
    assert point.started_at == datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC)
    assert point.ended_at == datetime(2026, 9, 21, 14, 13, 39, 402250, tzinfo=UTC)


def test_a_short_window_is_diagnostic(folder: Path) -> None:
    verdict = read_load(folder, 1).verdict
    assert verdict.validity is Validity.DIAGNOSTIC
    assert set(verdict.reasons) == {Reason.SHORT_WINDOW, Reason.UNSAFE_OVERRIDE}


@pytest.mark.parametrize(
    ("file", "changes", "validity", "reason"),
    [
        ("profile_export_aiperf.json", {"was_cancelled": True}, Validity.INVALID, Reason.CANCELLED),
        ("profile_export_aiperf.json", {"is_complete": False}, Validity.INVALID, Reason.INCOMPLETE),
        ("load.json", {"returncode": 1}, Validity.INVALID, Reason.INCOMPLETE),
        ("load.json", {"planned_window_seconds": 60}, Validity.INVALID, Reason.TRUNCATED),
        (
            "profile_export_aiperf.json",
            {"skipped_context_overflow_count": {"unit": "requests", "avg": 1.0}},
            Validity.INVALID,
            Reason.CONTEXT_OVERFLOW,
        ),
    ],
)
def test_what_the_client_did_decides_validity(
    folder: Path, file: str, changes: dict[str, Any], validity: Validity, reason: Reason
) -> None:
    change_json(folder / file, **changes)
    verdict = read_load(folder, 1).verdict
    assert verdict.validity is validity
    assert reason in verdict.reasons


def test_no_success_is_a_failed_point(folder: Path) -> None:
    lines = (folder / "profile_export.jsonl").read_text(encoding="utf-8").splitlines()
    errors = [line for line in lines if json.loads(line)["error"]]
    (folder / "profile_export.jsonl").write_text("\n".join(errors), encoding="utf-8")
    point = read_load(folder, 1)
    assert point.verdict.validity is Validity.FAILED
    assert "output_throughput" not in point.values
    (folder / "profile_export.jsonl").write_text("", encoding="utf-8")
    assert read_load(folder, 1).verdict.validity is Validity.FAILED


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("load.json", None, "load.json: is missing"),
        ("load.json", "{}", "load.json: /load: Field required"),
        ("load.json", "{", "load.json: /: Invalid JSON"),
        ("profile_export.jsonl", None, "profile_export.jsonl: the client left no records"),
        ("profile_export.jsonl", '{"metadata', "profile_export.jsonl: line 1: not JSON"),
        ("profile_export_aiperf.json", None, "profile_export_aiperf.json: is missing"),
        ("profile_export_aiperf.json", "[]", "profile_export_aiperf.json: must be an object"),
        ("profile_export_aiperf.json", '{"x": NaN}', "profile_export_aiperf.json: not JSON (NaN"),
    ],
)
def test_what_cannot_be_read_is_named(folder: Path, file: str, content: str | None, complaint: str) -> None:
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableError) as caught:
        read_load(folder, 1)
    assert complaint in str(caught.value)
    assert caught.value.missing == (content is None)


def test_broken_engine_metrics_leave_the_requests_standing(folder: Path) -> None:
    (folder / "telemetry.jsonl").write_text('{"at": 1, "metr', encoding="utf-8")
    (folder / "server_metrics_export.json").write_text("[]", encoding="utf-8")
    point = read_load(folder, 1)
    assert "overall_cache_hit_rate" not in point.values
    assert "ttft_p50" in point.values
    assert set(point.extra["unreadable"]) == {"telemetry.jsonl", "server_metrics_export.json"}


def test_the_clients_phase_exact_counters_win_and_ours_fill_in(folder: Path) -> None:
    def counter(total: float) -> dict[str, Any]:
        return {"type": "counter", "series": [{"labels": {}, "stats": {"total": total}}]}

    export = {
        "metrics": {
            "llamacpp:prompt_tokens": counter(1000.0),
            "llamacpp:prompt_tokens_cached": counter(3000.0),
        }
    }
    (folder / "server_metrics_export.json").write_text(json.dumps(export), encoding="utf-8")
    values = read_load(folder, 1).values
    assert values["overall_cache_hit_rate"] == 0.75
    assert values["generation_tokens"] == 400
    assert values["requests_running_mean"] == 1.5


def test_text_that_the_database_cannot_hold_is_made_storable(folder: Path) -> None:
    change_json(folder / "profile_export_aiperf.json", aiperf_version="0.13\x00")
    assert read_load(folder, 1).extra["client_version"] == "0.13\ufffd"


def test_an_export_too_large_for_memory_is_left_to_our_own_scrapes(folder: Path) -> None:
    with (folder / "server_metrics_export.json").open("wb") as sparse:
        sparse.truncate(65 * 1024 * 1024)
    point = read_load(folder, 1)
    assert "more than 67108864" in point.extra["unreadable"]["server_metrics_export.json"]
    assert point.values["overall_cache_hit_rate"] == pytest.approx(20000 / 25200)
