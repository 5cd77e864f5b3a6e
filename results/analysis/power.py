"""Energy of a load from power samples, and whether it may be stated.

Method, limits and names of reasons follow InferenceX (power aggregate, schema version 2): per device a
trapezoidal integral with linear interpolation at the window's borders; no gap between samples over 3 s; the
window lies between samples; as many GPUs as the deployment has; integrated and reported duration agree within
0.5 s or 1 %. Any reason makes all numbers absent: a wrong energy looks like a right one. Pure: no Django.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any, TypeGuard

MAX_GAP_SECONDS = 3.0
METHOD = "per_device_trapezoidal_with_linear_boundary_interpolation"
_DURATION_SECONDS, _DURATION_SHARE = 0.5, 0.01

#: Time in unix seconds, power in watts.
Sample = tuple[float, float]


class PowerReason(StrEnum):
    """Why a load has no energy."""

    FILE_EMPTY = "telemetry_file_empty"
    FILE_UNREADABLE = "telemetry_file_unreadable"
    INVALID_TIMESTAMP = "invalid_timestamp_sample"
    INVALID_POWER = "invalid_power_sample"
    NO_IDENTITY = "gpu_identity_missing"
    NO_SAMPLES = "no_usable_power_samples"
    GPU_COUNT = "expected_gpu_count_mismatch"
    TOO_FEW = "insufficient_power_samples"
    NOT_BRACKETED = "benchmark_window_not_bracketed"
    GAP = "sampling_gap_exceeded"
    WINDOW = "invalid_benchmark_window"
    DURATION = "benchmark_duration_mismatch"
    REQUESTS = "invalid_successful_query_count"
    INPUT_TOKENS = "invalid_input_token_count"
    OUTPUT_TOKENS = "invalid_output_token_count"


@dataclass(frozen=True, slots=True)
class PowerLog:
    """Samples of each GPU by its identity, ascending; ``reasons`` are faults of the file."""

    gpus: Mapping[str, Sequence[Sample]]
    reasons: tuple[PowerReason, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """What was done in the window from ``start`` to ``end`` (unix seconds)."""

    start: float
    end: float
    reported_seconds: float | None
    requests: int | None
    input_tokens: float | None
    output_tokens: float | None


@dataclass(frozen=True, slots=True)
class PowerAudit:
    """``values`` by registry key, empty unless ``valid``; the rest is evidence for people."""

    reasons: tuple[PowerReason, ...]
    values: Mapping[str, float] = field(default_factory=dict)
    energy_per_gpu: Mapping[str, float] = field(default_factory=dict)
    samples_per_gpu: Mapping[str, int] = field(default_factory=dict)
    gap_per_gpu: Mapping[str, float] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        return not self.reasons

    def to_json(self) -> dict[str, Any]:
        return {
            "power_valid": self.valid,
            "reasons": [str(reason) for reason in self.reasons],
            "integration_method": METHOD,
            "per_gpu_energy_j": dict(self.energy_per_gpu),
            "per_gpu_sample_counts": dict(self.samples_per_gpu),
            "per_gpu_max_sample_gap_s": dict(self.gap_per_gpu),
        }


def parse_power(lines: Iterable[bytes | str]) -> PowerLog:
    """Samples of ``gpu.jsonl``. A line that is no sample is a reason, and the others are read on."""
    gpus: dict[str, list[Sample]] = {}
    faults: dict[PowerReason, None] = {}
    read = 0
    for line in lines:
        if not line.strip():
            continue
        read += 1
        try:
            document = json.loads(line)
            at, entries = document["at"], list(document["gpus"])
        except (ValueError, KeyError, TypeError, RecursionError):
            faults[PowerReason.FILE_UNREADABLE] = None
            continue
        if not _is_number(at):
            faults[PowerReason.INVALID_TIMESTAMP] = None
            continue
        for entry in entries:
            fault = _add(gpus, float(at), entry)
            if fault is not None:
                faults[fault] = None
    if not read:
        faults[PowerReason.FILE_EMPTY] = None
    return PowerLog({name: sorted(samples) for name, samples in gpus.items()}, tuple(faults))


def _add(gpus: dict[str, list[Sample]], at: float, entry: Any) -> PowerReason | None:
    """Keep one GPU's sample, or say what is wrong with it."""
    if not isinstance(entry, dict) or not isinstance(entry.get("uuid"), str) or not entry["uuid"]:
        return PowerReason.NO_IDENTITY
    watts = entry.get("power_watts")
    if not _is_number(watts) or watts < 0:
        return PowerReason.INVALID_POWER
    gpus.setdefault(entry["uuid"], []).append((at, float(watts)))
    return None


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def audit(log: PowerLog, work: Work, expected_gpus: int) -> PowerAudit:
    """Energy of the window and what it makes per request and token, or why it cannot be stated."""
    reasons = [*log.reasons, *_work_faults(work)]
    if not log.gpus:
        reasons.append(PowerReason.NO_SAMPLES)
    if len(log.gpus) != expected_gpus:
        reasons.append(PowerReason.GPU_COUNT)
    inside = {name: _covering(samples, work.start, work.end) for name, samples in log.gpus.items()}
    reasons += [fault for samples in inside.values() for fault in _sample_faults(samples, work)]
    counts = {name: len(samples) for name, samples in inside.items()}
    gaps = {name: round(_gap(samples), 6) for name, samples in inside.items()}
    if reasons:
        return PowerAudit(tuple(dict.fromkeys(reasons)), samples_per_gpu=counts, gap_per_gpu=gaps)
    energy = {name: energy_joules(samples, work.start, work.end) for name, samples in inside.items()}
    values = _metrics(math.fsum(energy.values()), work, expected_gpus)
    return PowerAudit((), values, energy, counts, gaps)


