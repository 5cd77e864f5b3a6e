"""Every shared file of agentic and multi-turn runs is read as listed in ``expectations/agentic.yaml``."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from results.ingest.formats import FORMATS
from results.ingest.normalize import Normalizer, RefusedError
from results.ingest.rows import Rejected, Remark, Result, Row
from results.ingest.vocabulary import load_vocabulary
from results.metrics import METRICS
from results.services.load_catalogue import load_catalogue
from tests.results.ingest.formats.folders import SHARED, stored

LIST = Path(__file__).parents[1] / "expectations" / "agentic.yaml"
FILES: list[dict[str, Any]] = yaml.safe_load(LIST.read_text(encoding="utf-8"))["files"]
FOLDERS = ("inferencex_ci/multiturn_2026-02", "inferencex_ci/multiturn_2026-04", "inferencex_api/retry",
           "inferencex_ci/tp4_sweep_29003473063")  # fmt: skip
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the files of other people are not at hand")
over_files = pytest.mark.parametrize("expected", FILES, ids=lambda expected: Path(expected["path"]).name)


def read(path: str) -> list[Row]:
    source = stored(SHARED / path)
    (reader,) = (reader for reader in FORMATS if reader.detect(source))
    return list(reader.read(source))


def points(rows: list[Row]) -> list[Result]:
    return [row for row in rows if isinstance(row, Result)]


@over_files
def test_a_file_is_read_as_listed(expected: dict[str, Any]) -> None:
    source = stored(SHARED / expected["path"])
    found = [(reader.NAME, version) for reader in FORMATS if (version := reader.detect(source))]
    assert found == [(expected["format"], expected["version"])]
    rows = read(expected["path"])
    assert len(points(rows)) == expected["points"]
    validity = Counter(row.verdict.validity.value for row in points(rows))
    assert validity == expected.get("validity", {})
    assert Counter(flag for row in points(rows) for flag in row.flags) == expected.get("flags", {})
    assert [row.text for row in rows if isinstance(row, Remark)] == expected.get("remarks", [])
    rejected = [{"pointer": row.pointer, "reason": row.reason} for row in rows if isinstance(row, Rejected)]
    assert rejected == expected.get("rejected", [])
    assert all(row.values.keys() <= METRICS.keys() for row in points(rows))


@pytest.mark.django_db
def test_only_what_the_file_does_not_state_is_missing() -> None:
    load_catalogue()
    normalizer = Normalizer(load_vocabulary(), {})
    for expected in FILES:
        refused: Counter[str] = Counter()
        for row in points(read(expected["path"])):
            try:
                normalizer.recipe(row.recipe)
                normalizer.scenario(row.scenario)
            except RefusedError as error:
                refused[error.row.reason] += 1
        assert refused == expected.get("unstated", {}), expected["path"]


def test_no_file_is_forgotten() -> None:
    there = {str(path.relative_to(SHARED)) for folder in FOLDERS for path in (SHARED / folder).rglob("*.*")}
    there = {path for path in there if (SHARED / path).is_file() and "changelog" not in path}
    assert there == {expected["path"] for expected in FILES}


def test_the_list_in_numbers() -> None:
    assert len(FILES) == 81
    assert sum(expected["points"] for expected in FILES) == 151
    assert sum(len(expected.get("rejected", [])) for expected in FILES) == 6
