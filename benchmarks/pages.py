"""What do the pages cost when a million points are in the database?

Fills a PostgreSQL of its own: the captured rows of the public InferenceX API where a copy lies beside the
project, else as many of the same shape; the upstream projects with the measurements that ship; and two weeks
of a synthetic site. Then the history grows twenty times, of the synthetic site and of the captured rows.
Files are read by the product; of the older weeks those of one model, which the database then copies for the
others. What answers weigh and how many statements they need is noted before and after, times after. The
server is the one of ``make demo``. Prints a table and writes JSON.

    python -m benchmarks.pages --points 1000000 --out pages.json
"""

import argparse
import json
import os
import platform
import socket
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.ingest import MODELS, setup
from benchmarks.pages_rows import PER_MODEL_AND_WEEK, WEEKS
from benchmarks.pages_site import CAPTURED, SCENARIOS, fill_first, fill_history
from benchmarks.pages_timing import Cost, costs
from dashboard.embedded.testing import start_test_services

PAGE_LIMIT_MS, FIGURE_LIMIT, REQUESTS_LIMIT, COLD_LIMIT = 150, 60_000, 12, 650_000
#: The peer's first point, cold and warm, in milliseconds, on another machine.
PEER, PEER_SHARE = (1147, 547), 0.6
#: Requests of each page before the history grows: their bytes and statements count, not their times.
_BEFORE = 3


def addresses(model: str) -> dict[str, str]:
    """By name; ``model`` is one of the synthetic site."""
    place = f"model={model}&scenario=1024/1024"
    found = {
        "explore": f"/?{place}",
        "explore all": f"/?{place}&show=all",
        "explore as of": f"/?{place}&as_of=2026-05-30",
        "explore captured": f"/?model={CAPTURED}&scenario={SCENARIOS[0]}",
        "compare": f"/compare/?hardware=h200&hardware=b200&{place}",
        "compare captured": f"/compare/b200-vs-mi355x/?model={CAPTURED}",
        "history": f"/history/?{place}",
        "history at x": f"/history/?{place}&basis=equal_x",
    }
    figures = {f"{name}, figure": _figure(address) for name, address in found.items()}
    every = {f"captured {name}, all points": f"/figure.json?model={CAPTURED}&scenario={name}&show=all"
             for name in SCENARIOS}  # fmt: skip
    pull = _measured_pull()
    return {**found, "pick": "/compare/", "pull request": f"/pulls/{pull.repository}/{pull.number}/",
            "slo": f"/slo/?ttft=2&{place}", "cache": f"/cache/?{place}", **figures, **every}  # fmt: skip


def _measured_pull() -> Any:
    """A pull request with evidence: that of every shipped comparison, which is more than any has."""
    from results import clock
    from results.models import Comparison, Evidence, PullRequest

    pull = PullRequest.objects.filter(claims__isnull=False).order_by("repository", "number")[0]
    for comparison in Comparison.objects.order_by("id"):
        Evidence.objects.get_or_create(
            comparison=comparison, pull_request=pull, defaults={"created_at": clock.now()}
        )
    return pull


def _figure(address: str) -> str:
    path, _mark, query = address.partition("?")
    return f"{path}figure.json?{query}"


@contextmanager
def served(folder: Path, port: int) -> Iterator[None]:
    """The web process of the demo around an application that states its cost."""
    from dashboard.demo.children import web

    child = web(folder / "var", port)
    arguments = [word.replace("dashboard.wsgi", "benchmarks.counted_wsgi") for word in child.arguments]
    child = replace(child, arguments=arguments)
    child.start()
    try:
        _wait(f"http://127.0.0.1:{port}/healthz", child)
        yield
    finally:
        child.stop()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(address: str, child: Any) -> None:
    for _try in range(300):
        assert child.ended() is None, child.ended()
        try:
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 (our own server)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(address)


def measure(folder: Path, options: argparse.Namespace, model: str, repeats: int) -> dict[str, Any]:
    from django.db import connection

    from results.models import Curve, Point, Run

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    counts = {"points": Point.objects.count(), "runs": Run.objects.count(), "curves": Curve.objects.count()}
    asked = addresses(model)
    connection.close()
    with served(folder, port := _free_port()):
        found: dict[str, Any] = {**counts, "load_average": os.getloadavg()[0]}
        found["pages"] = {name: cost.plain() for name, cost in costs(port, asked, repeats).items()}
        if options.browser and repeats > _BEFORE:
            from benchmarks.pages_browser import first_points

            raw = f"/api/v1/points.json?published=true&model={CAPTURED}"
            found["browser"] = first_points(
                f"http://127.0.0.1:{port}", asked["explore captured"], raw, options.visits
            )
    return found


