"""JSON Lines of ``sglang.bench_serving --output-file``: one point per line, titles between them allowed.

``backend`` names the client's protocol; only ``server_info``, which an SGLang server alone answers, says
what was served. Without a concurrency limit (a sweep of request rates) a line has no load.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from results.analysis.validity import judge_fixed
from results.ingest.fields import Fields
from results.ingest.formats.sglang_server import served
from results.ingest.json_stream import json_rows, outline
from results.ingest.reading import lines, parse_json
from results.ingest.rows import FormatError, Rejected, Remark, Result, Row, Source
from results.ingest.serving import (
    MILLISECONDS,
    STATS,
    accounting,
    differing,
    interactivity,
    leftovers,
    rates,
    statistics,
)

NAME = "sglang-bench-serving"
PARSER_VERSION = "sglang-bench-serving/1"
#: Lengths are drawn between this share of the stated length and the length: InferenceX's bound for "fixed".
FIXED_RATIO = 0.8
_MINE = frozenset({"backend", "duration", "completed", "mean_e2e_latency_ms", "total_output_tokens"})
_ONLY_HERE = frozenset({"total_output_tokens_retokenized", "random_range_ratio", "sharegpt_output_len"})
_FOREIGN = frozenset({"model_id", "num_prompts"})
_LATENCIES = {
    "ttft": "ttft", "tpot": "tpot", "itl": "inter_chunk_latency", "e2e_latency": "e2e_latency",
}  # fmt: skip
_RATES = ("request_throughput", "input_throughput", "output_throughput", "total_throughput")
_READ = (
    "max_concurrency", "duration", "completed", *_RATES,
    *(f"{stat}_{name}_ms" for stat in STATS for name in _LATENCIES),
)  # fmt: skip
_TITLES = 50


def detect(source: Source) -> str | None:
    """``tagged`` since the field ``tag`` (2025), else ``plain``."""
    found = outline(source)
    keys = found.keys if found.kind != "other" else _first_keys(source)
    if not keys >= _MINE or not keys & _ONLY_HERE or keys & _FOREIGN:
        return None
    return "tagged" if "tag" in keys else "plain"


def _first_keys(source: Source) -> frozenset[str]:
    """Keys of the first line that is an object, below a few titles."""
    try:
        for _number, line in islice(lines(source), _TITLES):
            if line.lstrip().startswith("{"):
                value = parse_json(line, "", finite=False)
                return frozenset(value) if isinstance(value, dict) else frozenset()
    except FormatError:
        pass
    return frozenset()


def read(source: Source) -> Iterator[Row]:
    for row in _rows(source):
        if isinstance(row, Rejected | Remark):
            yield row
            continue
        try:
            yield _point(Fields.of(row[1], row[0]))
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)


def _rows(source: Source) -> Iterator[tuple[str, Any] | Rejected | Remark]:
    if outline(source).kind in ("object", "array"):
        yield from json_rows(source, finite=False)
        return
    for number, line in lines(source):
        place = f"line {number}"
        if line.lstrip().startswith("{"):
            try:
                yield place, parse_json(line, place, finite=False)
            except FormatError as error:
                yield Rejected(error.pointer, error.reason)
        elif line.strip():
            yield Remark(place, "a title: " + line.strip()[:80].replace("\0", "\ufffd"))


def _point(fields: Fields) -> Result:
    completed = fields.count("completed")
    if completed is None:
        fields.fail("completed", "is missing")
    values, notes = _values(fields, completed)
    scenario, more = _scenario(fields)
    about, detail = served(fields.inner("server_info"))
    return Result(
        pointer=fields.place,
        recipe=about,
        scenario=scenario,
        load=fields.positive("max_concurrency"),
        values={**values, **accounting(completed, None), **_cache(fields)},
        verdict=judge_fixed(completed),
        extra={**leftovers(fields, _READ), **detail},
        flags=("rates_disagree",) if notes else (),
        notes=(*notes, *more),
    )


def _values(fields: Fields, completed: int) -> tuple[dict[str, float], tuple[str, ...]]:
    counts = (fields.count("total_input_tokens"), fields.count("total_output_tokens"))
    computed = rates(fields.amount("duration"), completed, *counts)
    if completed == 0:
        return computed, ()
    reported = {name: value for name in _RATES if (value := fields.amount(name)) is not None}
    latencies = statistics(fields, _LATENCIES, "_ms", MILLISECONDS)
    odd = tuple(f"{key} is not the count over the duration" for key in differing(reported, computed))
    return {**computed, **reported, **latencies, **interactivity(latencies)}, odd


def _scenario(fields: Fields) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Sequence lengths of random prompts, where they are nearly fixed."""
    if fields.text("dataset_name") not in ("random", "random-ids"):
        return {}, ()
    isl, osl, ratio = (
        fields.positive("random_input_len"), fields.positive("random_output_len"),
        fields.amount("random_range_ratio"),
    )  # fmt: skip
    if ratio is None or ratio < FIXED_RATIO:
        return {}, (
            f"random_range_ratio {ratio or 0:g}: lengths spread below {isl}/{osl} tokens, they are not fixed",
        )
    lengths = {"isl": isl, "osl": osl}
    return {"kind": "fixed", **{key: value for key, value in lengths.items() if value is not None}}, ()


def _cache(fields: Fields) -> dict[str, float]:
    report = fields.inner("cache_report")
    cached, prompt = report.count("total_cached_tokens"), report.count("total_prompt_tokens")
    return {} if cached is None or not prompt else {"client_cache_hit_rate": cached / prompt}
