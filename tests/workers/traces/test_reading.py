"""Every rule of the format, broken one at a time, is named with file and field."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workers.traces.conftest import session
from workers.traces.errors import TraceError
from workers.traces.reading import load_trace, load_traces, parse_trace

Keys = tuple[str | int, ...]
FILE = "trace_0001.json"


def refused(raw: bytes) -> TraceError:
    with pytest.raises(TraceError) as caught:
        parse_trace(raw, FILE)
    assert str(caught.value).startswith(f"{FILE}: ")
    assert str(caught.value).isprintable(), "one line"
    return caught.value


def changed(keys: Keys, value: Any) -> bytes:
    document: Any = copy.deepcopy(session())
    *parents, last = keys
    place = document
    for key in parents:
        place = place[key]
    place[last] = value
    return json.dumps(document).encode()


def pointer_of(keys: Keys) -> str:
    return "".join(f"/{key}" for key in keys)


def test_every_field_is_read(trace: Any, document: Any) -> None:
    assert trace.to_json() == document


ROOT, NESTED = ("requests", 0), ("requests", 1, "requests", 1)


@pytest.mark.parametrize(
    ("keys", "value", "rule"),
    [
        (("hash_id_scope",), "global", "local"),
        (("block_size",), 0, "greater than 0"),
        (("id",), "", "at least 1"),
        (("tool_tokens",), -1, "greater than or equal to 0"),
        (("requests",), [], "at least 1"),
        ((*ROOT, "t"), -0.5, "greater than or equal to 0"),
        ((*ROOT, "type"), "x", "must be n, s or subagent"),
        ((*ROOT, "stop"), "length", "tool_use"),
        ((*ROOT, "in"), 8.0, "valid integer"),
        ((*ROOT, "out"), True, "valid integer"),
        ((*ROOT, "hash_ids"), [1, 2, 3], "3 ids for 8 tokens in blocks of 4: expected 2"),
        ((*ROOT, "hash_ids"), [1], "1 ids for 8 tokens"),
        ((*ROOT, "hash_ids", 1), -1, "greater than or equal to 0"),
        ((*ROOT, "hash_ids", 1), 2**63, "less than or equal"),
        ((*ROOT, "ttft"), 0.1, "only a streamed request"),
        ((*NESTED, "ttft"), 0.1, "only a streamed request"),
        ((*NESTED, "hash_ids"), [9, 10, 11, 12], "expected 2 or 3"),
        ((*NESTED, "t"), 1.25, "earlier than the entry before it (1.5)"),
        ((*NESTED, "type"), "subagent", "Input should be 'n' or 's'"),
        (("requests", 2, "t"), 1.0, "earlier than the entry before it (1.5)"),
        (("totals", "parent_tokens", "input"), 34, "34 but the requests add up to 35"),
        (("totals", "subagent_tokens", "output"), 5, "5 but the requests add up to 4"),
        (("totals", "combined_tokens", "input"), 0, "0 but the requests add up to 49"),
        (("totals", "subagent_count"), 2, "2 but the trace has 1"),
    ],
)
def test_rule_and_field_are_named(keys: Keys, value: Any, rule: str) -> None:
    error = refused(changed(keys, value))
    assert error.pointer == pointer_of(keys)
    assert rule in error.rule


def test_prefix_longer_than_the_first_prompt_is_refused() -> None:
    error = refused(changed(("tool_tokens",), 7))
    assert (error.pointer, error.rule) == (
        "/requests/0/hash_ids",
        "2 blocks do not hold the 9 tool and system tokens",
    )
    assert refused(changed(("requests", 1, "tool_tokens"), 4)).pointer == "/requests/1/requests/0/hash_ids"


def test_agent_id_used_twice_is_refused(document: Any) -> None:
    document["requests"].insert(2, document["requests"][1])
    document["totals"] = None
    error = refused(json.dumps(document).encode())
    assert (error.pointer, error.rule) == ("/requests/2/agent_id", "'agent_001' is used twice")


def test_session_without_a_root_request_is_refused(document: Any) -> None:
    document["requests"] = [document["requests"][1]]
    assert refused(json.dumps(document).encode()).pointer == "/requests"


def leaves(value: Any, keys: Keys = ()) -> Iterator[Keys]:
    """Places of all scalars and lists of scalars."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*keys, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, item in enumerate(value):
            yield from leaves(item, (*keys, index))
    else:
        yield keys


ALL_FIELDS = list(leaves(session()))
NEVER = st.one_of(
    st.floats(allow_nan=True).filter(lambda number: not 0 <= number < float("inf")),
    st.booleans(),
    st.integers(max_value=-1),
    st.dictionaries(st.text(max_size=3), st.integers(), min_size=1, max_size=2),
    st.lists(st.none(), min_size=1, max_size=3),
)


