"""Roles and GPU counts of InferenceX rows of every generation. Pure.

A role has tp * pp * pcp GPUs per worker; EP and DCP share them. Some rows give TP * EP instead. In
disaggregated rows the throughputs per GPU prove which counts the producer divided by.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_identity import Spelling, read_hardware
from results.ingest.formats.inferencex_readings import TOLERANCE
from results.ingest.rows import FormatError

TIMES_EP = "gpu_count_is_tp_times_ep"
UNLIKE = "gpu_count_unlike_parallelism"
FROM_THROUGHPUT = "role_gpus_from_throughput"
ONE_NODE = "disaggregated_on_one_node"
_SIZES = {"tp": "tp", "pp": "pp", "dcp_size": "dcp", "pcp_size": "pcp", "ep": "ep", "num_workers": "workers"}
LARGEST_SIZE = 65536
COUNTS = ("num_prefill_gpu", "num_decode_gpu")
NAMES = frozenset({
    "disagg", *COUNTS,
    *(prefix + name for prefix in ("", "prefill_", "decode_") for name in (*_SIZES, "dp_attention")),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class PerGpu:
    """Throughputs as a row states them, tok/s/GPU, whatever it divided by."""

    total: float | None = None
    input: float | None = None
    output: float | None = None

    def fits(self, prefill: int, decode: int) -> bool:
        """Whether input is per prefill GPU, output per decode GPU and the total per any of them."""
        if self.total is None or self.input is None or self.output is None:
            return False
        whole = self.total * (prefill + decode)
        return math.isclose(self.input * prefill + self.output * decode, whole, rel_tol=TOLERANCE)

    def prefill_share(self, gpus: int) -> int | None:
        """How many of ``gpus`` prefill, when the three numbers allow exactly one whole answer."""
        if self.total is None or self.input is None or self.output is None or self.input == self.output:
            return None
        share = (self.total - self.output) * gpus / (self.input - self.output)
        whole = round(share) if math.isfinite(share) else 0
        return whole if 0 < whole < gpus and math.isclose(share, whole, rel_tol=TOLERANCE) else None


@dataclass(slots=True)
class Topology:
    """``gpus`` by role; a role whose count is unknown is absent there."""

    roles: dict[str, dict[str, Any]]
    gpus: dict[str, int] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def disaggregated(self) -> bool:
        return "prefill" in self.roles

    @property
    def total(self) -> int | None:
        return sum(self.gpus.values()) if set(self.gpus) == set(self.roles) else None

    def count(self, role: str, gpus: int | None, flag: str | None = None) -> None:
        if gpus is not None:
            self.gpus[role] = self.roles[role]["gpus"] = gpus
        self.flags.extend([flag] if flag and flag not in self.flags else [])


@dataclass(frozen=True, slots=True)
class _Pool:
    """One role as the row states it; ``reported`` is the row's own GPU count."""

    stated: Mapping[str, Any]
    reported: int | None

    @property
    def product(self) -> int | None:
        sizes = (self.stated.get(name, 1) for name in ("pp", "pcp", "workers"))
        return self.stated["tp"] * math.prod(sizes) if "tp" in self.stated else None

    def judged(self) -> tuple[int | None, str | None]:
        """The right count, and a flag where the reported one is another number."""
        product, ep = self.product, self.stated.get("ep", 1)
        if product is None or self.reported is None or product == self.reported:
            return (self.reported if product is None else product), None
        # EP shares the GPUs of TP, so it can be at most as large; beyond, the product knows too little.
        if 1 < ep <= self.stated["tp"] and self.reported == product * ep:
            return product, TIMES_EP
        return self.reported, UNLIKE


def read_topology(row: Fields, spelling: Spelling, per_gpu: PerGpu) -> Topology:
    """Raises FormatError for fields of a wrong type or size."""
    found = _topology(row, spelling, per_gpu)
    if any(gpus > LARGEST_SIZE for gpus in found.gpus.values()):
        raise FormatError(row.place, f"more than {LARGEST_SIZE} GPUs")
    return found


