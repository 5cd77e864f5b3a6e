import json
from pathlib import Path

import pytest

from results.analysis.power import parse_power
from tests.workers.fakes.nvml import FakeNvml
from workers.telemetry.gpu import GpuSampler, reading, reasons, visible


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_samples_enclose_what_is_measured(tmp_path: Path) -> None:
    path, library = tmp_path / "gpu.jsonl", FakeNvml()
    with GpuSampler(path, library):
        assert len(read(path)) == 1
    samples = read(path)
    assert len(samples) == 2
    assert library.shut_down
    log = parse_power(path.read_text().splitlines())
    assert log.reasons == ()
    assert [watts for _, watts in log.gpus["GPU-1"]] == [400.0, 400.0]


def test_without_a_driver_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.telemetry.gpu.nvml", lambda: None)
    with GpuSampler(tmp_path / "gpu.jsonl") as sampler:
        assert sampler.error is None
    assert not (tmp_path / "gpu.jsonl").exists()


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with GpuSampler(tmp_path / "no such folder" / "gpu.jsonl", FakeNvml()) as sampler:
        assert isinstance(sampler.error, OSError)


def test_units_and_what_the_driver_does_not_tell() -> None:
    assert reading(FakeNvml(refuses=("nvmlDeviceGetTotalEnergyConsumption",)), 1, 1) == {
        "index": 1, "uuid": "GPU-1", "power_watts": 400.0, "energy_joules": None, "temperature_celsius": 41,
        "sm_clock_mhz": 1980, "memory_clock_mhz": 3201, "memory_used_bytes": 1024,
        "utilization_percent": 93, "throttle_reasons": ["sw_power_cap"],
    }  # fmt: skip


def test_reasons_are_the_set_bits() -> None:
    assert reasons(None) is None
    assert reasons(0) == []
    assert reasons(0x4 | 0x40) == ["sw_power_cap", "hw_thermal_slowdown"]


@pytest.mark.parametrize(
    ("text", "found"), [(None, [0, 1]), ("1", [1]), ("", []), ("0,7", [0]), ("1,0", [1, 0])]
)
def test_only_visible_gpus_are_sampled(
    text: str | None, found: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if text is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", text)
    assert visible(2) == found
