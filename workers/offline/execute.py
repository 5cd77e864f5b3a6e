"""Third step on the target: run documents one after the other until the time is up, and pack what there is.

Exit code 0 when everything that was asked for succeeded, 1 otherwise (summary.json says what), 2 for bad input.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.offline.outcome import Result, write_results
from workers.offline.target import make_environments, share_data

#: An engine's start and end, and per load the client's start, warm-up and drain: a run that would need more
#: than is left is not begun.
START_SECONDS, LOAD_SECONDS = 60, 35
#: Kept for packing the results.
PACKING_SECONDS = 12
#: The supervisor gets this long after SIGTERM: 30 s for its engine, the rest for its evidence.
STOP_SECONDS = 40


@dataclass(slots=True)
class Budget:
    """Seconds until the end; ``clock`` is the time of day, as the shell that started us measured it."""

    end: float

    def left(self) -> float:
        return self.end - time.time() - PACKING_SECONDS


def needed(document: dict[str, Any]) -> float:
    """Seconds that a run takes at least."""
    return START_SECONDS + len(document["loads"]) * (document["client"]["window_seconds"] + LOAD_SECONDS)


def run_all(documents: list[Path], prefix: Path, out: Path, budget: Budget) -> list[Result]:
    """Run what fits; results are packed after every run."""
    results: list[Result] = []
    for path in documents:
        results.append(run_one(path, prefix, budget))
        write_results(out, results)
        sys.stderr.write(f"{results[-1].line()}\n")
    return results


def run_one(path: Path, prefix: Path, budget: Budget) -> Result:
    document = json.loads(path.read_text(encoding="utf-8"))
    if needed(document) > budget.left():
        return Result(path.stem, "not begun", 0.0, None, f"{needed(document):.0f} s needed, {budget.left():.0f} s left")
    done = prefix / "done" / path.stem
    if done.exists():
        return Result(path.stem, "done before", 0.0, None, None)
    bundle = fresh(prefix / "bundles" / path.stem)
    begin = time.monotonic()
    code = supervise(path, bundle, prefix, budget.left())
    if code == 0:
        done.parent.mkdir(exist_ok=True)
        done.touch()
    return Result(path.stem, said(bundle, code), time.monotonic() - begin, bundle, None)


def fresh(bundle: Path) -> Path:
    """A name that no earlier attempt has: its files are evidence."""
    number = 0
    while (place := bundle.with_name(f"{bundle.name}-{number}")).exists():
        number += 1
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def supervise(document: Path, bundle: Path, prefix: Path, seconds: float) -> int:
    """Exit code of the supervisor; it is asked to stop when its time is up."""
    argv = [sys.executable, "-m", "workers", "run", str(document), "--bundle", str(bundle),
            "--var", str(prefix / "var"), "--parent-pipe"]  # fmt: skip
    with Path(f"{bundle}.log").open("wb") as log:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT)
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


def documents_of(prefix: Path, given: list[Path]) -> list[Path]:
    return given or sorted((prefix / "data" / "documents").glob("*.json"))


def probe(out: Path, seconds: float) -> None:
    """What the host can do; a host without torch has less to say."""
    argv = [sys.executable, "-m", "workers", "probe", "--json"]
    with (out / "probe.json").open("wb") as file, (out / "probe.log").open("wb") as log:
        subprocess.run(argv, stdout=file, stderr=log, timeout=seconds, check=False)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="run.sh")
    top.add_argument("--prefix", type=Path, required=True)
    top.add_argument("--out", type=Path, required=True)
    top.add_argument("--started", type=float, required=True)
    top.add_argument("--budget", type=float, required=True)
    top.add_argument("--only", choices=["all", "unpack", "probe"], required=True)
    top.add_argument("documents", nargs="*", type=Path, metavar="RUN.json")
    return top


def main() -> int:
    chosen = parser().parse_args()
    budget = Budget(chosen.started + chosen.budget)
    make_environments(chosen.prefix, chosen.prefix / "var")
    share_data(chosen.prefix, chosen.prefix / "var")
    if chosen.only == "probe":
        probe(chosen.out, max(1.0, budget.left()))
    if chosen.only != "all":
        return 0
    results = run_all(documents_of(chosen.prefix, chosen.documents), chosen.prefix, chosen.out, budget)
    return 0 if all(result.well for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
