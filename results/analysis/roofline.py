"""Decode against memory bandwidth and prefill against the matrix rate, where every input is known. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from results.analysis.ceilings import CeilingShare, Term, ceiling_of, link_shares
from results.analysis.request_columns import RequestColumns
from results.documents.shapes import ModelShape

GIBIBYTE = 2**30
#: Precision of the weights -> matrix rate of the probe.
_MATRIX = {"bf16": "bf16_matrix", "fp8": "fp8_matrix"}


def shares_of_limit(
    values: Mapping[str, float],
    recipe: Mapping[str, Any],
    requests: RequestColumns | None,
    probe: Mapping[str, Any],
    shape: ModelShape | None,
) -> tuple[CeilingShare, ...]:
    """What can be said of a point; ``recipe`` is its document, ``probe`` that of its host, or empty."""
    found: list[CeilingShare | None] = list(link_shares(values, probe, _gpus(recipe)))
    if shape is not None and _plain(recipe):
        found += [
            decode_share(values, recipe, probe, shape),
            prefill_share(values, recipe, requests, probe, shape),
        ]
    return tuple(share for share in found if share is not None)


def kv_bytes_per_token(
    values: Mapping[str, float], recipe: Mapping[str, Any], shape: ModelShape | None
) -> float | None:
    """Bytes of one token in all layers and GPUs: of the model's shape, else pool memory over pool tokens.

    None where neither is known.
    """
    dtype = recipe.get("kv_dtype")
    exact = None if shape is None or dtype is None else shape.kv_bytes(dtype)
    if exact is not None:
        return exact
    arguments = recipe.get("arguments", {})
    gibibytes, tokens = arguments.get("kv_cache_memory_gib"), values.get("kv_cache_pool_tokens")
    if not gibibytes or not tokens:
        return None
    return float(gibibytes * GIBIBYTE * arguments.get("tensor_parallel_size", 1) / tokens)


def decode_share(
    values: Mapping[str, float], recipe: Mapping[str, Any], probe: Mapping[str, Any], shape: ModelShape
) -> CeilingShare | None:
    """Model bandwidth utilisation: bytes that one step reads, over the time of a step, against device copies.

    A step reads all weights once and the keys and values of everything that runs.
    """
    weights, kv = shape.step_bytes(recipe["precision"]), kv_bytes_per_token(values, recipe, shape)
    ceiling = ceiling_of(probe, "device_copy")
    itl, running = values.get("itl_p50"), values.get("requests_running_mean")
    asked, answered = values.get("input_tokens_mean"), values.get("output_tokens_mean")
    if weights is None or kv is None or ceiling is None or not itl:
        return None
    if running is None or asked is None or answered is None:
        return None
    # While a token is decoded at least one request runs; the mean is over pauses too.
    running, context = max(1.0, running), asked + answered / 2
    rate = (weights + running * context * kv) / itl
    terms = (
        Term("weights", weights, "B"), Term("running", running, "req"), Term("context", context, "tok"),
        Term("kv", kv, "B/tok"), Term("itl", itl, "s"), *_limit(recipe, "device_copy", ceiling, "B/s"),
    )  # fmt: skip
    return CeilingShare("decode", "device_copy", "B/s", rate, _gpus(recipe) * ceiling, terms)


def prefill_share(
    values: Mapping[str, float],
    recipe: Mapping[str, Any],
    requests: RequestColumns | None,
    probe: Mapping[str, Any],
    shape: ModelShape,
) -> CeilingShare | None:
    """Operations of the prompt tokens that no cache held, over the duration, against matrix products."""
    name = _MATRIX.get(recipe["precision"], "")
    ceiling, seconds = ceiling_of(probe, name), values.get("duration")
    work = list(_prefills(requests)) if requests is not None else []
    if ceiling is None or not seconds or not work:
        return None
    flop = sum(shape.prefill_flop(prompt, cached) for prompt, cached in work)
    tokens = sum(prompt - cached for prompt, cached in work)
    terms = (
        Term("requests", len(work), "req"), Term("computed", tokens, "tok"), Term("flop", flop, "FLOP"),
        Term("duration", seconds, "s"), *_limit(recipe, name, ceiling, "FLOP/s"),
    )  # fmt: skip
    return CeilingShare("prefill", name, "FLOP/s", flop / seconds, _gpus(recipe) * ceiling, terms)


def _prefills(requests: RequestColumns) -> Iterator[tuple[int, int]]:
    """Prompt and cached tokens of each request that succeeded and says both."""
    prompt, cached = requests["prompt_tokens"], requests["cached_tokens"]
    known = requests.successful & (prompt >= 0) & (cached >= 0) & (cached <= prompt)
    for place in np.flatnonzero(known):
        yield int(prompt[place]), int(cached[place])


def _limit(recipe: Mapping[str, Any], name: str, ceiling: float, unit: str) -> tuple[Term, Term]:
    return Term("gpus", _gpus(recipe), ""), Term(name, ceiling, unit)


def _gpus(recipe: Mapping[str, Any]) -> int:
    return sum(role["gpus"] for role in recipe["roles"].values())


def _plain(recipe: Mapping[str, Any]) -> bool:
    """One copy of the model that takes one token per step: the formulas say nothing of other deployments."""
    roles = recipe["roles"]
    if set(roles) != {"serve"} or recipe.get("speculative") is not None:
        return False
    return roles["serve"].get("workers", 1) == 1 and not roles["serve"].get("dp_attention", False)
