"""Partial documents become whole ones, or the reason why not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.ingest.normalize import Normalizer, RefusedError
from results.ingest.partial import ContradictionError, merged
from results.ingest.reports import Refused
from results.ingest.vocabulary import Vocabulary

NAMES = {
    "hardware": {"b200": "b200", "cluster:b200-dgxc": "b200", "mi355x": "mi355x"},
    "engine": {"vllm": "vllm", "dynamo-trt": "dynamo-trtllm"},
    "model": {"dsr1": "deepseek-r1-0528"},
    "precision": {"fp4": "fp4", "nvfp4": "fp4"},
    "speculative": {"none": "none", "mtp": "mtp"},
    "kv_backend": {"none": "none", "lmcache": "lmcache"},
    "kv_transfer": {"none": "none", "moriio": "mori"},
    "router": {"none": "none", "sglang-router": "sglang-router"},
}
IDS = {
    "hardware": {"b200": 1, "mi355x": 2},
    "engine": {"vllm": 3, "dynamo-trtllm": 4},
    "model": {"deepseek-r1-0528": 5},
}
PARTIAL: dict[str, Any] = {
    "roles": {"serve": {"hardware": "CLUSTER:B200-DGXC", "tp": 4}},
    "engine": {"name": "vLLM", "image": "vllm/vllm-openai:v0.11"},
    "model": {"name": "DSR1"},
    "precision": "NVFP4",
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), JSON, max_size=3)


def normalizer(**identity: Any) -> Normalizer:
    return Normalizer(Vocabulary(NAMES, IDS), identity)


def refusal(partial: dict[str, Any], **identity: Any) -> Refused:
    with pytest.raises(RefusedError) as caught:
        normalizer(**identity).recipe(partial)
    return caught.value.row


def test_spellings_become_names_and_rows() -> None:
    ready = normalizer().recipe(PARTIAL)
    document = ready.document
    assert (ready.hardware, ready.engine, ready.language_model) == (1, 3, 5)
    assert (document.roles["serve"].hardware, document.precision) == ("b200", "fp4")
    assert ready.fingerprint == document.fingerprint


@pytest.mark.parametrize(
    ("role", "gpus"),
    [
        ({"tp": 4}, 4),
        ({"tp": 4, "ep": 4}, 4),
        ({"tp": 4, "pp": 2, "workers": 3}, 24),
        ({"tp": 2, "pcp": 2}, 4),
        ({"tp": 8, "gpus": 16}, 16),
    ],
)
def test_gpus_follow_from_parallelism_and_never_from_experts(role: dict[str, int], gpus: int) -> None:
    partial = {**PARTIAL, "roles": {"serve": {"hardware": "b200", **role}}}
    assert normalizer().recipe(partial).document.total_gpus == gpus


def test_disaggregated_roles_are_counted_together_and_decode_names_the_hardware() -> None:
    roles = {
        "prefill": {"hardware": "mi355x", "gpus": 8},
        "decode": {"hardware": "b200", "tp": 4, "workers": 2},
    }
    ready = normalizer().recipe({**PARTIAL, "roles": roles, "kv_transfer": "moriio"})
    assert (ready.document.total_gpus, ready.hardware, ready.document.kv_transfer) == (16, 1, "mori")


def test_none_empties_a_field() -> None:
    partial = {
        **PARTIAL,
        "speculative": {"method": "none"},
        "router": {"name": "None", "version": "1"},
        "kv_transfer": "none",
        "kv_offload": {"mode": "dram", "backend": "none"},
    }
    document = normalizer().recipe(partial).document
    assert (document.speculative, document.router, document.kv_transfer) == (None, None, None)
    assert document.kv_offload.backend is None


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"roles": {}}, ("/recipe/roles/serve/hardware", "/recipe/roles/serve/gpus")),
        ({"roles": {"serve": {"hardware": "b200"}}}, ("/recipe/roles/serve/gpus",)),
        ({"engine": {}}, ("/recipe/engine/name",)),
        ({"router": {"name": "sglang-router"}}, ("/recipe/router/version",)),
        ({"roles": {"prefill": {"hardware": "b200", "tp": 1}, "decode": {"tp": 1}}},
         ("/recipe/roles/decode/hardware",)),
    ],
)  # fmt: skip
def test_missing_fields_are_named(change: dict[str, Any], missing: tuple[str, ...]) -> None:
    assert refusal({**PARTIAL, **change}).missing == missing


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"precision": "fp3"}, ("precision", "fp3")),
        ({"speculative": {"method": "Medusa"}}, ("speculative", "Medusa")),
        ({"kv_offload": {"mode": "dram", "backend": "x"}}, ("kv_backend", "x")),
        ({"roles": {"serve": {"hardware": "b999", "tp": 1}}}, ("hardware", "b999")),
    ],
)
def test_unknown_spellings_are_named(change: dict[str, Any], unknown: tuple[str, str]) -> None:
    assert refusal({**PARTIAL, **change}).unknown == unknown


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"roles": {"serve": {"hardware": "b200", "gpus": 0}}}, "/recipe/roles/serve/gpus"),
        ({"roles": {"prefill": {"hardware": "b200", "tp": 1}}}, "/recipe: "),
        ({"colour": "red"}, "/recipe/colour"),
        ({"roles": {"serve": 3}}, "/recipe/roles/serve"),
        ({"roles": [1]}, "/recipe/roles"),
        ({"precision": 4}, "/recipe/precision"),
        ({"speculative": "mtp"}, "/recipe/speculative"),
        ({"kv_offload": {"mode": "tape"}}, "/recipe/kv_offload/mode"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], reason: str) -> None:
    row = refusal({**PARTIAL, **change})
    assert row.reason.startswith(reason)
    assert (row.missing, row.unknown) == ((), None)


def test_identity_fills_in_and_may_repeat_in_other_words() -> None:
    sent = {"roles": {"serve": {"hardware": "b200", "gpus": 4}}, "precision": "fp4"}
    partial = {key: PARTIAL[key] for key in ("engine", "model", "precision")}
    assert normalizer(recipe=sent).recipe(partial).document.total_gpus == 4


def test_a_contradiction_is_refused_with_both_sides() -> None:
    row = refusal(PARTIAL, recipe={"roles": {"serve": {"tp": 8}}})
    assert row.reason == "/recipe/roles/serve/tp: the file states 4, the identity 8"
    with pytest.raises(RefusedError, match="/load: the file states 4, the identity 8"):
        normalizer(load=8).stated("load", 4)


def test_scenarios() -> None:
    assert normalizer().scenario({"kind": "fixed", "isl": 1, "osl": 2}).kind == "fixed"
    assert normalizer(scenario={"isl": 1024}).scenario({"osl": 2}).kind == "fixed"
    assert normalizer(scenario={"corpus": "cpu-8k"}).scenario({"kind": "agentic"}).kind == "agentic"
    for partial, missing in (({}, "/scenario/kind"), ({"kind": "agentic"}, "/scenario/corpus")):
        with pytest.raises(RefusedError) as caught:
            normalizer().scenario(partial)
        assert caught.value.row.missing == (missing,)
    with pytest.raises(RefusedError, match="the file states 1, the identity 2"):
        normalizer(scenario={"isl": 2}).scenario({"kind": "fixed", "isl": 1, "osl": 2})


@given(stated=DOCUMENTS, sent=DOCUMENTS)
def test_merging_loses_nothing_or_names_the_contradiction(
    stated: dict[str, Any], sent: dict[str, Any]
) -> None:
    try:
        whole = merged(stated, sent)
    except ContradictionError as error:
        assert error.pointer.startswith("/")
        return
    assert merged(whole, stated) == whole == merged(whole, sent)
    assert merged(sent, stated) == whole
