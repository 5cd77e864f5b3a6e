"""A claim of an author on the scale on which gains are measured here, or why it is not on it. Pure.

Which way is better, and which metric of ours a claim is about, stands in a reviewed table by the claim's own
name: a direction is never guessed from a word in it. Claims of one side only, ranges, bounds and words keep
their text and get no place on the scale.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from results.metrics import gettext_noop


class OffScale(StrEnum):
    """Why a claim is no ratio."""

    NO_DIRECTION = "no_direction"
    ONE_SIDE = "one_side"
    NOT_A_NUMBER = "not_a_number"
    ZERO = "zero"


OFF_SCALE_TEXTS: dict[OffScale, str] = {
    OffScale.NO_DIRECTION: gettext_noop("no quantity with a better direction"),
    OffScale.ONE_SIDE: gettext_noop("only one side is stated"),
    OffScale.NOT_A_NUMBER: gettext_noop("a range, a bound or words"),
    OffScale.ZERO: gettext_noop("a side is 0, so there is no ratio"),
}

#: By the claim's English name: the metric of ours that it is about, where there is one.
_HIGHER: dict[str, str | None] = {
    "AgentX output throughput": "output_throughput",
    "KV blocks per prefill GPU": None,
    "P90 end-to-end normalised interactivity": "e2e_norm_interactivity_p90",
    "cache hit rate": "overall_cache_hit_rate",
    "cached tokens on a repeated 360-token prompt": None,
    "cached tokens shown to the client": "client_cache_hit_rate",
    "cold hit rate": None,
    "completed requests": None,
    "compute units used by a batch-1 decode walk": None,
    "correct needles": None,
    "decode throughput per GPU": "decode_output_throughput_per_gpu",
    "fixed-window completed-output throughput": "output_throughput",
    "frontend request rate": "request_throughput",
    "frontend throughput": "request_throughput",
    "median output throughput": "output_throughput",
    "median per-user output throughput": "interactivity_p50",
    "output throughput": "output_throughput",
    "output throughput per user": "interactivity_p50",
    "peak throughput per GPU": "total_throughput_per_gpu",
    "per-user output throughput": "interactivity_p50",
    "prefill throughput": None,
    "prefix hit rate": "overall_cache_hit_rate",
    "prefix-cache hit rate": "overall_cache_hit_rate",
    "request rate": "request_throughput",
    "served-token throughput per GPU": "total_throughput_per_gpu",
    "server output throughput": "output_throughput",
    "store/remove events applied in the same window": None,
    # Of requests or of tokens: authors mean either.
    "throughput": None,
    "throughput per GPU": "total_throughput_per_gpu",
    "throughput per chip": "total_throughput_per_gpu",
    "total throughput": "total_throughput",
    "total token throughput": "total_throughput",
    "usable KV blocks": None,
}
_LOWER: dict[str, str | None] = {
    "32k-token prefix: reload vs recompute": None,
    "AgentX replay time": None,
    "KDA epilogue time per layer": None,
    "P90 TTFT": "ttft_p90",
    "P99 TTFT": "ttft_p99",
    "TTFT": None,
    "average TTFT": "ttft_mean",
    "copies kept": None,
    "envelope-decode share of samples": None,
    "frontend CPU": None,
    "frontend CPU time": None,
    "hits lost at the window gate": None,
    "load-monitor share of profile": None,
    "mean TTFT": "ttft_mean",
    "mean end-to-end latency": "e2e_latency_mean",
    "mean inter-token latency": "itl_mean",
    "mean tokenisation time per turn": None,
    "median TTFT": "ttft_p50",
    "native events that reached the wire": None,
    "p99 inter-token latency": "itl_p99",
    "request-critical KV p99": None,
    "run-level p95 TTFT": "ttft_p95",
    "run-level p95 inter-token latency": "itl_p95",
    "share of on-CPU time in the ITL histogram path": None,
    "ZMQ receive-pump CPU per request": None,
}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CHANGE = re.compile(r"([+-]\d+(?:\.\d+)?)%")


@dataclass(frozen=True, slots=True)
class Claimed:
    """``gain`` 0.04 is 4 % better, whatever the direction; None with the reason in ``off``.

    ``metric``: key of the registered metric that the claim is about, None where there is none.
    """

    gain: float | None
    off: OffScale | None
    metric: str | None


def claimed(name: str, before: str, after: str, change: str) -> Claimed:
    """``name`` is the English one. Numbers before and after count; a change in percent only without them."""
    higher = name in _HIGHER
    metric = _HIGHER[name] if higher else _LOWER.get(name)
    if not higher and name not in _LOWER:
        return Claimed(None, OffScale.NO_DIRECTION, None)
    found = _ratio(before, after) if before or after else _changed(change)
    if isinstance(found, OffScale):
        return Claimed(None, found, metric)
    return Claimed((found if higher else 1 / found) - 1, None, metric)


def _ratio(before: str, after: str) -> float | OffScale:
    if not before or not after:
        return OffScale.ONE_SIDE
    if not (_NUMBER.fullmatch(before) and _NUMBER.fullmatch(after)):
        return OffScale.NOT_A_NUMBER
    first, second = float(before), float(after)
    return second / first if first and second else OffScale.ZERO


def _changed(change: str) -> float | OffScale:
    found = _CHANGE.fullmatch(change)
    if found is None:
        return OffScale.NOT_A_NUMBER if change else OffScale.ONE_SIDE
    ratio = 1 + float(found[1]) / 100
    return ratio if ratio > 0 else OffScale.ZERO
