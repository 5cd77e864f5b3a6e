import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.requests import Phase, RecordError, RequestRecord, parse_record, parse_records
from tests.results.analysis.records import SECOND, START, line


def test_a_record_keeps_every_digit_of_its_times() -> None:
    record = parse_record(line(latency=2.0), 1)
    assert (record.start_ns, record.end_ns) == (START, START + 2 * SECOND)
    assert float(START) != START


def test_units_become_seconds_and_tokens() -> None:
    record = parse_record(line(latency=2.0, ttft=0.5, tokens=(100, 16)), 1)
    assert (record.ttft, record.latency, record.itl) == (0.5, 2.0, 0.1)
    assert (record.input_tokens, record.output_tokens) == (100, 16)


@pytest.mark.parametrize(
    ("unit", "seconds"), [("ms", 0.0025), ("s", 2.5), ("sec", 2.5), ("us", 2.5e-6), ("ns", 2.5e-9)]
)
def test_the_unit_of_the_value_decides(unit: str, seconds: float) -> None:
    text = line(metrics={"time_to_first_token": {"value": 2.5, "unit": unit}})
    assert parse_record(text, 1).ttft == pytest.approx(seconds, rel=1e-15)


def test_old_files_hold_bare_values_and_no_phase() -> None:
    document = json.loads(line(metrics={"time_to_first_token": 250.0, "output_sequence_length": 7}))
    del document["metadata"]["benchmark_phase"]
    del document["error"]
    record = parse_record(json.dumps(document), 1)
    assert (record.ttft, record.output_tokens, record.phase) == (0.25, 7, Phase.PROFILING)
    assert record.successful


def test_an_error_row_has_no_measurements() -> None:
    error = {"code": 503, "type": "ServerDisconnectedError", "message": "gone"}
    record = parse_record(line(error=error), 1)
    assert record.failed
    assert not record.successful
    assert record.ttft is None
    assert record.failure is not None
    assert (record.failure.kind, record.failure.code) == ("ServerDisconnectedError", 503)


@pytest.mark.parametrize(
    ("metadata", "error", "verdict"),
    [
        ({}, None, (True, False)),
        ({"benchmark_phase": "warmup"}, None, (False, False)),
        ({"benchmark_phase": "warmup"}, {"message": "no"}, (False, False)),
        ({}, {"message": "no"}, (False, True)),
        ({"was_cancelled": True}, {"message": "cut off"}, (False, False)),
        ({"context_overflow_skip": True}, {"message": "too long"}, (False, False)),
    ],
)
def test_what_counts_as_success_and_failure(
    metadata: dict[str, Any], error: dict[str, Any] | None, verdict: tuple[bool, bool]
) -> None:
    record = parse_record(line(metadata=metadata, error=error), 1)
    assert (record.successful, record.failed) == verdict


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "line 7: not JSON"),
        ("[]", "line 7: record must be an object"),
        ("{}", "line 7: metadata must be an object"),
        ('{"metadata":{}}', "line 7: metadata.request_start_ns and request_end_ns must be present"),
        ("[" * 100_000, "line 7: nested too deeply"),
        (b"\xff\xfe", "line 7: not JSON"),
        (line(metadata={"request_start_ns": 1.5e18}), "metadata.request_start_ns must be an integer"),
        (line(metadata={"request_start_ns": True}), "metadata.request_start_ns must be an integer"),
        (line(metadata={"request_end_ns": START - 1}), "is before request_start_ns"),
        (line(metadata={"benchmark_phase": "cooldown"}), "must be warmup or profiling"),
        (line(metadata={"was_cancelled": "false"}), "metadata.was_cancelled must be true or false"),
        (line(metadata={"conversation_id": 4}), "metadata.conversation_id must be a string"),
        (line(metrics={"time_to_first_token": float("nan")}), "not JSON (NaN is no number)"),
        (line(metrics={"request_latency": float("inf")}), "not JSON (Infinity is no number)"),
        (line(metrics={"request_latency": float("-inf")}), "not JSON (-Infinity is no number)"),
        (line().replace("2000.0", "1e400"), "metrics.request_latency must be a finite number"),
        (line().replace("2000.0", "1" + "0" * 400), "metrics.request_latency must be a finite number"),
        (line().replace("2000.0", "1e300"), "metrics.request_latency must be at most 1e+09 s"),
        (line(metrics={"request_latency": {"value": "5", "unit": "ms"}}), "must be a finite number"),
        (line(metrics={"request_latency": {"value": True, "unit": "ms"}}), "must be a finite number"),
        (line(metrics={"request_latency": {"value": 5, "unit": "min"}}), "latency.unit must be one of"),
        (line(metrics={"input_sequence_length": {"value": 5, "unit": "chars"}}), "unit must be tokens"),
        (line(metrics={"input_sequence_length": 5.5}), "must be a whole number of tokens"),
        (line(metrics={"output_sequence_length": -1}), "must be a whole number of tokens"),
        (line(error={}).replace('"error": {}', '"error": "boom"'), "error must be an object"),
    ],
)  # fmt: skip
def test_a_broken_line_is_named_with_field_and_rule(text: str | bytes, complaint: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(text, 7)
    assert complaint in str(caught.value)
    assert str(caught.value).startswith("line 7: ")
    assert "\n" not in str(caught.value)


def test_blank_lines_are_skipped_and_still_counted() -> None:
    assert [record.line for record in parse_records([line(), "\n", "", line()])] == [1, 4]
    with pytest.raises(RecordError, match=r"^line 3: "):
        list(parse_records([line(), "\n", '{"metadata']))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@given(st.sampled_from(["metadata", "metrics", "error"]), json_values)
def test_no_json_breaks_the_parser_otherwise(part: str, value: Any) -> None:
    document = json.loads(line())
    document[part] = value
    try:
        assert isinstance(parse_record(json.dumps(document), 3), RequestRecord)
    except RecordError as error:
        assert error.line == 3


@given(st.text(max_size=40) | st.binary(max_size=40))
def test_no_text_breaks_the_parser_otherwise(text: str | bytes) -> None:
    try:
        parse_record(text, 1)
    except RecordError as error:
        assert str(error).startswith("line 1: ")


@given(
    st.sampled_from(["request_start_ns", "turn_index", "was_cancelled", "conversation_id"]),
    json_values,
)  # fmt: skip
def test_a_field_is_read_exactly_or_refused(name: str, value: Any) -> None:
    try:
        record = parse_record(line(metadata={name: value}), 1)
    except RecordError:
        return
    if name == "request_start_ns":
        assert record.start_ns == value
    elif name == "turn_index":
        assert record.turn == value
    elif name == "conversation_id":
        assert record.conversation == value
