"""The power block of an aggregate: energy of all GPUs of the deployment over the measured window. Pure.

Only schema version 2 with ``power_valid: 1`` is taken. Without a version the energies per token may be
those of one role; with ``power_valid: 0`` the sampling did not cover the window, so no figure is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from results.ingest.formats.agentic.leaves import Leaves

_VERSION = 2
_METRICS: Mapping[str, str] = {
    "avg_power_w": "gpu_power_mean",
    "avg_total_gpu_power_w": "total_power_mean",
    "total_gpu_energy_j": "gpu_energy",
    "joules_per_successful_query": "joules_per_request",
    "joules_per_input_token": "joules_per_input_token",
    "joules_per_output_token": "joules_per_output_token",
    "joules_per_total_token": "joules_per_total_token",
}
#: Known by name, without an entry in the registry.
_OTHERS = (
    "p75_power_w", "p75_total_gpu_power_w", "p90_power_w", "p90_total_gpu_power_w",
    "prefill_gpu_energy_j", "decode_gpu_energy_j", "prefill_avg_power_w", "decode_avg_power_w",
    "prefill_joules_per_input_token", "decode_joules_per_output_token",
)  # fmt: skip


@dataclass(slots=True)
class Power:
    values: dict[str, float] = field(default_factory=dict)
    extra: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_power(leaves: Leaves) -> Power:
    """Raises FormatError for a figure that is no number."""
    version, valid = leaves.count("power_metric_schema_version"), leaves.count("power_valid")
    if version is not None and version == _VERSION and valid == 1:
        return Power(_numbers(leaves, _METRICS), _numbers(leaves, {name: name for name in _OTHERS}))
    dropped = leaves.drop(*_METRICS, *_OTHERS)
    if valid == 0:
        return Power(notes=["power_valid is 0: no power or energy is taken"])
    if not dropped:
        return Power()
    reason = "without a schema version" if version is None else f"of schema version {version}"
    if version == _VERSION:
        reason = "without power_valid"
    return Power(notes=[f"power {reason} is not taken: {', '.join(dropped)}"])


def _numbers(leaves: Leaves, names: Mapping[str, str]) -> dict[str, float]:
    found = ((key, leaves.number(name)) for name, key in names.items())
    return {key: value for key, value in found if value is not None}
