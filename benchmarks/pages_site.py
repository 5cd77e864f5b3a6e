"""Fills the database of the benchmark of pages, through the product's own reading of files where it can."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.ingest import MODELS
from benchmarks.pages_rows import NEWEST, WEEKS, older, rows, write

_PUBLIC = Path(__file__).resolve().parents[2] / "shared" / "data" / "inferencex_api"
CAPTURE = _PUBLIC / "snapshot_2026-05-05" / "benchmarks.json"
CAPTURED, SCENARIOS = MODELS[0], ("1024/1024", "1024/8192", "8192/1024")


def fill_first(folder: Path, models: tuple[str, ...]) -> None:
    """The captured rows, the upstream projects with evidence, the newest two weeks of the site."""
    from django.core.management import call_command

    call_command("load_measured", verbosity=0)
    if CAPTURE.is_file():
        call_command("import", str(CAPTURE), verbosity=0)
    else:
        read(folder, stand_in())
    read(folder, rows(models, range(WEEKS - 2, WEEKS)))


def stand_in() -> Iterator[dict[str, Any]]:
    """435 rows of the model that the capture holds."""
    return (row for _count, row in zip(range(435), rows([CAPTURED], [WEEKS - 1]), strict=False))


def fill_history(folder: Path, models: tuple[str, ...]) -> None:
    """All older weeks of the site, and the captured rows once more for each of nineteen weeks before."""
    from results.queries.points import CSV_HEADER, PointFilter, csv_lines

    found = list(csv.DictReader(csv_lines(PointFilter(model=CAPTURED))))
    read(folder, (older(row, copy) for copy in range(1, 20) for row in found), CSV_HEADER)
    from benchmarks.pages_models import copy_model

    read(folder, rows(models[:1], range(WEEKS - 2)))
    for model in models[1:]:
        copy_model(models[0], model, without=NEWEST)


def read(folder: Path, found: Iterator[dict[str, Any]], columns: tuple[str, ...] = ()) -> None:
    path = folder / "rows.csv"
    count = write(path, found, columns) if columns else write(path, found)
    argv = [sys.executable, "-m", "benchmarks.ingest", "--child", str(path)]
    told = json.loads(subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout)
    assert told["created"] == count, (told, count)
    path.unlink()
    print(f"{count} rows read in {told['seconds']:.0f} s", file=sys.stderr, flush=True)
