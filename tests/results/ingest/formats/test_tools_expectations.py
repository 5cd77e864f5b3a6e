"""Every file of a benchmark tool is read as listed in ``expectations/tools.yaml``."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from results.ingest.formats import FORMATS
from results.ingest.normalize import Normalizer, RefusedError
from results.ingest.rows import Rejected, Remark, Result, Row
from results.ingest.vocabulary import load_vocabulary
from results.services.load_catalogue import load_catalogue
from tests.results.ingest.formats.folders import SHARED, stored

LIST = Path(__file__).parents[1] / "expectations" / "tools.yaml"
LISTED: dict[str, list[Any]] = yaml.safe_load(LIST.read_text(encoding="utf-8"))
FILES: list[dict[str, Any]] = LISTED["files"]
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the files of other people are not at hand")


@cache
def read(path: str) -> list[Row]:
    source = stored(SHARED / path)
    (reader,) = (reader for reader in FORMATS if reader.detect(source))
    return list(reader.read(source))


@pytest.mark.parametrize("expected", FILES, ids=lambda expected: Path(expected["path"]).name)
def test_a_file_is_read_as_listed(expected: dict[str, Any]) -> None:
    source = stored(SHARED / expected["path"])
    found = [(reader.NAME, version) for reader in FORMATS if (version := reader.detect(source))]
    assert found == [(expected["format"], expected["version"])]
    rows = read(expected["path"])
    assert Counter(type(row).__name__ for row in rows) == expected["rows"]
    flags = Counter(flag for row in rows if isinstance(row, Result) for flag in row.flags)
    assert flags == expected.get("flags", {})
    assert [row.text for row in rows if isinstance(row, Remark)] == expected.get("remarks", [])
    assert Counter(row.reason for row in rows if isinstance(row, Rejected)) == expected["rejected"]


@pytest.mark.parametrize("path", LISTED["unrecognised"])
def test_other_files_have_no_reader(path: str) -> None:
    source = stored(SHARED / path)

    assert [reader.NAME for reader in FORMATS if reader.detect(source)] == []


def test_no_file_is_forgotten() -> None:
    there = {str(path.relative_to(SHARED)) for path in (SHARED / "tools").rglob("*") if path.is_file()}
    assert there == {expected["path"] for expected in FILES} | set(LISTED["unrecognised"])


@pytest.mark.django_db
@pytest.mark.parametrize("expected", FILES, ids=lambda expected: Path(expected["path"]).name)
def test_what_nobody_stated_is_named(expected: dict[str, Any]) -> None:
    """Files of tools name little of what was served, so the store asks for it."""
    load_catalogue()
    normalizer = Normalizer(load_vocabulary(), {})
    refused: Counter[str] = Counter()
    for row in read(expected["path"]):
        if isinstance(row, Result):
            try:
                normalizer.recipe(row.recipe)
            except RefusedError as error:
                refused[error.row.reason] += 1
    assert refused == expected["quarantined"]