@settings(deadline=None)
@given(st.sampled_from(ALL_FIELDS), NEVER)
def test_no_field_takes_another_type(keys: Keys, value: Any) -> None:
    error = refused(changed(keys, value))
    assert error.pointer == pointer_of(keys) or error.pointer.startswith(pointer_of(keys) + "/")


OPTIONAL = {"tool_tokens", "system_tokens", "input_types", "output_types", "stop", "api_time", "think_time"}
OPTIONAL |= {"ttft", "duration_ms", "total_tokens", "tool_use_count", "totals", "parent_tokens"}
OPTIONAL |= {"subagent_tokens", "combined_tokens", "subagent_count"}


@pytest.mark.parametrize("keys", ALL_FIELDS, ids=pointer_of)
def test_missing_field_is_named_unless_optional(keys: Keys) -> None:
    document: Any = session()
    place = document
    for key in keys[:-1]:
        place = place[key]
    del place[keys[-1]]
    raw = json.dumps(document).encode()
    if keys[-1] in OPTIONAL:
        parse_trace(raw, FILE)
    else:
        assert refused(raw).pointer == pointer_of(keys)


objects = sorted({keys[:-1] for keys in ALL_FIELDS})


@pytest.mark.parametrize("keys", objects, ids=pointer_of)
@pytest.mark.parametrize("name", ["extra", "request", "input_tokens", "a/b~\n"])
def test_unknown_field_is_refused_everywhere(keys: Keys, name: str) -> None:
    error = refused(changed((*keys, name), 1))
    assert error.pointer == pointer_of((*keys, name.replace("~", "~0").replace("/", "~1")))


@pytest.mark.parametrize("keys", ALL_FIELDS, ids=pointer_of)
def test_key_given_twice_is_refused(keys: Keys) -> None:
    marked = changed((*keys[:-1], "TWICE"), 0).replace(b'"TWICE"', json.dumps(keys[-1]).encode())
    error = refused(marked)
    assert (error.pointer, error.rule) == (pointer_of(keys), "the key appears twice in its object")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
@pytest.mark.parametrize("field", ["t", "api_time", "think_time", "in", "hash_ids"])
def test_number_that_is_none_is_refused(field: str, number: str) -> None:
    marked = changed((*NESTED, field), "NUMBER").replace(b'"NUMBER"', number.encode())
    assert refused(marked).pointer == pointer_of((*NESTED, field))


def test_large_integers_stay_exact() -> None:
    ids = [2**53 + 1, 2**63 - 1]
    assert parse_trace(changed((*ROOT, "hash_ids"), ids), FILE).root[0].hash_ids == ids


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (b"", "not JSON at line 1 column 1"),
        (b"{", "not JSON at line 1 column 2"),
        (b"[]", "valid dictionary"),
        (b"\xff{}", "not UTF-8 at byte 0"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"block_size":' + b"9" * 5_000 + b"}", "not JSON"),
    ],
)
def test_file_that_is_no_object_is_refused(raw: bytes, rule: str) -> None:
    error = refused(raw)
    assert error.pointer == ""
    assert rule in error.rule


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_never_crash(raw: bytes) -> None:
    refused(raw)


def test_last_block_may_be_named_or_not() -> None:
    for ids in ([1, 2, 3], [1, 2, 3, 4]):
        assert parse_trace(changed(("requests", 2, "hash_ids"), ids), FILE).root[1].hash_ids == ids


def write(folder: Path, name: str, **changes: Any) -> None:
    (folder / name).write_text(json.dumps(session() | changes), encoding="utf-8")


def test_folder_is_read_by_name(tmp_path: Path) -> None:
    write(tmp_path, "b.json", id="second")
    write(tmp_path, "a.json", id="first")
    (tmp_path / "notes.txt").write_text("not a trace", encoding="utf-8")
    assert [trace.id for trace in load_traces(tmp_path)] == ["first", "second"]
    assert [trace.id for trace in load_traces(tmp_path / "b.json")] == ["second"]


def test_ids_of_a_folder_differ(tmp_path: Path) -> None:
    write(tmp_path, "a.json")
    write(tmp_path, "b.json")
    with pytest.raises(TraceError) as caught:
        load_traces(tmp_path)
    assert (caught.value.path, caught.value.pointer) == (tmp_path / "b.json", "/id")
    assert "a.json" in caught.value.rule


def test_folder_without_traces_and_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"no \*\.json file"):
        load_traces(tmp_path)
    with pytest.raises(TraceError, match="No such file"):
        load_trace(tmp_path / "absent.json")