def table(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Markdown: pages before and after the history grew."""
    yield f"points {before['points']} -> {after['points']}, load average {after['load_average']:.1f}\n"
    yield "| page | fastest ms | median | p95 | processor | queries | kB | kB gzip | gzip before |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, cost in after["pages"].items():
        one, was = Cost(**cost), Cost(**before["pages"][name])
        yield (
            f"| {name} | {one.fastest:.0f} | {one.median:.0f} | {one.p95:.0f} |"
            f" {one.processor:.0f} | {one.queries} |"
            f" {one.bytes / 1e3:.0f} | {one.gzip / 1e3:.1f} | {was.gzip / 1e3:.1f} |"
        )


def missed(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What does not reach its goal."""
    for name, cost in after["pages"].items():
        one, was = Cost(**cost), Cost(**before["pages"][name])
        if one.p95 > PAGE_LIMIT_MS:
            yield f"{name}: p95 {one.p95:.0f} ms, goal {PAGE_LIMIT_MS}"
        if one.queries != was.queries:
            yield f"{name}: {was.queries} queries became {one.queries}"
        if "figure" in name and one.gzip > FIGURE_LIMIT:
            yield f"{name}: {one.gzip} bytes gzip, goal {FIGURE_LIMIT}"
    browser = after.get("browser")
    if browser is None:
        return
    if browser["requests"] > REQUESTS_LIMIT or browser["transferred_bytes"] > COLD_LIMIT:
        yield f"cold: {browser['requests']} requests, {browser['transferred_bytes']} bytes"
    for moment, prefix in (("seen", ""), ("usable", "usable_")):
        for kind, peer in zip(("cold", "warm"), PEER, strict=True):
            found, goal = browser[f"{prefix}{kind}_ms_median"], PEER_SHARE * peer
            if found > goal:
                yield f"first point {moment} {kind}: {found:.0f} ms, goal {goal:.0f} on the peer's machine"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--visits", type=int, default=9, help="fresh browser profiles")
    parser.add_argument("--no-browser", dest="browser", action="store_false")
    parser.add_argument("--folder", type=Path, help="keep the database there; one that is full is used again")
    parser.add_argument("--out", type=Path, metavar="FILE.json")
    options = parser.parse_args()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        run(options.folder.resolve(), options)
        return
    with tempfile.TemporaryDirectory(prefix="northstar-bench-") as name:
        run(Path(name), options)


def run(folder: Path, options: argparse.Namespace) -> None:
    (folder / "var" / "static").mkdir(parents=True, exist_ok=True)
    os.environ |= {"NORTHSTAR_VAR": str(folder / "var"), "SECRET_KEY": "b" * 64}
    stop = start_test_services(folder)
    try:
        setup()
        report(measured(folder, options), options)
    finally:
        stop()


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Filled or not, the folder ends full; what was found before it was is kept beside it."""
    from dashboard.prepare import prepare
    from results.models import Point

    models = MODELS[1 : 1 + max(1, round(options.points / (PER_MODEL_AND_WEEK * WEEKS)))]
    prepare()
    kept = folder / "before.json"
    if not kept.exists():
        if not Point.objects.exists():
            fill_first(folder, models)
        kept.write_text(json.dumps(measure(folder, options, models[0], _BEFORE)), encoding="utf-8")
        fill_history(folder, models)
    before = json.loads(kept.read_text(encoding="utf-8"))
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "before": before,
        "after": measure(folder, options, models[0], options.repeats),
    }


def report(found: dict[str, Any], options: argparse.Namespace) -> None:
    before, after = found["before"], found["after"]
    print(*table(before, after), sep="\n")
    for name, value in after.get("browser", {}).items():
        print(f"{name}: {value:.3g}" if value < 1000 else f"{name}: {value:.0f}")
    print(*(f"missed: {line}" for line in missed(before, after)), sep="\n")
    if options.out is not None:
        options.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
