"""GPU samples beside a load become energy, or the reason why not."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from results.ingest.formats.aiperf import read_load
from results.metrics import METRICS
from tests.results.ingest.bundles import DATA

START = datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC).timestamp()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA, tmp_path / "c0002"))


def sample(folder: Path, first: int, last: int, gpus: int = 1) -> None:
    lines = [
        {"at": START + second, "gpus": [{"uuid": f"GPU-{gpu}", "power_watts": 500.0} for gpu in range(gpus)]}
        for second in range(first, last)
    ]
    (folder / "gpu.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_energy_of_the_window_whose_tokens_are_counted(folder: Path) -> None:
    sample(folder, -3, 30, gpus=2)
    point = read_load(folder, gpus=2)
    seconds = point.values["duration"]
    assert point.values["gpu_energy"] == pytest.approx(2 * 500 * seconds)
    assert point.values["gpu_power_mean"] == pytest.approx(500)
    assert point.values["joules_per_output_token"] == pytest.approx(2 * 500 * seconds / 423)
    assert point.values["joules_per_request"] == pytest.approx(2 * 500 * seconds / 9)
    assert set(point.values) <= set(METRICS)
    assert point.extra["power"]["power_valid"] is True


def test_samples_that_end_too_early_leave_a_reason_and_no_joules(folder: Path) -> None:
    sample(folder, -3, 10)
    point = read_load(folder, gpus=1)
    assert point.extra["power"]["reasons"] == ["benchmark_window_not_bracketed"]
    assert not {"gpu_energy", "total_power_mean", "joules_per_output_token"} & set(point.values)


def test_a_host_without_samples_says_nothing(folder: Path) -> None:
    assert "power" not in read_load(folder, gpus=1).extra
