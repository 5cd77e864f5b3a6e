"""Scores belong to recipes; gates make them pass or fail; the newest score counts."""

from datetime import UTC, datetime
from typing import Any

import pytest

from results.ingest.rows import Evaluation
from results.models import AccuracyGate, Recipe
from results.models import Evaluation as EvaluationRow
from results.queries.points import PointFilter, point_rows
from results.services.accuracy import judge_all
from tests.results.ingest.listed import RECIPE, Desk, result

pytestmark = pytest.mark.django_db


def score(value: float, day: int = 1, **changes: Any) -> Evaluation:
    columns: dict[str, Any] = {
        "pointer": f"/{value}/{day}",
        "recipe": {
            "roles": {"serve": {"hardware": "B200", "tp": 8}},
            "model": {"name": "dsr1"},
            "precision": "fp4",
        },
        "scenario": {"kind": "fixed", "isl": 8192, "osl": 1024},
        "load": 64,
        "task": "gsm8k",
        "metric": "em_strict",
        "score": value,
        "measured_at": datetime(2026, 5, day, tzinfo=UTC),
    }
    return Evaluation(**(columns | changes))


def accuracy() -> str:
    return Recipe.objects.get().accuracy


def test_without_a_score_accuracy_is_unknown(listed: Desk) -> None:
    listed.send(result())
    assert accuracy() == "unknown"


@pytest.mark.parametrize(("value", "expected"), [(0.91, "pass"), (0.9099, "fail")])
@pytest.mark.parametrize("score_first", [True, False])
def test_a_gate_of_the_model_decides_whichever_file_comes_first(
    listed: Desk, value: float, expected: str, score_first: bool
) -> None:
    files = [listed.content([score(value)]), listed.content([result()])]
    for body in files if score_first else reversed(files):
        assert listed.read(body).quarantined == ()
    assert accuracy() == expected
    assert [row.accuracy for row in point_rows(PointFilter())] == [expected]


def test_the_newest_score_counts_and_the_lowest_of_equally_new_ones(listed: Desk) -> None:
    listed.send(result())
    listed.send(score(0.5, day=1), score(0.95, day=2))
    assert accuracy() == "pass"
    listed.send(score(0.6, day=2))
    assert accuracy() == "fail"
    listed.send(score(0.97, day=3))
    assert accuracy() == "pass"


def test_one_failed_metric_fails(listed: Desk) -> None:
    listed.send(result(), score(0.95), score(0.2, metric="em_flexible"))
    assert accuracy() == "fail"


@pytest.mark.parametrize(
    "spellings", [("em_strict", "exact_match,strict-match"), ("em_flexible", "exact_match,flexible-extract")]
)
def test_collected_scores_and_those_of_lm_eval_itself_pass_the_same_gates(
    listed: Desk, spellings: tuple[str, str]
) -> None:
    listed.send(result())
    gates = [
        set(AccuracyGate.objects.filter(metric=name).values_list("task", "model", "precision", "minimum"))
        for name in spellings
    ]
    assert gates[0] == gates[1]
    assert len(gates[0]) >= 10
    listed.send(score(0.9099, metric=spellings[1]))
    assert accuracy() == "fail"
    listed.send(score(0.91, day=2, metric=spellings[1]))
    assert accuracy() == "pass"


def test_a_task_without_a_gate_says_nothing(listed: Desk) -> None:
    listed.send(result(), score(0.01, task="some_task"))
    assert accuracy() == "unknown"


def test_a_score_of_another_deployment_does_not_count(listed: Desk) -> None:
    other = {"roles": {"serve": {"hardware": "B200", "tp": 4}}, "model": {"name": "dsr1"}, "precision": "fp4"}
    listed.send(result(), score(0.1, recipe=other))
    assert accuracy() == "unknown"


def test_the_same_score_in_two_files_is_one_row(listed: Desk) -> None:
    listed.send(score(0.95))
    report = listed.send(score(0.95, pointer="/elsewhere"))
    assert (report.created, report.unchanged) == (0, 1)
    assert EvaluationRow.objects.get().files.count() == 2


def test_a_score_must_say_what_it_belongs_to(listed: Desk) -> None:
    report = listed.send(score(0.9, recipe={"model": {"name": "dsr1"}}), score(1.5, day=2))
    assert report.quarantined[0].missing == ("/recipe/precision", "/recipe/roles/serve/hardware")
    assert "no fraction" in report.quarantined[1].reason


def test_changed_gates_judge_again(listed: Desk) -> None:
    listed.send(result(), score(0.93))
    assert accuracy() == "pass"
    AccuracyGate.objects.create(
        task="gsm8k", metric="em_strict", model="deepseek-r1-0528", precision="fp4", minimum=0.94, source="x"
    )
    judge_all()
    assert accuracy() == "fail"
    assert RECIPE["precision"] == "nvfp4"
