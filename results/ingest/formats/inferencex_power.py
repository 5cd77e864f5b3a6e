"""The power block of InferenceX aggregates: version 2 counts all GPUs, older ones do not say. Pure."""

from collections.abc import Mapping

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_readings import Readings

SCHEMA_VERSION = 2
MEASURED: Mapping[str, str] = {
    "avg_power_w": "gpu_power_mean",
    "avg_total_gpu_power_w": "total_power_mean",
    "total_gpu_energy_j": "gpu_energy",
    "joules_per_successful_query": "joules_per_request",
    "joules_per_input_token": "joules_per_input_token",
    "joules_per_output_token": "joules_per_output_token",
    "joules_per_total_token": "joules_per_total_token",
}
#: Percentiles over time, and figures of one role of a disaggregated deployment.
OTHERS = frozenset({
    "p75_power_w", "p75_total_gpu_power_w", "p90_power_w", "p90_total_gpu_power_w",
    "prefill_gpu_energy_j", "decode_gpu_energy_j", "prefill_avg_power_w", "decode_avg_power_w",
    "prefill_joules_per_input_token", "decode_joules_per_output_token",
})  # fmt: skip
STATEMENTS = frozenset({"power_metric_schema_version", "power_valid"})
NAMES = frozenset(MEASURED) | OTHERS | STATEMENTS

INVALID = "power_invalid"
UNVERSIONED = "power_unversioned"


def read_power(row: Fields, readings: Readings) -> None:
    """Power and energy of a valid block of version 2; nothing of an invalid one.

    Without the version, joules may be those of one role, so they stay under the source's names.
    """
    valid = row.values.get("power_valid")
    if valid is False or (valid is not True and row.number("power_valid") == 0):
        readings.flags.append(INVALID)
        readings.notes.append("power was measured and is not valid: no energy")
        return
    numbers = {name: row.amount(name) for name in NAMES - STATEMENTS if name in row.values}
    stated = {name: number for name, number in sorted(numbers.items()) if number is not None}
    if stated and row.number("power_metric_schema_version") != SCHEMA_VERSION:
        readings.flags.append(UNVERSIONED)
        readings.notes.append("power without schema version 2: joules may count one role only, kept apart")
        readings.extra.update(stated)
        return
    for name, number in stated.items():
        if name in MEASURED:
            readings.values[MEASURED[name]] = number
        else:
            readings.extra[name] = number
