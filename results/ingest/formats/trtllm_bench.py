"""The report that ``trtllm-bench`` prints at its end, out of a whole log.

A log may hold several runs; the last report of each block of sections counts as one point. Output
throughput of early versions is called ``Token Throughput``; lengths are averages, so they are scenario
lengths only where the whole data set has one length, which the report does not say.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from results.analysis.validity import judge_fixed
from results.ingest.fields import LONGEST_COUNT, Fields
from results.ingest.reading import lines
from results.ingest.rows import FormatError, Rejected, Result, Row, Source
from results.ingest.serving import MILLISECONDS, STATS, accounting, interactivity

NAME = "trtllm-bench"
PARSER_VERSION = "trtllm-bench/1"
_SECTION = re.compile(r"^= ([A-Z][A-Z +]*[A-Z])(?: \(.*\))?\s*$")
_ENTRY = re.compile(r"^([A-Z][^:\t]*?(?:\[[^\]]*\][^:]*?)?)(?: \(([^()]*)\))?:\s*(\S.*?)\s*$")
_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?")
_BREAKDOWN = re.compile(r"^\[(TTFT|TPOT|Latency)\] (AVERAGE|P\d+)\s*: ([-+.\dEe]+)$")
_ENGINE = ("ENGINE DETAILS", "PYTORCH BACKEND")
_OVERVIEW = "PERFORMANCE OVERVIEW"
_DETECTED = 4_000
_TOOLS = ("TensorRT-LLM Version", "TensorRT LLM Version")
_BREAKDOWNS = {"TTFT": "ttft", "TPOT": "tpot", "Latency": "e2e_latency"}
_AVERAGES = {
    "Average request latency": "e2e_latency_mean",
    "Average time-to-first-token [TTFT]": "ttft_mean",
    "Average time-per-output-token [TPOT]": "tpot_mean",
}  # fmt: skip
_KEPT = (
    "Dtype", "Quantization", "Max Runtime Batch Size", "Max Runtime Tokens", "Scheduling Policy",
    "KV Memory Percentage", "Max Sequence Length", "EP Size", "Number of concurrent requests",
    "Per User Output Throughput [w/ ctx]", "Per User Output Speed", "Average Input Length",
    "Average Output Length",
)  # fmt: skip
#: Other lines of a section are log text.
_NAMES = frozenset({
    *_TOOLS, *_AVERAGES, *_KEPT, "Model", "KV Cache Dtype", "TP Size", "PP Size", "Issue Rate",
    "Number of requests", "Total Latency", "Request Throughput", "Total Output Throughput",
    "Total Token Throughput", "Token Throughput",
})  # fmt: skip


def detect(source: Source) -> str | None:
    """``engine`` or ``pytorch``, by the backend's section."""
    try:
        for number, line in lines(source):
            title = line.strip()
            if title in tuple(f"= {name}" for name in _ENGINE):
                return "engine" if title.endswith(_ENGINE[0]) else "pytorch"
            # The report stands at the end of a log that begins like this, or at the beginning of a cut one.
            if number > _DETECTED and "[TRT-LLM]" not in line:
                return None
    except FormatError:
        pass
    return None


def read(source: Source) -> Iterator[Row]:
    found = False
    for place, report in _reports(source):
        found = True
        try:
            yield _point(Fields(report, place))
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
    if not found:
        raise FormatError("", f"the section {_OVERVIEW} is missing: the report is cut")


