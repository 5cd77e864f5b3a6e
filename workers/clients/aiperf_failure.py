"""Why AIPerf failed. What a server answered is in its records only; that it gave up is in its log only."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from results.analysis.requests import RecordError, RequestFailure, parse_records
from results.documents.failures import FailureClass
from workers.clients.aiperf import RECORDS
from workers.engines.diagnosis import first_causal_line
from workers.failures import ExecutionFailure

#: Warnings by which AIPerf 0.13 announces that it gives up.
_WARMUP_FAILED = re.compile(r"Terminal warmup failure")
_GIVES_UP = re.compile(rf"{_WARMUP_FAILED.pattern}|--failed-request-threshold exceeded")
_NO_SPACE = re.compile(r"No space left on device|Errno 28\b")
_ERROR = re.compile(r"\b(ERROR|CRITICAL)\b")
_DRESS = re.compile(r"^\d\d:\d\d:\d\d\.\d+\s+\w+\s+|\s*\(\w+\.py:\d+\)$")
_LONGEST = 300


def failure(folder: Path, phase: str, code: int) -> ExecutionFailure:
    """Class and causal line of a client that ended with ``code`` in ``phase``; ``folder`` is the load's."""
    log = _lines(folder / "client.log")
    end = f"(exit code {code}, phase {phase})"
    if full := next((line for line in log if _NO_SPACE.search(line)), None):
        return ExecutionFailure(FailureClass.DISK_FULL, f"client: {_plain(full)} {end}")
    causes = [cause for cause in (answered(folder / RECORDS), said(log)) if cause]
    cause = "; ".join(causes) or first_causal_line(folder / "client.log") or "no output"
    # A warm-up that fails quickly is followed by marks of a profiling phase in which nothing happens.
    failed_early = phase == "warmup" or any(map(_WARMUP_FAILED.search, log))
    kind = FailureClass.WARMUP if failed_early else FailureClass.CLIENT
    return ExecutionFailure(kind, f"client: {cause} {end}")


def answered(records: Path) -> str:
    """The most frequent error of the requests, with its count; empty without one."""
    total, errors = 0, Counter[str]()
    for error in _failures(records):
        total += 1
        errors.update([_one_line(error)] if error else [])
    if not errors:
        return ""
    text, count = errors.most_common(1)[0]
    return f"{text} ({count} of {total} requests)"


def said(log: list[str]) -> str:
    """The line by which it gave up, else its first error, without time stamp and source position."""
    found = next((line for line in log if _GIVES_UP.search(line)), None)
    return _plain(found or next((line for line in log if _ERROR.search(line)), ""))


def _failures(records: Path) -> Iterator[RequestFailure | None]:
    if not records.exists():
        return
    with records.open("rb") as lines:
        try:
            for record in parse_records(lines):
                yield record.failure
        except RecordError:
            # The line that was being written when the client ended.
            return


def _one_line(error: RequestFailure) -> str:
    code = f"HTTP {error.code} " if error.code else ""
    return " ".join(f"{code}{error.kind}: {error.message}".split())[:_LONGEST]


def _lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []


def _plain(line: str) -> str:
    return _DRESS.sub("", line.strip())[:_LONGEST]
