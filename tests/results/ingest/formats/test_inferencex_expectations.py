"""Every InferenceX file of other people is read as listed in ``expectations/inferencex.yaml``."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from results.ingest.formats import FORMATS
from results.ingest.normalize import Normalizer, RefusedError
from results.ingest.rows import Evaluation, Rejected, Reliability, Remark, Result, Row
from results.ingest.vocabulary import load_vocabulary
from results.services.load_catalogue import load_catalogue
from tests.results.ingest.formats.folders import SHARED, stored

LIST = Path(__file__).parents[1] / "expectations" / "inferencex.yaml"
FILES: list[dict[str, Any]] = yaml.safe_load(LIST.read_text(encoding="utf-8"))["files"]
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


def test_no_file_is_forgotten() -> None:
    folders = ("inferencex_api/snapshot_2026-05-05", "inferencex_ci/fixed_seq_raw_and_agg", "inferencex_csv")
    there = {str(path.relative_to(SHARED)) for folder in folders for path in (SHARED / folder).iterdir()}
    assert there <= {expected["path"] for expected in FILES}


@pytest.mark.django_db
@pytest.mark.parametrize("expected", FILES, ids=lambda expected: Path(expected["path"]).name)
def test_every_spelling_is_known_and_nothing_is_missing(expected: dict[str, Any]) -> None:
    """But for raw client files, which name a model and nothing else of what was served."""
    load_catalogue()
    normalizer = Normalizer(load_vocabulary(), {})
    refused: Counter[str] = Counter()
    for row in read(expected["path"]):
        try:
            if isinstance(row, Result):
                normalizer.recipe(row.recipe)
                normalizer.scenario(row.scenario)
            elif isinstance(row, Evaluation):
                normalizer.config(row.recipe)
            elif isinstance(row, Reliability):
                normalizer.hardware(row.hardware)
        except RefusedError as error:
            refused[error.row.reason] += 1
    if expected["format"] == "vllm-bench-serve":
        assert all(reason.startswith("nobody stated") for reason in refused)
    else:
        assert refused == {}
