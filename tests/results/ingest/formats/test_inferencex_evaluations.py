"""Accuracy rows of the API and of the collector; lm-eval's files beside their configuration."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from results.ingest.formats import inferencex_evaluations, inferencex_lm_eval
from results.ingest.rows import Evaluation, Rejected, Remark, Row
from tests.results.ingest.formats.folders import stored
from tests.results.ingest.formats.inferencex_rows import API, COLLECTED, without
from tests.results.ingest.sources import source_of

SCORES = {"n_eff": 1319, "em_strict": 0.95, "em_strict_se": 0.006, "em_flexible": 0.96, "score": 0.95}
FROM_API = without(
    API, "image", "isl", "osl", task="gsm8k", timestamp="2026-05-05T03:31:54Z", metrics=SCORES
)  # fmt: skip


def read(*rows: Any) -> list[Row]:
    return list(inferencex_evaluations.read(source_of(json.dumps(rows))))


def scores(*rows: Any) -> list[Evaluation]:
    return [row for row in read(*rows) if isinstance(row, Evaluation)]


def test_a_row_of_the_api() -> None:
    strict, flexible = scores(FROM_API)
    assert (strict.task, strict.metric, strict.score, strict.score_se) == ("gsm8k", "em_strict", 0.95, 0.006)
    assert (flexible.metric, flexible.score, flexible.score_se) == ("em_flexible", 0.96, None)
    assert (strict.samples, strict.load, strict.scenario) == (1319, 8, {})
    assert strict.measured_at == datetime(2026, 5, 5, 3, 31, 54, tzinfo=UTC)
    assert strict.recipe["roles"]["serve"]["gpus"] == 8
    assert Remark("", "1 rows with gpu_count_is_tp_times_ep") in read(FROM_API)


def test_one_role_called_disaggregated_on_one_node() -> None:
    row = without(FROM_API, disagg=True, prefill_num_workers=1, decode_num_workers=1)
    assert set(scores(row)[0].recipe["roles"]) == {"serve"}
    assert Remark("", "1 rows with disaggregated_on_one_node") in read(row)


def test_unlike_roles_are_disaggregated_whatever_the_nodes() -> None:
    row = without(
        FROM_API,
        disagg=True,
        prefill_num_workers=7,
        decode_num_workers=2,
        num_prefill_gpu=448,
        num_decode_gpu=128,
    )
    roles = scores(row)[0].recipe["roles"]
    assert (roles["prefill"]["gpus"], roles["decode"]["gpus"]) == (56, 16)


def test_a_row_of_the_collector() -> None:
    strict, flexible = scores(COLLECTED)
    assert (strict.metric, flexible.metric) == ("em_strict", "em_flexible")
    assert strict.recipe["roles"] == {
        "serve": {"hardware": "CLUSTER:GB300-NV", "tp": 4, "ep": 4, "dp_attention": False, "gpus": 4}
    }
    assert strict.recipe["model"] == {"name": "dsr1"}
    assert strict.scenario == {"kind": "fixed", "isl": 8192, "osl": 1024}
    assert strict.measured_at == datetime(2026, 1, 21, 0, 34, 31, 500000, tzinfo=UTC)


def test_two_roles_of_the_collector() -> None:
    row = without(
        COLLECTED, is_multinode=True, dp_attention="prefill=true,decode=false", prefill_num_workers=3
    )
    row = without(row, "prefill_dp_attention", "decode_dp_attention")
    roles = scores(row)[0].recipe["roles"]
    assert roles["prefill"] == {
        "hardware": "CLUSTER:GB300-NV", "tp": 4, "ep": 4, "workers": 3, "dp_attention": True, "gpus": 12
    }  # fmt: skip
    assert (roles["decode"]["dp_attention"], roles["decode"]["gpus"]) == (False, 4)


def test_attention_of_none_says_nothing() -> None:
    assert "dp_attention" not in scores(without(COLLECTED, dp_attention="none"))[0].recipe["roles"]["serve"]


def test_a_score_with_a_name_of_its_own() -> None:
    row = without(
        COLLECTED, em_strict=None, em_flexible=None, score=0.5, score_name="accuracy", score_se=0.02
    )
    assert [(row.metric, row.score, row.score_se) for row in scores(row)] == [("accuracy", 0.5, 0.02)]


def test_zero_is_a_score_and_null_is_none() -> None:
    assert scores(without(COLLECTED, em_strict=0, score=0))[0].score == 0
    (found,) = read(without(COLLECTED, em_strict=None, em_flexible=None, score=None, score_name=None))
    assert found == Rejected("/0", "no score")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [({"em_strict": 95.0}, "/0/em_strict"), ({"task": None}, "/0/task"), ({"conc": 0}, "/0/conc")],
)
def test_a_bad_row_is_refused(change: dict[str, Any], pointer: str) -> None:
    (found,) = read({**COLLECTED, **change})
    assert isinstance(found, Rejected)
    assert found.pointer == pointer


META = {
    **{name: value for name, value in COLLECTED.items() if name not in ("task", "em_strict", "em_flexible")},
    "tp": 8, "pp": 2, "dcp_size": 1, "pcp_size": 1, "dp_attention": True, "isl": "8192", "osl": "1024",
    "infmax_model_prefix": "dsr1", "hw": "cluster:b200-dgxc", "recipe_fingerprint": "",
}  # fmt: skip
RESULTS = {
    "results": {"gsm8k": {
        "alias": "gsm8k", "exact_match,strict-match": 0.95, "exact_match_stderr,strict-match": 0.006,
        "exact_match,flexible-extract": 0.96, "exact_match_stderr,flexible-extract": "N/A",
    }},
    "n-samples": {"gsm8k": {"original": 1319, "effective": 1319}},
    "lm_eval_version": "0.4.9",
}  # fmt: skip


def put(folder: Path, name: str, content: Any) -> Path:
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder / name


def configured(folder: Path, meta: Any) -> list[Row]:
    source = stored(put(folder, "meta_env.json", meta))
    assert inferencex_lm_eval.detect(source) == "configuration"
    return list(inferencex_lm_eval.read(source))


def test_a_configuration_with_its_results(tmp_path: Path) -> None:
    results = put(tmp_path, "results_2026-01-21T00-34-31.5.json", RESULTS)
    strict, flexible = configured(tmp_path, META)
    assert isinstance(strict, Evaluation)
    assert isinstance(flexible, Evaluation)
    assert (strict.metric, strict.score, strict.score_se, strict.samples) == ("em_strict", 0.95, 0.006, 1319)
    assert (flexible.metric, flexible.score, flexible.score_se) == ("em_flexible", 0.96, None)
    assert strict.recipe["roles"]["serve"] == {
        "hardware": "cluster:b200-dgxc", "tp": 8, "pp": 2, "dcp": 1, "pcp": 1, "ep": 4, "dp_attention": True,
        "gpus": 16,
    }  # fmt: skip
    assert (strict.scenario, strict.load) == ({"kind": "fixed", "isl": 8192, "osl": 1024}, 32)
    assert strict.measured_at == datetime(2026, 1, 21, 0, 34, 31, 500000, tzinfo=UTC)
    assert [type(row) for row in inferencex_lm_eval.read(stored(results))] == [Remark]


def test_only_the_completed_loads_of_a_batch_count_and_the_newest_of_two(tmp_path: Path) -> None:
    older = {**RESULTS, "results": {"gsm8k": {"exact_match,strict-match": 0.1}}}
    put(tmp_path, "results_2026-01-21T00-00-00_conc16.json", older)
    put(tmp_path, "results_2026-01-21T00-30-00_conc16.json", RESULTS)
    put(tmp_path, "results_2026-01-21T01-00-00_conc64.json", RESULTS)
    found = configured(tmp_path, {**META, "eval_concs": [16, 64], "completed_eval_concs": [16]})
    assert [(row.load, row.score) for row in found if isinstance(row, Evaluation)] == [(16, 0.95), (16, 0.96)]
    assert [row.pointer for row in found if isinstance(row, Rejected)] == [
        "results_2026-01-21T01-00-00_conc64.json"
    ]


def test_results_alone_are_no_file_of_mine(tmp_path: Path) -> None:
    source = stored(put(tmp_path, "results_2026-01-21T00-34-31.json", RESULTS))
    assert inferencex_lm_eval.detect(source) is None


def test_a_configuration_alone_and_results_without_a_score(tmp_path: Path) -> None:
    assert [type(row) for row in configured(tmp_path, META)] == [Remark]
    put(tmp_path, "results_x.json", {**RESULTS, "results": {"gsm8k": {}}})
    assert [type(row) for row in configured(tmp_path, META)] == [Rejected]
    put(tmp_path, "results_x.json", [])
    assert [type(row) for row in configured(tmp_path, META)] == [Rejected]
