"""Throughputs of InferenceX rows with all-GPU denominators, and role-local ones beside them. Pure.

Fixed-sequence producers divide the total by all GPUs, and from 2025-11-05 on, in disaggregated
deployments, input by the prefill GPUs and output by the decode GPUs. Which of the two a row did shows
in its own numbers: role-local shares weighted by GPUs, or plain shares, make up the total.
"""

import math

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_readings import TOLERANCE, Readings
from results.ingest.formats.inferencex_topology import PerGpu, Topology

TOTAL, INPUT, OUTPUT = NAMES = ("tput_per_gpu", "input_tput_per_gpu", "output_tput_per_gpu")
TWICE = "gpus_counted_twice"
APART = "throughputs_do_not_add_up"
ALL_GPUS = "role_throughput_was_per_all_gpus"


def read_per_gpu(row: Fields) -> PerGpu:
    return PerGpu(row.amount(TOTAL), row.amount(INPUT), row.amount(OUTPUT))


def put_throughput(per_gpu: PerGpu, topology: Topology, readings: Readings) -> None:
    """Per GPU and for the deployment; what cannot be told apart stays in ``extra`` under its name."""
    if topology.disaggregated:
        _put_disaggregated(per_gpu, topology, readings)
    else:
        _put_shared(per_gpu, readings)
    for kind in ("total", "input", "output"):
        value = readings.values.get(f"{kind}_throughput_per_gpu")
        if value is not None and topology.total is not None:
            readings.values[f"{kind}_throughput"] = value * topology.total


def _put_shared(per_gpu: PerGpu, readings: Readings) -> None:
    total = per_gpu.total
    if total is not None and per_gpu.input is not None and per_gpu.output is not None:
        parts = per_gpu.input + per_gpu.output
        if math.isclose(parts, 2 * total, rel_tol=TOLERANCE) and total:
            # Aggregated rows on several nodes before 2026-05-03 carried every GPU in both roles.
            readings.flags.append(TWICE)
            readings.extra[TOTAL] = total
            total = parts
        elif not math.isclose(parts, total, rel_tol=TOLERANCE):
            readings.flags.append(APART)
    _put(readings, total, per_gpu.input, per_gpu.output)


def _put_disaggregated(per_gpu: PerGpu, topology: Topology, readings: Readings) -> None:
    prefill, decode = topology.gpus.get("prefill"), topology.gpus.get("decode")
    total, input_, output = per_gpu.total, per_gpu.input, per_gpu.output
    _put(readings, total, None, None)
    if input_ is None and output is None:
        return
    if total is None or input_ is None or output is None or not prefill or not decode:
        _keep_apart(per_gpu, readings, "the GPUs that they were divided by are not stated")
        return
    gpus = prefill + decode
    if per_gpu.fits(prefill, decode):
        shares = (input_ * prefill / gpus, output * decode / gpus)
    elif math.isclose(input_ + output, total, rel_tol=TOLERANCE):
        readings.flags.append(ALL_GPUS)
        shares = (input_, output)
        input_, output = input_ * gpus / prefill, output * gpus / decode
    else:
        readings.flags.append(APART)
        _keep_apart(per_gpu, readings, "they make up the total with no denominator in use")
        return
    _put(readings, total, *shares)
    readings.values["prefill_input_throughput_per_gpu"] = input_
    readings.values["decode_output_throughput_per_gpu"] = output


def _keep_apart(per_gpu: PerGpu, readings: Readings, reason: str) -> None:
    stated = {INPUT: per_gpu.input, OUTPUT: per_gpu.output}
    readings.extra.update({name: value for name, value in stated.items() if value is not None})
    readings.notes.append(f"input and output throughput per GPU kept apart: {reason}")


def _put(readings: Readings, total: float | None, input_: float | None, output: float | None) -> None:
    for kind, value in (("total", total), ("input", input_), ("output", output)):
        if value is not None:
            readings.values[f"{kind}_throughput_per_gpu"] = value
