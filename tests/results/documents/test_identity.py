"""Identity documents: partial, strict, and comparable."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.documents.identity import covers, identity_digest, merged, read_identity
from results.documents.refusal import DocumentError

WHOLE: dict[str, Any] = {
    "recipe": {
        "roles": {"serve": {"hardware": "h100", "gpus": 8, "tp": 8}},
        "engine": {"name": "vllm", "version": "0.11.0"},
        "model": {"name": "deepseek-r1"},
        "precision": "fp8",
    },
    "scenario": {"kind": "fixed", "isl": 1024, "osl": 1024},
    "load": 64,
    "source_run": "nightly 12",
    "measured_at": "2026-05-05T12:00:00Z",
}


@pytest.mark.parametrize(
    "part",
    [
        {},
        WHOLE,
        {"recipe": {"roles": {"serve": {"hardware": "h100"}}}},
        {"recipe": {"engine": {"version": "1"}, "kv_offload": {"mode": "dram"}}},
        {"scenario": {"isl": 1024, "osl": 1}},
        {"scenario": {"corpus": "weka"}},
        {"scenario": {}},
    ],
)
def test_what_is_stated_is_kept_and_nothing_is_filled_in(part: dict[str, Any]) -> None:
    assert read_identity(part) == {key: value for key, value in part.items() if value != {}}


@pytest.mark.parametrize(
    ("part", "pointer"),
    [
        ([], ""),
        ({"hardware": "h100"}, "/hardware"),
        ({"recipe": {"gpus": 8}}, "/recipe/gpus"),
        ({"recipe": {"roles": {"serve": {"gpus": "8"}}}}, "/recipe/roles/serve/gpus"),
        ({"recipe": {"roles": {"serve": {"gpus": 0}}}}, "/recipe/roles/serve/gpus"),
        ({"recipe": {"roles": {"serv/e": {}}}}, "/recipe/roles/serv~1e/[key]"),
        ({"recipe": {"precision": ""}}, "/recipe/precision"),
        ({"scenario": {"kind": "random"}}, "/scenario/kind"),
        ({"scenario": {"kind": "fixed", "corpus": "x"}}, "/scenario/corpus"),
        ({"load": 0}, "/load"),
        ({"load": True}, "/load"),
        ({"measured_at": "2026-05-05T12:00:00"}, "/measured_at"),
        ({"measured_at": "yesterday"}, "/measured_at"),
        ({"source_run": ""}, "/source_run"),
    ],
)
def test_what_is_wrong_is_named_at_its_place(part: Any, pointer: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_identity(part)
    assert [problem["pointer"] for problem in caught.value.problems] == [pointer]


def test_less_is_covered_by_more_and_other_is_not() -> None:
    less = {"recipe": {"roles": {"serve": {"gpus": 8}}}}
    assert covers(WHOLE, less)
    assert covers(WHOLE, {})
    assert covers(WHOLE, WHOLE)
    assert not covers(less, WHOLE)
    assert not covers(WHOLE, {"recipe": {"roles": {"serve": {"gpus": 4}}}})
    assert not covers(WHOLE, {"recipe": "x"})


def test_the_nearer_statement_holds() -> None:
    near = {"recipe": {"precision": "fp4", "roles": {"serve": {"gpus": 4}}}}
    both = merged(WHOLE, near)
    assert both["recipe"]["roles"]["serve"] == {"hardware": "h100", "gpus": 4, "tp": 8}
    assert covers(both, near)
    assert both["load"] == 64


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["recipe", "scenario", "load", "source_run", "x"]), _JSON))
def test_any_value_is_read_or_refused(value: dict[str, Any]) -> None:
    try:
        identity = read_identity(value)
    except DocumentError as error:
        assert error.problems
    else:
        assert read_identity(identity) == identity
        assert len(identity_digest(identity)) == 64