def _work_faults(work: Work) -> list[PowerReason]:
    seconds = work.end - work.start
    if not math.isfinite(seconds) or seconds <= 0:
        return [PowerReason.WINDOW]
    tolerance = max(_DURATION_SECONDS, _DURATION_SHARE * seconds)
    rules = (
        (work.reported_seconds is None or abs(work.reported_seconds - seconds) > tolerance,
         PowerReason.DURATION),
        (not work.requests, PowerReason.REQUESTS),
        (not work.input_tokens, PowerReason.INPUT_TOKENS),
        (not work.output_tokens, PowerReason.OUTPUT_TOKENS),
    )  # fmt: skip
    return [reason for broken, reason in rules if broken]


def _covering(samples: Sequence[Sample], start: float, end: float) -> list[Sample]:
    """From the last sample at or before the start to the first at or after the end."""
    first = max((index for index, (at, _) in enumerate(samples) if at <= start), default=0)
    last = min((index for index, (at, _) in enumerate(samples) if at >= end), default=len(samples) - 1)
    return list(samples[first : last + 1])


def _sample_faults(samples: Sequence[Sample], work: Work) -> list[PowerReason]:
    if len(samples) < 2:
        return [PowerReason.TOO_FEW]
    faults = []
    if samples[0][0] > work.start or samples[-1][0] < work.end:
        faults.append(PowerReason.NOT_BRACKETED)
    if _gap(samples) > MAX_GAP_SECONDS:
        faults.append(PowerReason.GAP)
    return faults


def _gap(samples: Sequence[Sample]) -> float:
    return max((later[0] - earlier[0] for earlier, later in pairwise(samples)), default=0.0)


def energy_joules(samples: Sequence[Sample], start: float, end: float) -> float:
    """Trapezoidal integral of watts from ``start`` to ``end``, which must lie between the samples.

    Power at a border is interpolated linearly between the two samples around it.
    """
    total = []
    for earlier, later in pairwise(samples):
        low, high = max(earlier[0], start), min(later[0], end)
        if high > low:
            total.append((high - low) * (_at(earlier, later, low) + _at(earlier, later, high)) / 2)
    return math.fsum(total)


def _at(earlier: Sample, later: Sample, time: float) -> float:
    share = (time - earlier[0]) / (later[0] - earlier[0])
    return earlier[1] + share * (later[1] - earlier[1])


def _metrics(energy: float, work: Work, gpus: int) -> dict[str, float]:
    """Energy of all GPUs is the numerator of every quotient."""
    seconds = work.end - work.start
    requests, inputs, outputs = work.requests or 0, work.input_tokens or 0.0, work.output_tokens or 0.0
    return {
        "gpu_energy": energy,
        "total_power_mean": energy / seconds,
        "gpu_power_mean": energy / seconds / gpus,
        "joules_per_request": energy / requests,
        "joules_per_input_token": energy / inputs,
        "joules_per_output_token": energy / outputs,
        "joules_per_total_token": energy / (inputs + outputs),
    }
