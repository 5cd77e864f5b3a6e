"""Accuracy scores of lm-evaluation-harness and of the SWE-bench harness."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from results.ingest.formats import lm_eval
from results.ingest.rows import Evaluation, FormatError, Rejected
from tests.results.ingest.formats import tool_samples
from tests.results.ingest.formats.tool_samples import SWE_BENCH, rows, scores, version
from tests.results.ingest.sources import source_of


def test_every_score_of_a_task() -> None:
    found = scores(rows(lm_eval, tool_samples.lm_eval()))

    strict = found["gsm8k", "exact_match,strict-match"]
    assert (strict.score, strict.score_se, strict.samples) == (0.95, 0.006, 1319)
    assert strict.recipe == {"model": {"name": "zai-org/GLM-5-FP8"}}
    assert strict.measured_at is not None
    assert strict.measured_at.timestamp() == 1772470696.25
    assert found["gsm8k", "exact_match,flexible-extract"].score_se is None
    assert found["wikitext", "acc,none"].score == 0.5
    assert len(found) == 3


def test_what_is_no_fraction_is_refused_alone() -> None:
    (refused,) = (row for row in rows(lm_eval, tool_samples.lm_eval()) if isinstance(row, Rejected))

    assert refused.pointer == "/results/wikitext/word_perplexity,none"
    assert refused.reason == "a score is a fraction between 0 and 1"


def test_not_a_number_does_not_lose_the_other_scores() -> None:
    report = tool_samples.lm_eval()
    report["results"]["gsm8k"]["exact_match,strict-match"] = float("nan")
    found = rows(lm_eval, report)

    assert Rejected("/results/gsm8k/exact_match,strict-match", "must be finite") in found
    assert len(scores(found)) == 2


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ({"model_args": {"pretrained": "Qwen/Qwen3-4B", "dtype": "auto"}}, "Qwen/Qwen3-4B"),
        ({"model_args": "pretrained=Qwen/Qwen3-4B"}, "Qwen/Qwen3-4B"),
        ({"model_args": "trust_remote_code"}, None),
        ({}, None),
    ],
)
def test_the_model_stands_in_the_arguments(config: dict[str, object], name: str | None) -> None:
    found = scores(rows(lm_eval, tool_samples.lm_eval(config=config)))

    recipe = found["wikitext", "acc,none"].recipe
    assert recipe == ({} if name is None else {"model": {"name": name}})


def test_swe_bench_counts_all_instances() -> None:
    (found,) = rows(lm_eval, SWE_BENCH)

    assert isinstance(found, Evaluation)
    assert (found.task, found.metric, found.score, found.samples) == ("swe-bench", "resolved", 0.55, 300)
    with pytest.raises(FormatError, match="/resolved_instances"):
        rows(lm_eval, {**SWE_BENCH, "resolved_instances": 301})


def test_results_beside_a_configuration_have_their_own_reader(tmp_path: Path) -> None:
    source = source_of("{}", "meta_env.json", tmp_path)
    results = source_of(json.dumps(tool_samples.lm_eval()), "results.json", tmp_path)

    assert lm_eval.detect(results) == "0.4.9"
    assert lm_eval.detect(replace(results, siblings={"meta_env.json": source.location})) is None


def test_versions_by_content() -> None:
    early = tool_samples.lm_eval()
    del early["lm_eval_version"]

    assert version(lm_eval, early) == "unversioned"
    assert version(lm_eval, SWE_BENCH) == "swe-bench"
    assert version(lm_eval, {"results": {}}) is None
