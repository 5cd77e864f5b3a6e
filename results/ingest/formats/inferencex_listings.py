"""Listings of the InferenceX API that repeat what its points say: availability and submissions. Pure."""

from collections.abc import Iterator

from results.ingest.json_stream import outline
from results.ingest.reading import json_document
from results.ingest.rows import Remark, Row, Source

NAME = "inferencex-listings"
PARSER_VERSION = "inferencex-listings/1"

_AVAILABILITY = frozenset(
    {"model", "isl", "osl", "precision", "hardware", "framework", "spec_method", "date"}
)
_SUBMISSIONS = frozenset({"summary", "volume"})


def detect(source: Source) -> str | None:
    """``availability`` or ``submissions``."""
    found = outline(source)
    if found.kind == "array" and found.keys >= _AVAILABILITY and not found.keys & {"metrics", "conc"}:
        return "availability"
    return "submissions" if found.kind == "object" and found.keys >= _SUBMISSIONS else None


def read(source: Source) -> Iterator[Row]:
    document = json_document(source)
    if isinstance(document, list):
        yield Remark(
            "", f"{len(document)} rows say which points exist; they are counted from the points here"
        )
    else:
        yield Remark("", "submissions are counted from the points here")