def _reports(source: Source) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Place and entries of every report that has its performance section."""
    report: dict[str, Any] = {}
    place = section = ""
    for number, line in lines(source):
        if "\0" in line:
            raise FormatError(f"line {number}", "a NUL character")
        heading = _SECTION.match(line)
        if heading is None:
            if section:
                _collect(report, line)
            continue
        section = heading[1]
        if section in _ENGINE:
            if _is_complete(report):
                yield place, report
            report, place = {}, f"line {number}"
    if _is_complete(report):
        yield place, report


def _is_complete(report: Mapping[str, Any]) -> bool:
    return "Total Latency" in report or "Request Throughput" in report


def _collect(report: dict[str, Any], line: str) -> None:
    breakdown = _BREAKDOWN.match(line.strip())
    if breakdown:
        stat = "mean" if breakdown[2] == "AVERAGE" else STATS.get(breakdown[2].lower())
        if stat:
            report[f"{_BREAKDOWNS[breakdown[1]]}_{stat}"] = _scalar(breakdown[3])
        return
    entry = _ENTRY.match(line.strip())
    if entry and entry[1].strip() in _NAMES:
        report[entry[1].strip()] = _scalar(entry[3])


def _scalar(cell: str) -> Any:
    """A number where the cell is one; else its text, which no metric accepts."""
    if cell in ("None", "N/A"):
        return None
    if not _NUMBER.fullmatch(cell) or not math.isfinite(float(cell)):
        return cell
    return int(cell) if cell.isdecimal() and len(cell) <= LONGEST_COUNT else float(cell)


def _point(report: Fields) -> Result:
    requests = report.count("Number of requests")
    return Result(
        pointer=report.place,
        recipe=_recipe(report),
        scenario={},
        load=None,
        values={**_rates(report), **_latencies(report), **accounting(requests, None)},
        verdict=judge_fixed(requests),
        extra=_extra(report),
        notes=_notes(report),
    )


def _recipe(report: Fields) -> dict[str, Any]:
    tp, pp = report.positive("TP Size"), report.positive("PP Size")
    role = {"tp": tp, "pp": pp, "ep": report.count("EP Size") or None}
    sizes: dict[str, Any] = {name: size for name, size in role.items() if size is not None}
    if tp is not None and pp is not None:
        sizes["gpus"] = tp * pp
    version = next((found for name in _TOOLS if (found := _text(report, name))), None)
    parts = {
        "roles": {"serve": sizes} if sizes else {},
        "engine": {"name": "trtllm", "version": version} if version else {"name": "trtllm"},
        "model": {"name": _text(report, "Model")} if _text(report, "Model") else {},
        "precision": _text(report, "Quantization") or _text(report, "Dtype"),
        "kv_dtype": _text(report, "KV Cache Dtype"),
    }
    return {name: part for name, part in parts.items() if part}


def _text(report: Fields, name: str) -> str | None:
    value = report.values.get(name)
    return None if value is None else str(value)


def _rates(report: Fields) -> dict[str, float]:
    """Early reports give output throughput alone; input follows from the average length and the duration."""
    milliseconds, requests = report.amount("Total Latency"), report.count("Number of requests")
    seconds = None if milliseconds is None else milliseconds * MILLISECONDS
    late, length = report.amount("Total Output Throughput"), report.amount("Average Input Length")
    outputs = report.amount("Token Throughput") if late is None else late
    inputs = length * requests / seconds if length is not None and requests is not None and seconds else None
    total = report.amount("Total Token Throughput")
    if total is None and inputs is not None and outputs is not None:
        total = inputs + outputs
    found = {
        "duration": seconds, "request_throughput": report.amount("Request Throughput"),
        "input_throughput": inputs, "output_throughput": outputs, "total_throughput": total,
    }  # fmt: skip
    return {key: value for key, value in found.items() if value is not None and math.isfinite(value)}


def _latencies(report: Fields) -> dict[str, float]:
    found = {key: report.amount(name) for name, key in _AVERAGES.items()}
    for quantity in _BREAKDOWNS.values():
        for stat in set(STATS.values()):
            key = f"{quantity}_{stat}"
            found[key] = found.get(key) if report.amount(key) is None else report.amount(key)
    seconds = {key: value * MILLISECONDS for key, value in found.items() if value}
    lengths = {"input_tokens_mean": "Average Input Length", "output_tokens_mean": "Average Output Length"}
    tokens = {key: value for key, name in lengths.items() if (value := report.amount(name)) is not None}
    return {**seconds, **interactivity(seconds), **tokens}


def _extra(report: Fields) -> dict[str, Any]:
    return {name: report.values[name] for name in _KEPT if report.values.get(name) is not None}


def _notes(report: Fields) -> tuple[str, ...]:
    rate = report.amount("Issue Rate")
    if rate is None or rate < 1e9:
        return ()
    return (f"Issue Rate {rate:g} left out: all requests were sent at once",)
