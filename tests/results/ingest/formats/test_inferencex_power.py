"""The power block of aggregates, by version and validity."""

from typing import Any

import pytest

from tests.results.ingest.formats.inferencex_rows import AGGREGATE
from tests.results.ingest.formats.test_inferencex_fixed import read

POWER = {
    "power_metric_schema_version": 2, "power_valid": 1, "avg_power_w": 900.0, "avg_total_gpu_power_w": 7200.0,
    "total_gpu_energy_j": 1e6, "joules_per_successful_query": 1700.0, "joules_per_input_token": 0.2,
    "joules_per_output_token": 1.8, "joules_per_total_token": 0.18, "prefill_gpu_energy_j": 4e5,
}  # fmt: skip


def test_power_of_version_2() -> None:
    found = read({**AGGREGATE, **POWER})
    assert {name: found.values[name] for name in found.values if "power" in name or "joule" in name} == {
        "gpu_power_mean": 900.0, "total_power_mean": 7200.0, "joules_per_request": 1700.0,
        "joules_per_input_token": 0.2, "joules_per_output_token": 1.8, "joules_per_total_token": 0.18,
    }  # fmt: skip
    assert (found.values["gpu_energy"], found.extra["prefill_gpu_energy_j"]) == (1e6, 4e5)


@pytest.mark.parametrize("valid", [0, False])
def test_invalid_power_gives_no_energy(valid: Any) -> None:
    found = read({**AGGREGATE, **POWER, "power_valid": valid})
    assert not {name for name in found.values if "power" in name or "joule" in name or "energy" in name}
    assert found.flags == ("power_invalid",)


def test_power_without_a_version_is_not_mixed_with_the_modern_one() -> None:
    found = read({**AGGREGATE, "avg_power_w": 900.0, "joules_per_output_token": 1.8})
    assert not {name for name in found.values if "power" in name or "joule" in name}
    assert (found.extra["avg_power_w"], found.extra["joules_per_output_token"]) == (900.0, 1.8)
    assert found.flags == ("power_unversioned",)
