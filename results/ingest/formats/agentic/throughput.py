"""Throughput of an agentic aggregate: of the deployment, and per GPU over all its GPUs. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from results.ingest.formats.agentic.identity import Identity
from results.ingest.formats.agentic.leaves import Leaves

#: Path of the total and of the per-GPU figure by kind of token.
Paths = Mapping[str, tuple[str, str]]
NESTED: Paths = {
    kind: (
        f"request_metrics.throughput.{kind}.tokens_per_second",
        f"request_metrics.throughput.per_gpu.{kind}_tput_tps",
    )
    for kind in ("input", "output", "total")
}
FLAT: Paths = {
    "input": ("input_tput_tps", "input_tput_per_gpu"),
    "output": ("output_tput_tps", "output_tput_per_gpu"),
    "total": ("total_tput_tps", "tput_per_gpu"),
}
#: Two figures that were rounded on their own agree this well.
_AGREEMENT = 1e-3


@dataclass(slots=True)
class Throughput:
    values: dict[str, float] = field(default_factory=dict)
    extra: dict[str, float] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_throughput(leaves: Leaves, paths: Paths, identity: Identity) -> Throughput:
    """The row's own per-GPU figures where they divide by all GPUs, else the ones that do."""
    found = Throughput()
    stated = {kind: (leaves.number(whole), leaves.number(each)) for kind, (whole, each) in paths.items()}
    divisor = _divisor(stated)
    _compare_count(found, identity, divisor)
    gpus = identity.gpus
    for kind, (whole, each) in stated.items():
        total = whole if whole is not None else _times(each, divisor or identity.reported or gpus)
        if total is None or total <= 0:
            continue
        found.values[f"{kind}_throughput"] = total
        if gpus:
            fits = each is not None and abs(each * gpus - total) <= _AGREEMENT * total
            found.values[f"{kind}_throughput_per_gpu"] = each if fits and each is not None else total / gpus
            if each is not None and not fits:
                found.extra[paths[kind][1]] = each
    return found


def _times(each: float | None, count: float | None) -> float | None:
    return None if each is None or count is None else each * count


def _divisor(stated: Mapping[str, tuple[float | None, float | None]]) -> float | None:
    """The number of GPUs by which the row divides its own totals."""
    shares = (whole / each for whole, each in stated.values() if whole and each)
    return next((share for share in shares if math.isfinite(share)), None)


def _compare_count(found: Throughput, identity: Identity, divisor: float | None) -> None:
    gpus, reported = identity.gpus, identity.reported
    if gpus is None:
        return
    if reported is None and divisor is not None and abs(divisor - gpus) > _AGREEMENT * gpus:
        reported = round(divisor)
    if reported is None or reported == gpus:
        return
    found.extra["reported_gpu_count"] = reported
    wrong = reported == _tp_times_ep(identity)
    found.flags.append("gpu_count_is_tp_times_ep" if wrong else "gpu_count_unlike_parallelism")
    found.notes.append(
        f"the row counts {reported} GPUs where its sizes make {gpus}; per-GPU figures use {gpus}"
    )


def _tp_times_ep(identity: Identity) -> int:
    roles = identity.recipe["roles"].values()
    return sum(role.get("workers", 1) * role.get("tp", 0) * role.get("ep", 1) for role in roles)
