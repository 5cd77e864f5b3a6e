"""No input makes a reader of a benchmark tool raise anything but its own error."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from results.ingest.formats import (
    Format,
    genai_perf,
    gpu_csv,
    guidellm,
    llmd,
    lm_eval,
    sglang_bench,
    trtllm_bench,
    vllm_bench,
)
from results.ingest.rows import Evaluation, FormatError, Result, Source
from results.ingest.yaml_text import parse_yaml
from results.metrics import METRICS
from tests.results.ingest.formats import tool_samples
from tests.results.ingest.sources import source_of

READERS: tuple[Format, ...] = (
    vllm_bench, sglang_bench, guidellm, genai_perf, llmd, lm_eval, gpu_csv, trtllm_bench,
)  # fmt: skip
REQUEST = {"request_latency": 2.5, "time_to_first_token_ms": 500.0, "prompt_tokens": 10, "output_tokens": 21}
DOCUMENTS: dict[str, tuple[Format, Any]] = {
    "vllm": (vllm_bench, tool_samples.vllm()),
    "vllm in seconds": (vllm_bench, tool_samples.vllm_seconds()),
    "vllm request by request": (vllm_bench, tool_samples.vllm_detailed()),
    "sglang": (sglang_bench, tool_samples.sglang(server_info=tool_samples.sglang_server())),
    "guidellm": (guidellm, tool_samples.guidellm([REQUEST] * 4)),
    "guidellm summarised": (guidellm, tool_samples.guidellm()),
    "genai-perf": (genai_perf, tool_samples.genai_perf()),
    "llm-d": (llmd, parse_yaml(tool_samples.LLMD)),
    "lm-eval": (lm_eval, tool_samples.lm_eval()),
    "swe-bench": (lm_eval, tool_samples.SWE_BENCH),
}
TEXTS: dict[str, tuple[Format, str]] = {
    "trtllm": (trtllm_bench, tool_samples.TRTLLM),
    "trtllm on pytorch": (trtllm_bench, tool_samples.TRTLLM_PYTORCH),
    "llm-d": (llmd, tool_samples.LLMD),
    "guidellm": (guidellm, yaml.safe_dump(tool_samples.guidellm())),
    "sglang": (sglang_bench, f"title\n{json.dumps(tool_samples.sglang())}\n"),
    "nvidia-smi": (gpu_csv, tool_samples.NVIDIA),
    "amd-smi": (gpu_csv, tool_samples.AMD),
}
#: What other writers have put where a number, a text or an object belongs.
ODD = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6)
    | st.sampled_from(["inf", "NaN", "", "\0", "1" * 5000, [], {}, [None], [[0]], {"a": 1}, -1, 0])
    | st.sampled_from([1e308, 1e30, 1e-30, 1e-310, 5e-324, math.inf, 2**53, 2**53 + 1, 10**30])
)  # fmt: skip
LETTERS = st.sampled_from(list('0{}[]",:\\\n-.xE\0é&*|=')) | st.just("")
thorough = settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check(reader: Format, source: Source) -> None:
    """Detect never raises; read raises FormatError only, and its rows hold registered, finite numbers."""
    reader.detect(source)
    try:
        for row in reader.read(source):
            if isinstance(row, Result):
                assert set(row.values) <= set(METRICS), set(row.values) - set(METRICS)
                assert all(math.isfinite(value) for value in row.values.values())
                assert row.load is None or row.load >= 1
                kept = json.dumps([row.recipe, row.scenario, row.extra, row.notes], allow_nan=False)
                assert "\\u0000" not in kept
            elif isinstance(row, Evaluation):
                assert 0 <= row.score <= 1
            else:
                assert "\0" not in str(row)
    except FormatError as error:
        assert error.reason


@thorough
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.NAME)
@given(content=st.binary(max_size=200) | st.text(max_size=80).map(lambda text: text.encode("utf-16")))
def test_arbitrary_bytes(reader: Format, content: bytes, tmp_path: Path) -> None:
    check(reader, source_of(content, folder=tmp_path))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything inside a decoded document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, inner in items for found in ((*path, key), *places(inner, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], odd)
    return copy


@thorough
@pytest.mark.parametrize("name", DOCUMENTS)
@given(data=st.data(), odd=ODD)
def test_odd_values_anywhere(name: str, data: st.DataObject, odd: Any, tmp_path: Path) -> None:
    reader, document = DOCUMENTS[name]
    path = data.draw(st.sampled_from(places(document)))

    check(reader, source_of(json.dumps(replaced(document, path, odd)), folder=tmp_path))


@thorough
@pytest.mark.parametrize("name", TEXTS)
@given(at=st.floats(0, 1), letter=LETTERS, cut=st.booleans())
def test_damaged_texts(name: str, at: float, letter: str, cut: bool, tmp_path: Path) -> None:
    reader, text = TEXTS[name]
    index = round(at * (len(text) - 1))
    damaged = text[:index] + letter + ("" if cut else text[index + 1 :])
    assume(damaged)

    check(reader, source_of(damaged, folder=tmp_path))


@pytest.mark.parametrize("name", [*DOCUMENTS, *TEXTS])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_every_encoding_gives_the_same_rows(name: str, encoding: str, tmp_path: Path) -> None:
    reader, content = DOCUMENTS.get(name) or TEXTS[name]
    text = content if isinstance(content, str) else json.dumps(content)
    plain = source_of(text, "plain", tmp_path)
    other = source_of(gzip.compress(text.replace("\n", "\r\n").encode(encoding)), "other", tmp_path)

    assert reader.detect(other) == reader.detect(plain) is not None
    assert list(reader.read(other)) == list(reader.read(plain))


@pytest.mark.parametrize("name", [*DOCUMENTS, *TEXTS])
def test_a_file_has_one_reader(name: str, tmp_path: Path) -> None:
    reader, content = DOCUMENTS.get(name) or TEXTS[name]
    source = source_of(content if isinstance(content, str) else json.dumps(content), folder=tmp_path)

    assert [found.NAME for found in READERS if found.detect(source)] == [reader.NAME]
