"""The strict reader agrees with JSON where it accepts, and refuses by place where it does not."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.documents.refusal import DocumentError
from results.documents.strict_json import MAX_DEPTH, MalformedJsonError, loads

INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | INT64 | FINITE | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
KEYS = st.lists(st.one_of(st.integers(0, 3), TEXT), max_size=12)


def problems(body: bytes) -> list[tuple[str, str]]:
    with pytest.raises(DocumentError) as caught:
        loads(body)
    return [(problem["pointer"], problem["rule"]) for problem in caught.value.problems]


def wrapped(keys: list[int | str], literal: str) -> tuple[bytes, str]:
    """``literal`` below the path ``keys``, and the JSON pointer to it."""
    text, pointer = literal, ""
    for key in reversed(keys):
        if isinstance(key, int):
            text = "[" + "0," * key + text + "]"
        else:
            text = "{" + json.dumps(key) + ":" + text + "}"
    for key in keys:
        pointer += "/" + str(key).replace("~", "~0").replace("/", "~1")
    return text.encode(), pointer


@given(JSON)
def test_what_json_writes_is_read_back(value: Any) -> None:
    for ascii_only in (True, False):
        assert loads(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(st.binary(max_size=64))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        value = loads(body)
    except (MalformedJsonError, DocumentError):
        return
    assert json.loads(body.decode("utf-8")) == value


@given(KEYS, st.sampled_from(["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "9" * 30, str(2**63)]))
def test_unbounded_numbers_are_named_at_any_depth(keys: list[int | str], literal: str) -> None:
    body, pointer = wrapped(keys, literal)
    assert problems(body) == [(pointer, "finite_number")]


@given(KEYS, TEXT)
def test_a_repeated_key_is_named_at_any_depth(keys: list[int | str], key: str) -> None:
    name = json.dumps(key)
    body, pointer = wrapped(keys, "{" + f"{name}:1,{name}:1" + "}")
    assert problems(body) == [(pointer + "/" + key.replace("~", "~0").replace("/", "~1"), "duplicate_key")]


@given(KEYS, st.sampled_from(["\\u0000", "\\ud800", "\\udfff", "a\\udbffb"]))
def test_unstorable_text_is_named_at_any_depth(keys: list[int | str], escape: str) -> None:
    body, pointer = wrapped(keys, f'"{escape}"')
    assert problems(body) == [(pointer, "text")]
    body, _pointer = wrapped(keys, "{" + f'"{escape}":1' + "}")
    assert [rule for _pointer, rule in problems(body)] == ["text"]


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded(opening: str, closing: str) -> None:
    inside = "0" if opening != "[" else ""
    assert loads((opening * MAX_DEPTH + inside + closing * MAX_DEPTH).encode()) is not None
    for depth in (MAX_DEPTH + 1, 5_000, 500_000):
        assert [rule for _at, rule in problems((opening * depth + inside + closing * depth).encode())] == [
            "depth"
        ]


@pytest.mark.parametrize(
    "body", [b"", b" ", b"{", b"[1,]", b"{'a':1}", b"01", b"+1", b".5", b"1 2", b"nul", b'"\t"',
             b"\xef\xbb\xbf1",
             b'"\xff"', b'"\xed\xa0\x80"', "[1]".encode("utf-16"), b"nan", b"inf", b"// x\n1"]
)  # fmt: skip
def test_what_is_not_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJsonError):
        loads(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"1e308", 1e308),
        (b"-0.0", 0.0),
        (b"5e-324", 5e-324),
        (b"1e-400", 0.0),
        (b"-9223372036854775808", -(2**63)),
    ],
)
def test_numbers_at_the_edge_are_kept(body: bytes, value: float) -> None:
    read = loads(body)
    assert read == value
    assert math.isfinite(read)


def test_all_problems_are_told_at_once() -> None:
    found = problems(b'{"a": NaN, "b": [1e999, {"c": 1, "c": 2}], "d": "\\u0000"}')
    assert sorted(found) == [
        ("/a", "finite_number"), ("/b/0", "finite_number"), ("/b/1/c", "duplicate_key"), ("/d", "text"),
    ]  # fmt: skip
