"""Scrapes of an engine's Prometheus metrics, and what a counter or gauge did in a time window."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, NoReturn, TypeGuard

_NAME = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?", re.DOTALL)
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.DOTALL)
_ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}

Labels = tuple[tuple[str, str], ...]


class TelemetryError(ValueError):
    """A line that is no scrape; the message names line, field and rule."""


@dataclass(frozen=True, slots=True)
class Scrape:
    """All samples of one moment; ``at`` is unix seconds, keys are ``name{labels}`` as exposed."""

    at: float
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Series:
    """One labelled time line; ``samples`` are (unix seconds, value), ascending."""

    labels: Mapping[str, str]
    samples: list[tuple[float, float]] = field(default_factory=list)


def parse_scrapes(lines: Iterable[bytes | str]) -> Iterator[Scrape]:
    """Scrapes of ``telemetry.jsonl``. NaN samples are left out: an engine exposes them before first use.

    Raises TelemetryError with the line number.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise TelemetryError(f"line {number}: not JSON ({error})") from error
        yield _scrape(document, number)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _scrape(document: Any, line: int) -> Scrape:
    if not isinstance(document, dict) or not isinstance(document.get("metrics"), dict):
        raise TelemetryError(f"line {line}: metrics must be an object")
    at = document.get("at")
    if not _is_number(at):
        raise TelemetryError(f"line {line}: at must be unix seconds")
    metrics = {}
    for key, value in document["metrics"].items():
        if value is None:
            continue
        if not _is_number(value):
            raise TelemetryError(f"line {line}: metrics.{key} must be a finite number")
        metrics[key] = float(value)
    return Scrape(float(at), metrics)


def _is_number(value: Any) -> TypeGuard[int | float]:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@lru_cache(maxsize=8192)  # an engine repeats the same few hundred names in every scrape
def split_name(key: str) -> tuple[str, Labels]:
    """``name{a="b"}`` as name and labels; counters lose their ``_total``. ValueError for anything else."""
    match = _NAME.fullmatch(key)
    if match is None:
        raise ValueError(f"{key!r} is no Prometheus sample name")
    labels, rest = [], match[2] or ""
    while rest.strip():
        label = _LABEL.match(rest)
        if label is None:
            raise ValueError(f"{key!r} has broken labels")
        labels.append((label[1], re.sub(r"\\.", lambda m: _ESCAPES.get(m[0], m[0]), label[2])))
        rest = rest[label.end() :]
    return match[1].removesuffix("_total"), tuple(labels)


class Window:
    """The scrapes that cover a time window, by metric name without ``_total``."""

    def __init__(self, scrapes: Iterable[Scrape], start: float, end: float) -> None:
        covering = _covering(sorted(scrapes, key=lambda scrape: scrape.at), start, end)
        self._times = [scrape.at for scrape in covering]
        self._series: dict[str, dict[Labels, Series]] = {}
        for scrape in covering:
            for key, value in scrape.metrics.items():
                name, labels = split_name(key)
                series = self._series.setdefault(name, {}).setdefault(labels, Series(dict(labels)))
                series.samples.append((scrape.at, value))

    @property
    def times(self) -> list[float]:
        """Unix seconds of the scrapes, ascending."""
        return self._times

    def series(self, name: str) -> list[Series]:
        return list(self._series.get(name, {}).values())

    def increase(self, name: str, **labels: str) -> float | None:
        """Sum over matching series of last - first; None when unknown or when a counter was reset.

        A series that appears inside the window began at zero, as client libraries create labelled
        counters at their first event. One scrape alone shows a level and no change.
        """
        matching = [series for series in self.series(name) if labels.items() <= series.labels.items()]
        if len(self._times) < 2 or not matching:
            return None
        increases = [_increase(series, self._times[0]) for series in matching]
        known = [increase for increase in increases if increase is not None]
        return math.fsum(known) if len(known) == len(increases) else None

    def gauge(self, *names: str) -> list[float]:
        """Values over time of the first known name, summed over its series at each scrape."""
        for name in names:
            sums: dict[float, float] = {}
            for series in self.series(name):
                for at, value in series.samples:
                    sums[at] = sums.get(at, 0.0) + value
            if sums:
                return [sums[at] for at in sorted(sums)]
        return []

    def highest(self, *names: str) -> float | None:
        """Largest single sample of the first known name."""
        for name in names:
            values = [value for series in self.series(name) for _at, value in series.samples]
            if values:
                return max(values)
        return None


def _covering(scrapes: list[Scrape], start: float, end: float) -> list[Scrape]:
    """From the last scrape at or before the start to the first at or after the end."""
    first = max((index for index, scrape in enumerate(scrapes) if scrape.at <= start), default=0)
    last = min((index for index, scrape in enumerate(scrapes) if scrape.at >= end), default=len(scrapes) - 1)
    return scrapes[first : last + 1]


def _increase(series: Series, first_scrape: float) -> float | None:
    values = [value for _at, value in series.samples]
    if any(later < earlier for earlier, later in pairwise(values)):
        return None
    return values[-1] - (values[0] if series.samples[0][0] == first_scrape else 0.0)
