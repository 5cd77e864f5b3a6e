import copy
import json
from typing import Any

import pytest
from pydantic import ValidationError

from results.documents.base import one_line, problems
from results.documents.run import RunDocument, check_executable

DOCUMENT: dict[str, Any] = {
    "schema": "northstar.run/1",
    "label": "prefix-cache",
    "block": 1,
    "recipe": {
        "roles": {"serve": {"hardware": "cpu", "gpus": 1}},
        "engine": {"name": "llamacpp", "version": "2026.10.11549"},
        "model": {"name": "northstar-tiny", "revision": "sha256:00"},
        "precision": "fp16",
        "kv_dtype": "fp16",
        "arguments": {"parallel": 2},
    },
    "scenario": {"kind": "agentic", "corpus": "cpu-8k", "context_cap": 8192},
    "loads": [1, 2, 4],
    "client": {"window_seconds": 40, "unsafe_override": True},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """A copy of DOCUMENT with the value at a JSON pointer replaced."""
    document = copy.deepcopy(DOCUMENT)
    *parents, last = path.strip("/").split("/")
    place: Any = document
    for key in parents:
        place = place[key]
    place[int(last) if isinstance(place, list) else last] = value
    return document


def refusal(document: dict[str, Any]) -> list[dict[str, Any]]:
    with pytest.raises(ValidationError) as caught:
        check_executable(RunDocument.model_validate(document))
    return problems(caught.value)


def test_a_document_survives_json() -> None:
    document = RunDocument.model_validate(DOCUMENT)
    assert RunDocument.model_validate(json.loads(json.dumps(document.to_json()))) == document


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("/label", "", "string_too_short"),
        ("/label", "<b>", "string_pattern_mismatch"),
        ("/loads", [], "too_short"),
        ("/loads/1", 0, "greater_than_equal"),
        ("/loads/1", "2", "int_type"),
        ("/surprise", 1, "extra_forbidden"),
        ("/recipe/precision", None, "string_type"),
        ("/recipe/roles/serve/gpus", 0, "greater_than_equal"),
        ("/recipe/roles/serve/gpus", 1.5, "int_type"),
        ("/recipe/roles/serve/gpus", float("inf"), "int_type"),
        ("/client/idle_gap_cap_seconds", float("nan"), "finite_number"),
        ("/scenario/corpus", "", "string_too_short"),
        ("/scenario/version", "abc", "string_pattern_mismatch"),
        ("/recipe/arguments/parallel", 0, "greater_than_equal"),
        ("/recipe/arguments/shell", "; touch x", "extra_forbidden"),
        ("/recipe/engine/name", "sglang", "unknown_engine"),
        ("/recipe/environment", {"LD_PRELOAD": "x"}, "not_allowed"),
    ],
)
def test_bad_fields_are_named(path: str, value: Any, rule: str) -> None:
    assert {"pointer": path, "rule": rule}.items() <= refusal(changed(path, value))[0].items()


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        ("/loads", [1, 4, 2], "/loads"),
        ("/client/unsafe_override", False, "/client"),
        ("/client/start_ratio", [0.8, 0.2], "/client"),
        ("/recipe/roles", {"prefill": {"hardware": "cpu", "gpus": 1}}, "/recipe"),
        ("/recipe/kv_offload", {"mode": "dram"}, "/recipe/kv_offload/backend"),
        ("/recipe/kv_dtype", None, "/recipe/kv_dtype"),
        ("/recipe/speculative", {"method": "mtp"}, "/recipe/speculative/draft_length"),
        ("/recipe/engine", {"name": "llamacpp"}, "/recipe/engine"),
    ],
)
def test_rules_between_fields(path: str, value: Any, pointer: str) -> None:
    assert refusal(changed(path, value))[0]["pointer"] == pointer


def test_defaults_do_not_split_recipes() -> None:
    spelled_out = changed("/recipe/arguments", {"parallel": 2, "cache_prompt": True, "context": 8192})
    one = check_executable(RunDocument.model_validate(DOCUMENT)).recipe
    two = check_executable(RunDocument.model_validate(spelled_out)).recipe
    assert one.fingerprint == two.fingerprint


def test_one_changed_argument_is_another_recipe() -> None:
    other = changed("/recipe/arguments", {"parallel": 2, "cache_prompt": False})
    fingerprints = {RunDocument.model_validate(item).recipe.fingerprint for item in (DOCUMENT, other)}
    assert len(fingerprints) == 2


def test_all_gpus_count() -> None:
    roles = {"prefill": {"hardware": "h200", "gpus": 8}, "decode": {"hardware": "h200", "gpus": 24}}
    recipe = RunDocument.model_validate(changed("/recipe/roles", roles)).recipe
    assert (recipe.total_gpus, recipe.disaggregated) == (32, True)


def test_fixed_scenarios_are_stored_not_executed() -> None:
    fixed = changed("/scenario", {"kind": "fixed", "isl": 8192, "osl": 1024})
    RunDocument.model_validate(fixed)
    assert refusal(fixed)[0] == {
        "pointer": "/scenario/kind",
        "rule": "not_executable",
        "message": "only agentic scenarios can be executed",
    }


def test_one_line_for_the_terminal() -> None:
    with pytest.raises(ValidationError) as caught:
        RunDocument.model_validate(changed("/loads/0", -1))
    assert one_line(caught.value) == (
        "/loads/0: Input should be greater than or equal to 1 (greater_than_equal)"
    )
