"""Third step on the target: run documents until the time is up, and pack what there is.

Exit code 0 when everything asked for succeeded, 1 otherwise (summary.json says what), 2 for bad input.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from workers.offline.queue import Budget, Queue, places
from workers.offline.target import make_environments, share_data


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
    top.add_argument("--devices", default="")
    top.add_argument("--only", choices=["all", "unpack", "probe"], required=True)
    top.add_argument("documents", nargs="*", type=Path, metavar="RUN.json")
    return top


def main() -> int:
    chosen = parser().parse_args()
    budget = Budget(chosen.started + chosen.budget)
    where = places(chosen.prefix, chosen.devices)
    make_environments(chosen.prefix)
    for place in where:
        share_data(chosen.prefix, place.var)
    if chosen.only == "probe":
        probe(chosen.out, max(1.0, budget.left()))
    if chosen.only != "all":
        return 0
    documents = iter(documents_of(chosen.prefix, chosen.documents))
    results = Queue(documents, chosen.prefix, chosen.out, budget).work(where)
    return 0 if all(result.well for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