def _topology(row: Fields, spelling: Spelling, per_gpu: PerGpu) -> Topology:
    disagg = row.flag("disagg")
    reported = [row.count(name) or None for name in COUNTS]
    divided = any(name.startswith("prefill_") and name in NAMES for name in row.values)
    # Rows of one node may carry its only role along as prefill and decode.
    copies = row.flag("is_multinode") is False and not disagg and "tp" in row.values
    if not divided or copies:
        pool = _pool(row, "", None if disagg else reported[0])
        return _undivided(row, spelling, per_gpu, reported, pool) if disagg else _serve(row, spelling, pool)
    prefill, decode = _pool(row, "prefill_", reported[0]), _pool(row, "decode_", reported[1])
    if disagg is None:
        disagg = "workers" in decode.stated
    if not disagg or not (decode.stated.get("tp") or decode.reported):
        return _serve(row, spelling, prefill)
    if prefill == decode and row.flag("is_multinode") is False:
        if "workers" in prefill.stated:
            # Disaggregated needs several nodes: copies of one role, which some rows carry along.
            found = _serve(row, spelling, prefill)
            found.flags.append(ONE_NODE)
            return found
        return _undivided(row, spelling, per_gpu, [prefill.reported, None], prefill)
    return _divided(row, spelling, per_gpu, prefill, decode)


def _pool(row: Fields, prefix: str, reported: int | None) -> _Pool:
    stated: dict[str, Any] = {}
    for name, ours in _SIZES.items():
        # 0 workers, or a role of size 0, is how rows say that there is no such thing.
        if size := row.count(prefix + name):
            stated[ours] = size
            if size > LARGEST_SIZE:
                row.fail(prefix + name, f"must be at most {LARGEST_SIZE}")
    attention = row.flag(f"{prefix}dp_attention") if stated else None
    return _Pool(stated if attention is None else {**stated, "dp_attention": attention}, reported)


def _serve(row: Fields, spelling: Spelling, pool: _Pool) -> Topology:
    found = Topology({"serve": _role(row, spelling, pool)})
    gpus, flag = pool.judged()
    found.count("serve", gpus, flag)
    if flag:
        found.extra = _reported(row)
    return found


def _divided(row: Fields, spelling: Spelling, per_gpu: PerGpu, prefill: _Pool, decode: _Pool) -> Topology:
    pools = {"prefill": prefill, "decode": decode}
    found = Topology({name: _role(row, spelling, pool, name) for name, pool in pools.items()})
    proven = prefill.reported and decode.reported and per_gpu.fits(prefill.reported, decode.reported)
    for name, pool in pools.items():
        gpus, flag = pool.judged()
        if proven and flag:
            gpus, flag = pool.reported, UNLIKE
        found.count(name, gpus, flag)
    if found.flags:
        found.extra = _reported(row)
    return found


def _undivided(
    row: Fields, spelling: Spelling, per_gpu: PerGpu, reported: list[int | None], pool: _Pool
) -> Topology:
    """Disaggregated rows before 2025-12-19: one TP, which is the sum of both roles."""
    found = Topology({name: _role(row, spelling, _Pool({}, None), name) for name in ("prefill", "decode")})
    found.extra = {**_reported(row), **{f"whole_{name}": value for name, value in pool.stated.items()}}
    prefill, decode = reported
    if prefill and not decode:
        share = per_gpu.prefill_share(prefill)
        if share is None:
            return found
        found.flags.append(FROM_THROUGHPUT)
        prefill, decode = share, prefill - share
    found.count("prefill", prefill)
    found.count("decode", decode)
    return found


def _role(row: Fields, spelling: Spelling, pool: _Pool, name: str | None = None) -> dict[str, Any]:
    hardware = read_hardware(row, spelling, name)
    return {**({"hardware": hardware} if hardware else {}), **pool.stated}


def _reported(row: Fields) -> dict[str, Any]:
    return {name: row.values[name] for name in COUNTS if row.values.get(name) is not None}
