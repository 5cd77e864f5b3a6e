"""Run documents side by side, one per GPU named in DEVICES, or one after the other without it."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workers.offline.outcome import Result, write_results

#: An engine's start and end, and per load the client's start, warm-up and export: a run that would need more
#: than is left is not begun.
START_SECONDS, LOAD_SECONDS = 60, 15
#: Kept for packing the results.
PACKING_SECONDS = 12
#: The supervisor gets this long after SIGTERM: 30 s for its engine, the rest for its evidence.
STOP_SECONDS = 40


@dataclass(frozen=True, slots=True)
class Budget:
    """``end`` is unix seconds: the shell that began counting has another monotonic clock."""

    end: float

    def left(self) -> float:
        return self.end - time.time() - PACKING_SECONDS


@dataclass(frozen=True, slots=True)
class Place:
    """Where one run at a time is executed: a data folder, a GPU and a share of the processors."""

    var: Path
    device: str | None = None
    processors: frozenset[int] = frozenset()

    @property
    def environment(self) -> dict[str, str]:
        return {} if self.device is None else {"CUDA_VISIBLE_DEVICES": self.device}


def places(prefix: Path, devices: str) -> list[Place]:
    """One place per device in a list such as ``0,1``; a single one with every device for an empty list.

    Compiled graphs are written into the data folder, so runs side by side have one each.
    """
    names = [name for name in devices.split(",") if name]
    if len(names) < 2:
        return [Place(prefix / "var", names[0] if names else None)]
    processors = sorted(os.sched_getaffinity(0))
    share = max(1, len(processors) // len(names))
    return [
        Place(prefix / f"var-{name}", name, frozenset(processors[number * share : (number + 1) * share]))
        for number, name in enumerate(names)
    ]


@dataclass(slots=True)
class Queue:
    """Documents to run; ``results`` are in the order in which the runs ended."""

    documents: Iterator[Path]
    prefix: Path
    out: Path
    budget: Budget
    results: list[Result] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self, where: list[Place]) -> list[Result]:
        """Run everything that fits into the budget; results are packed after every run."""
        threads = [threading.Thread(target=self._loop, args=(place,)) for place in where]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.results

    def _loop(self, place: Place) -> None:
        while (path := self._next()) is not None:
            result = run_one(path, self.prefix, place, self.budget)
            with self._lock:
                self.results.append(result)
                write_results(self.out, self.results)
            sys.stderr.write(f"{result.line()}\n")

    def _next(self) -> Path | None:
        with self._lock:
            return next(self.documents, None)


def needed(document: dict[str, Any]) -> float:
    """Seconds that a run takes at least."""
    client = document["client"]
    grace = client.get("grace_seconds")
    per_load = float(client["window_seconds"] + (30 if grace is None else grace)) + LOAD_SECONDS
    return START_SECONDS + len(document["loads"]) * per_load


def run_one(path: Path, prefix: Path, place: Place, budget: Budget) -> Result:
    """Run a document unless it was done before or does not fit."""
    wanted, left = needed(json.loads(path.read_text(encoding="utf-8"))), budget.left()
    done = prefix / "done" / path.stem
    if done.exists():
        return Result(path.stem, "done before", 0.0, None, None)
    if wanted > left:
        return Result(path.stem, "not begun", 0.0, None, f"{wanted:.0f} s needed, {left:.0f} s left")
    bundle = fresh(prefix / "bundles" / path.stem)
    begin = time.monotonic()
    code = supervise(path, bundle, place, prefix / "envs", left)
    if code == 0:
        done.parent.mkdir(exist_ok=True)
        done.touch()
    detail = None if place.device is None else f"GPU {place.device}"
    return Result(path.stem, said(bundle, code), time.monotonic() - begin, bundle, detail)


def fresh(bundle: Path) -> Path:
    """A name that no earlier attempt has: its files are evidence."""
    number = 0
    while (place := bundle.with_name(f"{bundle.name}-{number}")).exists():
        number += 1
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def supervise(document: Path, bundle: Path, place: Place, envs: Path, seconds: float) -> int:
    """Exit code of the supervisor; it is asked to stop when its time is up."""
    argv = [sys.executable, "-m", "workers", "run", str(document), "--bundle", str(bundle),
            "--var", str(place.var), "--parent-pipe"]  # fmt: skip
    variables = {**os.environ, "NORTHSTAR_ENVS": str(envs), **place.environment}
    with Path(f"{bundle}.log").open("wb") as log:
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, env=variables
        )
        if place.processors:
            os.sched_setaffinity(process.pid, place.processors)
        try:
            return process.wait(max(1.0, seconds - STOP_SECONDS))
        except subprocess.TimeoutExpired:
            process.terminate()
        try:
            return process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def said(bundle: Path, code: int) -> str:
    """The outcome that the attempt wrote down, or that it wrote none."""
    try:
        return str(json.loads((bundle / "attempt.json").read_bytes())["outcome"])
    except (OSError, ValueError, KeyError):
        return f"no attempt.json, exit code {code}"
