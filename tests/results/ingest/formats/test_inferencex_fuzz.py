"""No input makes a reader of InferenceX files raise anything but FormatError, or break what rows promise."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.documents.canonical import canonical_json
from results.ingest.formats import (
    FORMATS,
    Format,
    inferencex_api,
    inferencex_changes,
    inferencex_csv,
    inferencex_evaluations,
    inferencex_fixed,
    inferencex_jobs,
    inferencex_listings,
    inferencex_lm_eval,
    inferencex_results,
)
from results.ingest.formats.inferencex_topology import LARGEST_SIZE
from results.ingest.rows import Evaluation, FormatError, Rejected, Result
from results.metrics import METRICS
from tests.results.ingest.formats import inferencex_rows
from tests.results.ingest.formats.test_inferencex_csv import CELLS, text
from tests.results.ingest.formats.test_inferencex_evaluations import META, RESULTS
from tests.results.ingest.formats.test_inferencex_side_files import METADATA, WORKFLOW, YAML, daily
from tests.results.ingest.sources import source_of

MINE: tuple[Format, ...] = (
    inferencex_api, inferencex_changes, inferencex_csv, inferencex_evaluations, inferencex_fixed,
    inferencex_jobs, inferencex_listings, inferencex_lm_eval, inferencex_results,
)  # fmt: skip
GOOD: tuple[Any, ...] = (
    inferencex_rows.AGGREGATE, inferencex_rows.DISAGGREGATED,
    [inferencex_rows.API], [inferencex_rows.COLLECTED], [inferencex_rows.AGGREGATE], META, RESULTS, METADATA,
    WORKFLOW, [daily("b200", 1, 2)], {"b200": {"n_success": 1, "total": 2}},
)  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.text(max_size=8) | st.sampled_from(["true", "none", "8", "prefill=1,x"])
    | st.integers(-(2**70), 2**70) | st.integers(-2, 9) | st.floats()
    | st.sampled_from([0, -1, 1e308, 5e-324, 2**53])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(content: bytes | str) -> None:
    """Reads with every reader, the one whose file it is not too."""
    for reader in MINE:
        source = source_of(content)
        reader.detect(source)
        try:
            rows = list(reader.read(source))
        except FormatError:
            continue
        for row in rows:
            keep_promises(row)


def keep_promises(row: Any) -> None:
    if isinstance(row, Result):
        assert set(row.values) <= set(METRICS)
        assert all(math.isfinite(value) and value >= 0 for value in row.values.values())
        assert row.load is None or row.load >= 1
        roles = row.recipe.get("roles", {}).values()
        assert all(1 <= role.get("gpus", 1) <= LARGEST_SIZE for role in roles)
        canonical_json({"recipe": row.recipe, "extra": row.extra})
    if isinstance(row, Evaluation):
        assert 0 <= row.score <= 1
        canonical_json(row.recipe)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good document in which some members are something else or absent."""
    return json.dumps(replaced(draw, draw(st.sampled_from(GOOD)), 3))


def replaced(draw: st.DrawFn, value: Any, depth: int) -> Any:
    if depth and isinstance(value, list) and value:
        return [replaced(draw, item, depth - 1) for item in value]
    if not depth or not isinstance(value, Mapping) or not value:
        return draw(VALUES)
    changed = dict(value)
    for name in draw(st.lists(st.sampled_from(sorted(value)), max_size=4)):
        if draw(st.booleans()):
            changed[name] = replaced(
                draw, value[name], depth - 1 if isinstance(value[name], dict | list) else 0
            )
        else:
            changed.pop(name, None)
    return changed


@QUICK
@given(damaged())
def test_damaged_documents(content: str) -> None:
    check(content)


@QUICK
@given(st.binary(max_size=200))
def test_any_bytes(content: bytes) -> None:
    check(content)


@QUICK
@given(VALUES)
def test_any_json(content: Any) -> None:
    check(json.dumps(content))


@QUICK
@given(st.dictionaries(st.sampled_from(sorted(CELLS)), st.text(max_size=12), max_size=4))
def test_damaged_exports(changes: dict[str, str]) -> None:
    check(text({**CELLS, **changes}))


@QUICK
@given(st.integers(0, len(YAML)), st.text(max_size=6))
def test_damaged_changelogs(at: int, inserted: str) -> None:
    check((YAML[:at] + inserted + YAML[at:]).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("good", GOOD, ids=range(len(GOOD)))
def test_truncated_documents(good: Any) -> None:
    whole = json.dumps(good)
    for at in range(0, len(whole), 97):
        check(whole[:at])


def test_each_good_document_has_one_reader() -> None:
    for good in GOOD:
        source = source_of(json.dumps(good))
        found = [reader.NAME for reader in FORMATS if reader.detect(source)]
        assert len(found) == 1, found


@pytest.mark.parametrize(
    "change",
    [
        {"tput_per_gpu": 1e308, "input_tput_per_gpu": None, "output_tput_per_gpu": None},
        {"median_tpot": 5e-324, "median_intvty": None},
        {"tp": 65536, "pp": 65536},
        {"tp": 2**53},
    ],
)
def test_numbers_beyond_all_measure_refuse_the_row(change: dict[str, Any]) -> None:
    content = json.dumps({**inferencex_rows.AGGREGATE, **change})
    check(content)
    assert [type(row) for row in inferencex_fixed.read(source_of(content))] == [Rejected]
