"""Log lines and records as AIPerf 0.13.0 wrote them against servers that fail."""

import json
from pathlib import Path

import pytest

from results.documents.failures import FailureClass
from workers.clients.aiperf import RECORDS
from workers.clients.aiperf_failure import failure

OVERRIDE = (
    "07:18:51.409 WARNING  Scenario violation (override active): --benchmark-duration (validator.py:113)\n"
)
WARMUP = (
    "07:18:57.999 WARNING  Terminal warmup failure for trace cpu-8k-0001; aborting run early"
    " (requesting PROFILE_CANCEL). (callback_handler.py:347)\n"
)
EMPTY = "07:18:58.773 ERROR    No profile results to export (system_controller.py:2350)\n"
NOT_FOUND = {"code": 404, "type": "Not Found", "message": '{"error": {"message": "The model\\n is unknown"}}'}


def record(error: object) -> str:
    metadata = {"request_start_ns": 1, "request_end_ns": 2, "benchmark_phase": "profiling"}
    return json.dumps({"metadata": metadata, "metrics": {}, "error": error}) + "\n"


def folder(path: Path, log: str, records: str | None = None) -> Path:
    (path / "client.log").write_text(log)
    if records is not None:
        (path / RECORDS).write_text(records)
    return path


def test_the_servers_answer_comes_first_then_what_the_client_did(tmp_path: Path) -> None:
    found = failure(folder(tmp_path, OVERRIDE + WARMUP + EMPTY, record(NOT_FOUND)), "warmup", 1)
    assert found.failure == FailureClass.WARMUP
    assert found.line == (
        'client: HTTP 404 Not Found: {"error": {"message": "The model\\n is unknown"}} (1 of 1 requests);'
        " Terminal warmup failure for trace cpu-8k-0001; aborting run early (requesting PROFILE_CANCEL)."
        " (exit code 1, phase warmup)"
    )


def test_a_failed_warm_up_is_one_even_when_the_client_went_on_to_profile(tmp_path: Path) -> None:
    assert failure(folder(tmp_path, WARMUP + EMPTY), "drain", 1).failure == FailureClass.WARMUP


def test_the_most_frequent_error_is_named_with_its_count(tmp_path: Path) -> None:
    other = {"code": None, "type": "ServerDisconnectedError", "message": "Server disconnected"}
    records = record(NOT_FOUND) + record(None) + 2 * record(other) + '{"metadata": {"cut'
    line = failure(folder(tmp_path, EMPTY, records), "profile", 1).line
    assert "client: ServerDisconnectedError: Server disconnected (2 of 4 requests); No profile" in line


def test_without_records_the_first_error_of_the_log_is_the_cause(tmp_path: Path) -> None:
    found = failure(folder(tmp_path, OVERRIDE + EMPTY), "profile", 1)
    assert found.failure == FailureClass.CLIENT
    assert found.line == "client: No profile results to export (exit code 1, phase profile)"


@pytest.mark.parametrize("text", ["OSError: [Errno 28] No space left on device: 'x'", "[Errno 28] writing"])
def test_a_full_disk_is_told_apart(tmp_path: Path, text: str) -> None:
    assert failure(folder(tmp_path, EMPTY + text), "profile", 1).failure == FailureClass.DISK_FULL


def test_a_traceback_is_told_by_its_last_line(tmp_path: Path) -> None:
    log = (
        "Traceback (most recent call last):\n  File \"x.py\"\nModuleNotFoundError: No module named 'aiperf'\n"
    )
    assert (
        "client: ModuleNotFoundError: No module named 'aiperf' ("
        in failure(folder(tmp_path, log), "", 1).line
    )


def test_no_log_at_all(tmp_path: Path) -> None:
    assert failure(tmp_path, "prepare", 137).line == "client: no output (exit code 137, phase prepare)"
