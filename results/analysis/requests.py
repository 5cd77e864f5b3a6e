"""Per-request records of AIPerf (``profile_export.jsonl``): one JSON object per line."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

#: Factors to seconds by the unit a metric carries.
_SECONDS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
#: A latency of thirty years or a count beyond exact floats is a broken record, not a slow server.
_LONGEST_SECONDS = 1e9
_LARGEST_COUNT = 2**53


class RecordError(ValueError):
    """A line that is no request record; the message names line, field and rule."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


class Phase(StrEnum):
    WARMUP = "warmup"
    PROFILING = "profiling"


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """What the client noted about a request that did not succeed."""

    kind: str
    code: int | None
    message: str


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One finished request. Times are epoch nanoseconds as integers, latencies seconds, sizes tokens.

    ``itl`` is (latency - TTFT) / (output tokens - 1) as the client computed it; ``cached_tokens`` are
    prompt tokens that the server says it read from a cache. ``session`` names one replay of one
    conversation by one agent, ``root`` the session tree it belongs to, ``issued_ns`` when the client wanted
    to send. None means that the file has no value.
    """

    line: int
    phase: Phase
    start_ns: int
    end_ns: int
    conversation: str | None
    turn: int | None
    agent_depth: int
    cancelled: bool
    overflow: bool
    failure: RequestFailure | None
    ttft: float | None
    latency: float | None
    itl: float | None
    full_response_itl: float | None
    input_tokens: int | None
    output_tokens: int | None
    prompt_tokens: int | None
    cached_tokens: int | None
    issued_ns: int | None = None
    session: str | None = None
    root: str | None = None

    @property
    def profiled(self) -> bool:
        return self.phase is Phase.PROFILING

    @property
    def successful(self) -> bool:
        """Profiled, answered, and neither cut off nor too long for the context."""
        return self.profiled and self.failure is None and not self.cancelled and not self.overflow

    @property
    def failed(self) -> bool:
        """Profiled and answered with an error; a request cut off by the client is neither."""
        return self.profiled and self.failure is not None and not self.cancelled and not self.overflow


def parse_records(lines: Iterable[bytes | str]) -> Iterator[RequestRecord]:
    """Records in file order; blank lines are skipped. Raises RecordError at the first broken line."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield parse_record(line, number)


def parse_record(text: bytes | str, line: int) -> RequestRecord:
    """One line of the file; raises RecordError."""
    return _Reader(line).record(_decode(text, line))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _decode(text: bytes | str, line: int) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise RecordError(line, "nested too deeply") from error
    except ValueError as error:
        raise RecordError(line, f"not JSON ({error})") from error


class _Reader:
    """Reads the fields of one line and names the line in every complaint."""

    def __init__(self, line: int) -> None:
        self.line = line

    def fail(self, field: str, rule: str) -> NoReturn:
        raise RecordError(self.line, f"{field} {rule}")

    def record(self, document: Any) -> RequestRecord:
        metadata = self.mapping(document, "record").get("metadata")
        about = self.mapping(metadata, "metadata")
        metrics = self.mapping(document.get("metrics", {}), "metrics")
        start, end = (self.integer(about, name, 0) for name in ("request_start_ns", "request_end_ns"))
        if start is None or end is None:
            self.fail("metadata.request_start_ns and request_end_ns", "must be present")
        if end < start:
            self.fail("metadata.request_end_ns", "is before request_start_ns")
        return RequestRecord(
            line=self.line,
            phase=self.phase(about),
            start_ns=start,
            end_ns=end,
            conversation=self.text(about, "conversation_id"),
            turn=self.integer(about, "turn_index", 0),
            agent_depth=self.integer(about, "agent_depth", 0) or 0,
            cancelled=self.flag(about, "was_cancelled"),
            overflow=self.flag(about, "context_overflow_skip"),
            failure=self.failure(document.get("error")),
            ttft=self.seconds(metrics, "time_to_first_token"),
            latency=self.seconds(metrics, "request_latency"),
            itl=self.seconds(metrics, "inter_token_latency"),
            full_response_itl=self.seconds(metrics, "full_response_inter_token_latency"),
            input_tokens=self.count(metrics, "input_sequence_length"),
            output_tokens=self.count(metrics, "output_sequence_length"),
            prompt_tokens=self.count(metrics, "usage_prompt_tokens"),
            cached_tokens=self.count(metrics, "usage_prompt_cache_read_tokens"),
            issued_ns=self.integer(about, "credit_issued_ns", 0),
            session=self.text(about, "x_correlation_id"),
            root=self.text(about, "root_correlation_id"),
        )

    def mapping(self, value: Any, field: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self.fail(field, "must be an object")
        return value

    def integer(self, about: Mapping[str, Any], name: str, low: int) -> int | None:
        value = about.get(name)
        if value is None:
            return None
        # Epoch nanoseconds exceed 2**53: a float has already lost digits.
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value < 2**63:
            self.fail(f"metadata.{name}", f"must be an integer of at least {low}")
        return value

    def text(self, about: Mapping[str, Any], name: str) -> str | None:
        value = about.get(name)
        if value is not None and not isinstance(value, str):
            self.fail(f"metadata.{name}", "must be a string")
        return value

    def flag(self, about: Mapping[str, Any], name: str) -> bool:
        value = about.get(name)
        if value is not None and not isinstance(value, bool):
            self.fail(f"metadata.{name}", "must be true or false")
        return bool(value)

    def phase(self, about: Mapping[str, Any]) -> Phase:
        # Files from before the field existed hold profiling records only.
        value = about.get("benchmark_phase") or Phase.PROFILING
        if value not in (*Phase,):
            self.fail("metadata.benchmark_phase", "must be warmup or profiling")
        return Phase(value)

    def failure(self, error: Any) -> RequestFailure | None:
        if error is None:
            return None
        details = self.mapping(error, "error")
        code = details.get("code")
        return RequestFailure(
            kind=str(details.get("type") or "Error"),
            code=code if isinstance(code, int) and not isinstance(code, bool) else None,
            message=str(details.get("message") or ""),
        )

    def number(self, metrics: Mapping[str, Any], tag: str) -> tuple[float, str | None] | None:
        """Value and unit; files of early versions hold the bare value."""
        entry = metrics.get(tag)
        if isinstance(entry, dict):
            value, unit = entry.get("value"), entry.get("unit")
        else:
            value, unit = entry, None
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            self.fail(f"metrics.{tag}", "must be a finite number")
        return value, unit

    def seconds(self, metrics: Mapping[str, Any], tag: str) -> float | None:
        found = self.number(metrics, tag)
        if found is None:
            return None
        value, unit = found
        factor = _SECONDS.get(unit or "ms")
        if factor is None:
            self.fail(f"metrics.{tag}.unit", f"must be one of {', '.join(_SECONDS)}")
        if abs(value * factor) > _LONGEST_SECONDS:
            self.fail(f"metrics.{tag}", f"must be at most {_LONGEST_SECONDS:.0e} s")
        return value * factor

    def count(self, metrics: Mapping[str, Any], tag: str) -> int | None:
        found = self.number(metrics, tag)
        if found is None:
            return None
        value, unit = found
        if unit not in (None, "tokens"):
            self.fail(f"metrics.{tag}.unit", "must be tokens")
        if value != int(value) or not 0 <= value < _LARGEST_COUNT:
            self.fail(f"metrics.{tag}", "must be a whole number of tokens")
        return int(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of floats
        return False
