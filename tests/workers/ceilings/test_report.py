import json
from typing import Any

import pytest

from workers.ceilings import report as module
from workers.ceilings.report import measured, report, summary
from workers.ceilings.timing import Rate


def test_a_rate_shows_its_spread() -> None:
    assert Rate("B/s", 100.0, (2.0, 1.0, 4.0)).to_json() == {
        "unit": "B/s", "median": 50.0, "lowest": 25.0, "highest": 100.0, "repeats": 3, "work": 100.0,
    }  # fmt: skip


def test_what_a_gpu_cannot_do_is_said() -> None:
    def fp8() -> Any:
        raise RuntimeError("not on this device\nCompile with TORCH_USE_CUDA_DSA")

    assert measured(fp8) == {"error": "not on this device"}


def test_a_host_without_gpus_has_facts_and_no_ceilings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "gpu_count", lambda: 0)
    monkeypatch.setattr(module, "gpu_facts", list)
    found = report()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["host"]["cpu_count"] >= 1
    assert (found["gpus"], found["ceilings"], found["all_reduce"]) == ([], [], None)
    assert summary(found)[0].endswith("0 GPUs")


def test_lines_for_a_person() -> None:
    rate = Rate("B/s", 4e12, (1.0,)).to_json()
    found = {
        "host": {"cpu": "C", "cpu_count": 4},
        "gpus": [{"index": 0, "name": "G", "driver": "1"}],
        "ceilings": [
            {"gpu": 0, "device_copy": rate, "fp8_matrix": {"error": "none"}, "pinned": [{"bytes": 8, **rate}]}
        ],
        "all_reduce": None,
    }
    assert summary(found) == [
        "C, 4 processors, 1 GPUs",
        "GPU 0: G, driver 1",
        "GPU 0 device_copy: 4e+12 B/s (4e+12 to 4e+12)",
        "GPU 0 fp8_matrix: none",
        "GPU 0 pinned: 8 bytes: 4e+12 B/s (4e+12 to 4e+12)",
    ]
