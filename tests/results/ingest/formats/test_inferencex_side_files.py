"""Job counts, changelogs, and files that state no number of their own."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from results.ingest.formats import aiperf_inputs, inferencex_changes, inferencex_jobs, inferencex_reuse
from results.ingest.rows import Change, FormatError, Rejected, Reliability, Remark
from tests.results.ingest.sources import source_of

DAY = datetime(2026, 5, 4, tzinfo=UTC)


def daily(hardware: str, succeeded: Any, total: Any, date: str = "2026-05-04") -> dict[str, Any]:
    return {"hardware": hardware, "date": date, "n_success": succeeded, "total": total}


def test_rows_of_one_day_are_summed_and_bad_ones_refused() -> None:
    rows = [
        daily("b200", 1, 72),
        daily("h100", 5, 5),
        daily("b200", 5, 5),
        daily("b200", 6, 5),
        daily("", 1, 1),
    ]
    source = source_of(json.dumps(rows))
    assert inferencex_jobs.detect(source) == "daily"
    found = list(inferencex_jobs.read(source))
    assert [row.pointer for row in found if isinstance(row, Rejected)] == ["/3/n_success", "/4/hardware"]
    assert [row for row in found if isinstance(row, Reliability)] == [
        Reliability("/0", "b200", 6, 77, DAY),
        Reliability("/1", "h100", 5, 5, DAY),
    ]
    assert found[-1] == Remark("", "3 rows of single runs summed to 2 of a hardware and a day")


def test_the_statistics_of_one_run() -> None:
    stats = {"b200-dgxc": {"n_success": 7, "total": 9}, "h100": {"n_success": 0, "total": 0}, "mi355x": None}
    source = source_of(json.dumps(stats))
    assert inferencex_jobs.detect(source) == "run-stats"
    assert list(inferencex_jobs.read(source)) == [
        Reliability("/b200-dgxc", "b200-dgxc", 7, 9),
        Reliability("/h100", "h100", 0, 0),
        Rejected("/mi355x", "the producer could not count the jobs"),
    ]


METADATA = {
    "base_ref": "origin/main", "head_ref": "e09b78b",
    "entries": [
        {"config-keys": ["a-fp4-*"], "description": ["First.", "Second."], "pr-link": "https://x/pull/1"},
        {"config-keys": [], "description": []},
        {"config-keys": ["k" * 300], "description": []},
        {"config-keys": "a", "description": "One text."},
        7,
    ],
}  # fmt: skip


def test_the_changelog_of_one_run() -> None:
    source = source_of(json.dumps(METADATA))
    assert inferencex_changes.detect(source) == "metadata"
    found = list(inferencex_changes.read(source))
    assert found[0] == Change(
        "/entries/0", ("a-fp4-*",), "First.\nSecond.", "https://x/pull/1", None, "origin/main", "e09b78b"
    )
    assert isinstance(found[3], Change)
    assert (found[3].config_keys, found[3].description) == (("a",), "One text.")
    refused = [row.pointer for row in found if isinstance(row, Rejected)]
    assert refused == ["/entries/1/config-keys", "/entries/2/config-keys", "/entries/4"]


YAML = """\
# changes
- config-keys:
  - dsr1*
  description:
  - 'Replace: "a" by b'
  pr-link: https://x/pull/2
- config-keys: [b, c]
  description: []
- description: [no keys]
"""


def test_the_changelog_in_yaml() -> None:
    source = source_of(YAML)
    assert inferencex_changes.detect(source) == "yaml"
    first, second, third = inferencex_changes.read(source)
    assert first == Change("/0", ("dsr1*",), 'Replace: "a" by b', "https://x/pull/2")
    assert second == Change("/1", ("b", "c"), "")
    assert third == Rejected("/2/config-keys", "is missing")


@pytest.mark.parametrize("text", ["- a\n- b\n", "config-keys: [a]\n", "", "# config-keys:\n", "hello\n"])
def test_other_yaml_is_not_a_changelog(text: str) -> None:
    assert inferencex_changes.detect(source_of(text)) is None


def test_yaml_that_breaks_off() -> None:
    with pytest.raises(FormatError, match="not YAML"):
        list(inferencex_changes.read(source_of("- config-keys: [a\n")))


WORKFLOW = {
    "runs": [{"github_run_id": "25", "html_url": "https://x/runs/25", "created_at": "2026-05-05T03:31:54Z"}],
    "changelogs": [
        {"workflow_run_id": "25", "date": "2026-05-05", "base_ref": "b", "head_ref": "h",
         "config_keys": ["k"], "description": "Two\nlines", "pr_link": "https://x/pull/3"},
        {"workflow_run_id": "26", "date": "2026-05-06", "config_keys": ["k"], "description": "",
         "pr_link": None},
        {"workflow_run_id": "26", "date": "yesterday", "config_keys": ["k"]},
    ],
    "configs": [],
}  # fmt: skip


def test_the_changes_of_a_day_belong_to_their_runs() -> None:
    source = source_of(json.dumps(WORKFLOW))
    assert inferencex_changes.detect(source) == "workflow-info"
    first, second, third = inferencex_changes.read(source)
    assert first == Change(
        "/changelogs/0", ("k",), "Two\nlines", "https://x/pull/3",
        datetime(2026, 5, 5, 3, 31, 54, tzinfo=UTC), "b", "h", "https://x/runs/25",
    )  # fmt: skip
    assert isinstance(second, Change)
    assert (second.source_run, second.changed_at) == ("26", datetime(2026, 5, 6, tzinfo=UTC))
    assert third == Rejected("/changelogs/2/date", "must be a day like 2026-05-05")


@pytest.mark.parametrize("document", [{**WORKFLOW, "changelogs": []}, {**METADATA, "entries": []}])
def test_nothing_changed(document: Any) -> None:
    assert [type(row) for row in inferencex_changes.read(source_of(json.dumps(document)))] == [Remark]


def test_a_reused_sweep_says_who_measured_it_and_changes_no_row() -> None:
    address = "https://github.com/SemiAnalysisAI/InferenceX/actions/runs"
    reuse = {
        "source_run_id": "257", "source_run_attempt": 2, "source_run_url": f"{address}/257",
        "source_pr_number": None, "source_head_sha": None,
        "ingest_run_id": "258", "ingest_run_attempt": "1", "ingest_run_url": f"{address}/258",
    }  # fmt: skip
    source = source_of(json.dumps(reuse))
    assert inferencex_reuse.detect(source) == "reuse_source_run"
    text = f"measured by {address}/257, attempt 2, published by {address}/258, attempt 1"
    assert list(inferencex_reuse.read(source)) == [
        Remark("", f"{text}; state it as source_run in identity.json")
    ]
    short = source_of(json.dumps({"source_run_id": 257, "source_run_attempt": None}))
    assert list(inferencex_reuse.read(short)) == [
        Remark("", "measured by 257; state it as source_run in identity.json")
    ]
    with pytest.raises(FormatError, match="/source_run_url: must be text"):
        list(inferencex_reuse.read(source_of(json.dumps({**reuse, "source_run_url": 7}))))


def test_what_a_client_sent_is_recognised_and_holds_no_number() -> None:
    sent = {"data": [{"session_id": "a", "payloads": [{"model": "m", "messages": []}]}]}
    source = source_of(json.dumps(sent))
    assert aiperf_inputs.detect(source) == "inputs"
    assert [type(row) for row in aiperf_inputs.read(source)] == [Remark]
    assert aiperf_inputs.detect(source_of(json.dumps({"data": [{"session_id": "a"}]}))) is None
