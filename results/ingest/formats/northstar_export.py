"""Our own export of points, as CSV and as JSON: what one Northstar wrote, another reads back. Pure."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from math import isfinite
from typing import Any

import orjson

from results.analysis.validity import Reason, Validity, Verdict
from results.documents.export import COLUMNS, FORMULA, SCHEMA
from results.ingest.json_stream import json_rows, outline
from results.ingest.reading import csv_rows, head, parse_json
from results.ingest.rows import Exported, FormatError, Rejected, Result, Row, Source
from results.metrics import METRICS

NAME = "northstar-export"
PARSER_VERSION = "northstar-export/1"
_HEADER = 16_384
_APOSTROPHE = FORMULA[-1]
_REMEMBERED = 4096


def detect(source: Source) -> str | None:
    if outline(source).scalars.get("schema") == SCHEMA:
        return "json/1"
    first = head(source, _HEADER).partition("\n")[0].removesuffix("\r")
    return "csv/1" if set(first.split(",")) >= COLUMNS else None


def read(source: Source) -> Iterator[Row]:
    """The points, each with its run's id and its whole recipe."""
    if outline(source).scalars.get("schema") == SCHEMA:
        yield from _read_json(source)
    else:
        yield from _read_csv(source)


def _read_json(source: Source) -> Iterator[Row]:
    for item in json_rows(source, under="points"):
        if isinstance(item, Rejected):
            yield item
            continue
        pointer, row = item
        try:
            columns = row if isinstance(row, dict) else {}
            values = {key: _number(value, key) for key, value in _object(columns, "values").items()}
        except ValueError as error:
            yield Rejected(pointer, str(error))
            continue
        yield _result(pointer, columns, values)


def _read_csv(source: Source) -> Iterator[Row]:
    documents: dict[str, Any] = {}
    metrics: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    for item in csv_rows(source):
        if isinstance(item, Rejected):
            yield item
            continue
        pointer, cells = item
        if not others:
            # The columns of a file are the same in every row.
            metrics = tuple(name for name in cells if name in METRICS)
            others = tuple(name for name in cells if name not in METRICS)
        try:
            values = _numbers({name: text for name in metrics if (text := cells[name])})
            row = _typed({name: text for name in others if (text := cells[name])}, documents)
        except (ValueError, FormatError) as error:
            yield Rejected(pointer, " ".join(str(error).split())[:500])
            continue
        yield _result(pointer, row, values)


def _numbers(texts: Mapping[str, str]) -> dict[str, float]:
    """Our writer's numbers are those of JSON, whose parser reads many of them at once, and exactly."""
    return dict(zip(texts, map(float, orjson.loads(f"[{','.join(texts.values())}]")), strict=True))


def _typed(cells: Mapping[str, str], documents: dict[str, Any]) -> dict[str, Any]:
    """A row of JSON types. Recipes repeat from row to row, so each is parsed once."""
    row: dict[str, Any] = {name: text[1:] if text[0] == _APOSTROPHE else text for name, text in cells.items()}
    for name in ("recipe_document", "extra"):
        text = row.get(name, "{}")
        if text not in documents:
            if len(documents) >= _REMEMBERED:
                documents.clear()
            documents[text] = parse_json(text, name)
        row[name] = documents[text]
    for name in ("load", "block", "attempt", "context_cap"):
        if name in row:
            row[name] = int(row[name])
    if "planned_window_seconds" in row:
        row["planned_window_seconds"] = float(row["planned_window_seconds"])
    row["reasons"] = row["reasons"].split() if "reasons" in row else []
    return row


def _result(pointer: str, row: Mapping[str, Any], values: Mapping[str, float]) -> Result | Rejected:
    """``values`` are floats; whether they are finite is judged where they are stored."""
    try:
        return Result(
            pointer=pointer,
            recipe=_object(row, "recipe_document"),
            scenario=_scenario(row),
            load=_whole(row, "load"),
            values=values,
            verdict=_verdict(row),
            extra=_object(row, "extra"),
            source_run=_text(row, "source_run"),
            published_run=_text(row, "published_run"),
            measured_at=_moment(row, "measured_at"),
            started_at=_moment(row, "started_at"),
            ended_at=_moment(row, "ended_at"),
            planned_window_seconds=_window(row),
            exported=Exported(
                run=_text(row, "run") or "",
                label=_text(row, "label") or "",
                parser_version=(_text(row, "parser_version") or PARSER_VERSION)[:32],
                block=_whole(row, "block"),
                attempt=_whole(row, "attempt"),
                host=_text(row, "host"),
            ),
        )
    except ValueError as error:
        return Rejected(pointer, str(error))


def _scenario(row: Mapping[str, Any]) -> dict[str, Any]:
    """``8192/1024`` is a fixed scenario; the name of a corpus holds no slash."""
    name = _text(row, "scenario") or ""
    isl, slash, osl = name.partition("/")
    if slash:
        if not (isl.isdecimal() and osl.isdecimal() and len(name) < 20):
            raise ValueError("/scenario: must be a corpus or <isl>/<osl>")
        return {"kind": "fixed", "isl": int(isl), "osl": int(osl)}
    version, cap = _text(row, "corpus_version"), _whole(row, "context_cap")
    return {"kind": "agentic", "corpus": name, "version": version, "context_cap": cap}


def _verdict(row: Mapping[str, Any]) -> Verdict:
    reasons = row.get("reasons")
    if not isinstance(reasons, list):
        raise ValueError("/reasons: must be an array")
    rules = (_text(row, "rules_version") or "")[:32]
    return _judged(_text(row, "validity") or "", tuple(map(str, reasons)), rules)


@lru_cache(maxsize=256)
def _judged(validity: str, reasons: tuple[str, ...], rules: str) -> Verdict:
    verdict = Verdict(Validity(validity), tuple(map(Reason, reasons)), rules)
    if (verdict.validity is Validity.VALID) is not (not reasons):
        raise ValueError("/reasons: a valid point has none, any other has one")
    return verdict


def _object(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = row.get(name, {})
    if not isinstance(value, dict):
        raise ValueError(f"/{name}: must be an object")
    return value


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"/{name}: must be text")
    return value or None


def _whole(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ValueError(f"/{name}: must be a whole number")
    return value


def _number(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise ValueError(f"/values/{name}: must be a finite number")
    return float(value)


def _window(row: Mapping[str, Any]) -> float | None:
    value = row.get("planned_window_seconds")
    return None if value is None else _number(value, "planned_window_seconds")


def _moment(row: Mapping[str, Any], name: str) -> datetime | None:
    text = _text(row, name)
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"/{name}: a time without an offset says no moment")
    return moment
