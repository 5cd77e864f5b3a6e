"""Arrays of InferenceX evaluations: the API's, the collector's ``agg_eval_all.json``, supplements. Pure."""

from collections import Counter
from collections.abc import Iterator

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_identity import AGGREGATE, API
from results.ingest.formats.inferencex_scores import read_scores
from results.ingest.formats.inferencex_topology import PerGpu, read_topology
from results.ingest.json_stream import json_rows, outline
from results.ingest.rows import FormatError, Rejected, Remark, Row, Source

NAME = "inferencex-evaluations"
PARSER_VERSION = "inferencex-evaluations/1"

_API = frozenset({"hardware", "framework", "model", "task", "metrics"})
_COLLECTED = frozenset({"hw", "framework", "model", "task", "em_strict"})


def detect(source: Source) -> str | None:
    """``api``, or ``collected`` for rows whose scores stand beside their configuration."""
    found = outline(source)
    if found.kind != "array":
        return None
    if found.keys >= _API:
        return "api"
    return "collected" if found.keys >= _COLLECTED else None


def read(source: Source) -> Iterator[Row]:
    odd: Counter[str] = Counter()
    for found in json_rows(source):
        if isinstance(found, Rejected):
            yield found
            continue
        try:
            row = Fields.of(found[1], found[0])
            yield from _read_row(row, odd)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
    # An evaluation carries no flags of its own.
    for flag, count in sorted(odd.items()):
        yield Remark("", f"{count} rows with {flag}")


def _read_row(row: Fields, odd: Counter[str]) -> Iterator[Row]:
    metrics = row.inner("metrics")
    spelling = API if metrics.values else AGGREGATE
    row = row if metrics.values else _one_attention(row)
    odd.update(read_topology(row, spelling, PerGpu()).flags)
    yield from read_scores(row, metrics if metrics.values else row, spelling)


def _one_attention(row: Fields) -> Fields:
    """Attention of two roles in one text, ``prefill=true,decode=false``, or of none, as separate fields."""
    stated = row.values.get("dp_attention")
    if not isinstance(stated, str) or ("=" not in stated and stated != "none"):
        return row
    parts = dict(part.split("=", 1) for part in stated.split(",") if "=" in part)
    roles = {
        f"{role.strip()}_dp_attention": value
        for role, value in parts.items()
        if f"{role.strip()}_tp" in row.values
    }
    return Fields({**row.values, "dp_attention": None, **roles}, row.place)
