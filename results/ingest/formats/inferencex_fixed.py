"""InferenceX aggregates of one point with fixed sequence lengths (``agg_*.json``), August 2025 onwards. Pure.

The fields grew over a year; ``detect`` answers the date of the newest one that is present.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Any

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_identity import AGGREGATE
from results.ingest.formats.inferencex_points import Cells, read_point
from results.ingest.json_stream import outline
from results.ingest.reading import json_document
from results.ingest.rows import Row, Source

NAME = "inferencex-fixed"
PARSER_VERSION = "inferencex-fixed/1"

#: Fields by the day on which producers began to write them, newest first.
GENERATIONS: tuple[tuple[str, frozenset[str]], ...] = (
    ("2026-08-14", frozenset({"recipe_fingerprint"})),
    ("2026-08-05", frozenset({"power_valid", "power_metric_schema_version"})),
    ("2026-07-13", frozenset({"router", "kv_p2p_transfer"})),
    ("2026-07-10", frozenset({"pp", "prefill_pp"})),
    ("2026-07-06", frozenset({"dcp_size", "pcp_size", "prefill_dcp_size", "prefill_hw"})),
    ("2026-05-26", frozenset({"avg_power_w"})),
    ("2025-12-05", frozenset({"image", "infmax_model_prefix", "is_multinode", "spec_decoding"})),
    ("2025-11-21", frozenset({"isl", "osl"})),
    ("2025-11-17", frozenset({"disagg", "num_prefill_gpu"})),
    ("2025-11-03", frozenset({"ep", "dp_attention"})),
    ("2025-10-17", frozenset({"input_tput_per_gpu"})),
    ("2025-10-15", frozenset({"output_tput_per_gpu"})),
    ("2025-09-24", frozenset({"mtp"})),
    ("2025-09-15", frozenset({"precision"})),
    ("2025-09-04", frozenset({"framework"})),
)
FIRST_GENERATION = "2025-08-20"
_ALWAYS = frozenset({"hw", "conc", "model", "tput_per_gpu"})
#: Fields that only aggregates of agentic points have, over all their generations.
_AGENTIC = frozenset({
    "scenario_type", "request_metrics", "server_metrics", "num_requests_total", "offload_mode", "offloading",
    "kv_offloading", "users", "bs", "theoretical_cache_hit_rate",
})  # fmt: skip


def is_agentic(names: Set[str]) -> bool:
    return bool(names & _AGENTIC) and ("hw" in names or "infmax_model_prefix" in names)


def is_fixed(names: Set[str]) -> bool:
    return names >= _ALWAYS and not is_agentic(names)


def generation(names: Set[str]) -> str:
    """The day of the newest field among ``names``."""
    return next((day for day, fields in GENERATIONS if names & fields), FIRST_GENERATION)


def detect(source: Source) -> str | None:
    found = outline(source)
    return generation(found.keys) if found.kind == "object" and is_fixed(found.keys) else None


def read(source: Source) -> Iterator[Row]:
    yield from read_row(json_document(source), "")


def read_row(row: Mapping[str, Any], pointer: str) -> Iterator[Row]:
    """The point of one aggregate object that stands at ``pointer``."""
    fields = Fields.of(row, pointer)
    yield from read_point(Cells(fields, fields, AGGREGATE))
