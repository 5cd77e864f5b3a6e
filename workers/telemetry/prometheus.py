"""Scrapes an engine's Prometheus metrics once a second while a load is measured."""

import json
import math
import re
import threading
import time
from pathlib import Path

from workers import direct

INTERVAL_SECONDS = 1.0
_SAMPLE = re.compile(r"^([A-Za-z_:][\w:]*(?:\{.*\})?)\s+(\S+)(?:\s+\d+)?$")
#: Histogram buckets would make up nine tenths of the file, and the client measures the same better.
_SKIP = re.compile(r"^(?:python_|process_|http_)|_bucket\{|_created(?:\{|$)")

#: Short names for the run page -> the engines' own names.
LIVE = {
    "running": ("llamacpp:requests_processing", "vllm:num_requests_running"),
    "waiting": ("llamacpp:requests_deferred", "vllm:num_requests_waiting"),
    "kv_usage": ("vllm:kv_cache_usage_perc",),
    "prompt_tokens": ("llamacpp:prompt_tokens_total", "vllm:prompt_tokens_total"),
    "cached_tokens": ("llamacpp:prompt_tokens_cached_total", "vllm:prompt_tokens_cached_total"),
    "generated_tokens": ("llamacpp:tokens_predicted_total", "vllm:generation_tokens_total"),
}


def parse(text: str) -> dict[str, float]:
    """Samples of the text format by name and labels; NaN and infinite samples are left out."""
    samples: dict[str, float] = {}
    for line in text.splitlines():
        match = _SAMPLE.match(line)
        if match is None or _SKIP.search(line):
            continue
        try:
            value = float(match[2])
        except ValueError:
            continue
        if math.isfinite(value):
            samples[match[1]] = value
    return samples


def live_summary(samples: dict[str, float]) -> dict[str, float]:
    """The few numbers that a run page shows while the run goes on; sums over label sets."""
    totals: dict[str, float] = {}
    for name, value in samples.items():
        base = name.partition("{")[0]
        totals[base] = totals.get(base, 0.0) + value
    return {short: totals[name] for short, names in LIVE.items() for name in names if name in totals}


class Scraper:
    """Appends ``{"at": unix seconds, "metrics": {...}}`` lines to a file until it is stopped."""

    def __init__(self, url: str, path: Path) -> None:
        self._url = url
        self._path = path
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="telemetry", daemon=True)
        self.latest: dict[str, float] = {}
        self.error: OSError | None = None

    def __enter__(self) -> "Scraper":
        self._thread.start()
        return self

    def __exit__(self, *_details: object) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _loop(self) -> None:
        begin = time.monotonic()
        while not self._stop.is_set():
            try:
                self._scrape()
            except OSError as error:
                # A full disk must reach the supervisor; it looks here at every tick.
                self.error = error
                return
            # On the grid of the first scrape: no drift, and no burst after a server that answered late.
            passed = time.monotonic() - begin
            self._stop.wait((math.floor(passed / INTERVAL_SECONDS) + 1) * INTERVAL_SECONDS - passed)

    def _scrape(self) -> None:
        try:
            samples = parse(direct.get(self._url, timeout=5).decode("utf-8", errors="replace"))
        except direct.NO_ANSWER:
            return
        if not samples:
            return
        self.latest = live_summary(samples)
        line = json.dumps({"at": time.time(), "metrics": samples}, sort_keys=True, allow_nan=False)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
