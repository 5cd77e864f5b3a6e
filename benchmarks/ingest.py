"""How fast are results stored, against raw COPY of the same rows into the same server?

Starts a PostgreSQL of its own. For each size a file (our CSV export format) with that many points is read
by ``ingest_file`` in a child process: parsing, normalising, digests, staging, upsert, sources, current
observations, published curves, one transaction per file. Then exactly the rows that this left in the tables
of points and sources are written by COPY, from a file, in one transaction, into twins of both tables with
the same columns, constraints, foreign keys and indexes. Prints rows per second and their ratio; the
processor time of client and server backend together, which other work on the machine disturbs less; the bulk
path alone, whose rows are read and normalised while the clock stands still; and the peak memory of the
child. After the last size the plan of ``latest per configuration`` for one model is kept.

    python -m benchmarks.ingest --sizes 10000 100000 1000000
"""

import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil

from dashboard.embedded.testing import start_test_services

#: A recipe is measured once a week for most of a year, at eight loads; the models take turns.
RUNS, LOADS = 40, (1, 2, 4, 8, 16, 32, 64, 128)
MODELS = (
    "deepseek-r1-0528", "deepseek-v4-pro", "qwen3-5-397b-a17b", "qwen3-8", "kimi-k3", "kimi-k2-6",
    "kimi-k2-5", "glm-5-2", "glm-5-1", "glm-5", "minimax-m3", "minimax-m2-5", "gpt-oss-120b", "llama-70b",
)  # fmt: skip
#: Numbers of a point, as many as a fixed-sequence aggregate of InferenceX states.
METRICS = (
    *(
        f"{name}_{stat}"
        for name in ("ttft", "itl", "tpot", "e2e_latency", "interactivity")
        for stat in ("mean", "p50", "p90", "p99", "p999")
    ),
    "input_throughput_per_gpu",
    "output_throughput_per_gpu",
    "total_throughput_per_gpu",
)
PER_FILE = 500_000
#: Rows that are read and normalised before they are stored, when the bulk path is measured alone.
PREPARED = 20_000
EXPLAIN = Path(__file__).with_name("latest_per_configuration.explain.txt")
TABLES = ("results_point", "results_pointsource")


def write_files(folder: Path, size: int) -> list[Path]:
    """CSV exports with ``size`` points in all; a file stays below the reader's limit of 1 GiB."""
    rows = points(size)
    files = []
    for number in range(-(-size // PER_FILE)):
        path = folder / f"points-{size}-{number}.csv"
        with path.open("w", newline="", encoding="utf-8") as text:
            writer: csv.DictWriter[str] = csv.DictWriter(text, FIELDS)
            writer.writeheader()
            for _count, row in zip(range(min(PER_FILE, size)), rows, strict=False):
                writer.writerow(row)
        files.append(path)
    return files


FIELDS = (
    "run", "label", "load", "validity", "reasons", "rules_version", "parser_version", "scenario",
    "source_run", "published_run", "measured_at", "recipe_document", "extra", *METRICS,
)  # fmt: skip


def points(size: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(size)  # noqa: S311
    first = datetime(2025, 9, 1, tzinfo=UTC)
    for number in range(size):
        recipe, rest = divmod(number, RUNS * len(LOADS))
        week, place = divmod(rest, len(LOADS))
        yield {
            "run": UUID(int=(size << 64) + number // len(LOADS) + 1),
            "label": "bench",
            "load": LOADS[place],
            "validity": "valid",
            "rules_version": "fixed-1",
            "parser_version": "bench/1",
            "scenario": "8192/1024",
            "source_run": f"run-{week}",
            "measured_at": (first + timedelta(weeks=week, seconds=recipe)).isoformat(),
            "recipe_document": document(size, recipe),
            "extra": "{}",
            **{metric: repr(chance.random() * 1000) for metric in METRICS},
        }


def document(size: int, recipe: int) -> str:
    return json.dumps({
        "roles": {"serve": {"hardware": "b200", "gpus": 8, "tp": 8}},
        "engine": {"name": "vllm", "version": "0.11.0"},
        "model": {"name": MODELS[recipe % len(MODELS)]},
        "precision": "fp4",
        "arguments": {"variant": recipe, "set": size},
    })  # fmt: skip


def child(paths: list[str]) -> None:
    """Read the files; print seconds, created points and the peak of resident memory in MiB."""
    setup()
    from results import clock
    from results.ingest.read_file import ingest_file
    from results.ingest.rows import Source
    from results.models import ResultFile
    from results.storage import put_file

    created, seconds, processor = 0, 0.0, 0.0
    for name in paths:
        path = Path(name)
        file = ResultFile.objects.create(
            artifact=put_file(path), identity_digest="0" * 64, path=path.name, received_at=clock.now()
        )
        started, used = time.perf_counter(), cpu_seconds()
        report = ingest_file(file=file, source=Source(path.name, path))
        seconds += time.perf_counter() - started
        processor += cpu_seconds() - used
        assert not report.quarantined, report.quarantined[:3]
        created += report.created
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu": processor, "created": created, "peak_mib": peak}))


def prepared_child(paths: list[str]) -> None:
    """Print the seconds of the bulk path alone, without reading and normalising rows.

    Everything else is in it: lines of COPY, upsert, sources, runs, recipes, current observations, curves,
    commit. The clock stops only when the server has nothing left to do.
    """
    setup()
    from results import clock
    from results.ingest.formats import northstar_export
    from results.ingest.normalize import Normalizer
    from results.ingest.observation import Observer
    from results.ingest.rows import Result, Source
    from results.ingest.vocabulary import load_vocabulary
    from results.models import ResultFile
    from results.storage import put_file

    watch, created = Stopwatch(), 0
    for path in map(Path, paths):
        observer = Observer(Normalizer(load_vocabulary(), {}), "bench/1")
        rows = northstar_export.read(Source(path.name, path))
        observations = (observer.observe(row) for row in rows if isinstance(row, Result))
        file = ResultFile.objects.create(
            artifact=put_file(path), identity_digest="0" * 64, path=path.name, received_at=clock.now()
        )
        created += store(observations, file, watch)
    print(json.dumps({"seconds": watch.seconds, "cpu": watch.cpu, "created": created}))


class Stopwatch:
    """Adds up what passes inside ``with``: seconds, and processor time of this process and its backend."""

    def __init__(self) -> None:
        self.seconds, self.cpu = 0.0, 0.0

    def __enter__(self) -> None:
        self._started, self._used = time.perf_counter(), cpu_seconds()

    def __exit__(self, *error: object) -> None:
        self.seconds += time.perf_counter() - self._started
        self.cpu += cpu_seconds() - self._used


def store(observations: Iterator[Any], file: Any, watch: Stopwatch) -> int:
    """What ``ingest_file`` does with observations, in one transaction; how many were new."""
    from django.db import transaction

    from results import clock
    from results.ingest import staging
    from results.ingest.point_store import PointStore
    from results.services.imported_runs import summarise_touched_runs
    from results.services.publish_curve import publish_touched_curves

    block = transaction.atomic()
    with watch:
        block.__enter__()
        staging.open_stage()
        points = PointStore(file, now=clock.now())
    while prepared := list(islice(observations, PREPARED)):
        with watch:
            for observation in prepared:
                points.add(observation)
            points.flush()
    with watch:
        staging.refresh_statistics()
        summarise_touched_runs()
        publish_touched_curves()
        block.__exit__(None, None, None)
    return points.created


def cpu_seconds() -> float:
    """Processor time of this process and of its server backend."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        times = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return time.process_time() + times.user + times.system


def setup() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()


def make_twins(cursor: Any) -> None:
    for table in TABLES:
        cursor.execute(f"CREATE TABLE raw_{table} (LIKE {table} INCLUDING ALL)")
        cursor.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conrelid = %s::regclass AND contype = 'f'",
            [table],
        )
        for name, definition in cursor.fetchall():
            twin = definition.replace("REFERENCES results_point(", "REFERENCES raw_results_point(")
            cursor.execute(f"ALTER TABLE raw_{table} ADD CONSTRAINT {name}_twin {twin}")


def raw_copy(folder: Path, newest: int) -> dict[str, float]:
    """Seconds of COPY into the twins, by table, for the points above id ``newest`` and their sources."""
    from django.db import connection, transaction

    chosen = {
        "results_point": f"SELECT * FROM results_point WHERE id > {newest} ORDER BY id",  # noqa: S608
        "results_pointsource": f"SELECT * FROM results_pointsource WHERE point_id > {newest} ORDER BY id",  # noqa: S608
    }
    with connection.cursor() as cursor:
        for table, query in chosen.items():
            with (folder / table).open("wb") as file, cursor.copy(f"COPY ({query}) TO STDOUT") as copy:
                for block in copy:
                    file.write(block)
    seconds: dict[str, float] = {}
    used = cpu_seconds()
    with transaction.atomic():
        for table in TABLES:
            started = time.perf_counter()
            with connection.cursor() as cursor, (folder / table).open("rb") as file:
                with cursor.copy(f"COPY raw_{table} FROM STDIN") as copy:
                    while block := file.read(1 << 18):
                        copy.write(block)
                # Foreign keys are checked at the end; each table pays for its own.
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
            seconds[table] = time.perf_counter() - started
        started = time.perf_counter()
    seconds["commit"] = time.perf_counter() - started
    seconds["cpu"] = cpu_seconds() - used
    return seconds


def measure(folder: Path, size: int, bulk_only: bool) -> dict[str, float]:
    from django.db.models import Max

    from results.models import Point

    newest = Point.objects.aggregate(newest=Max("id"))["newest"] or 0
    files = write_files(folder, size)
    ours = {} if bulk_only else in_child("--child", files, size)
    if ours:
        clear()
    bulk = in_child("--prepared", files, size)
    raw = raw_copy(folder, newest)
    for path in files:
        path.unlink()
    cpu, whole = raw.pop("cpu"), sum(raw[key] for key in (*TABLES, "commit"))
    found = {
        "rows": size,
        "raw_points": size / (raw["results_point"] + raw["commit"]),
        "raw_points_and_sources": size / whole,
        "cpu_us_raw": cpu / size * 1e6,
        "bulk": size / bulk["seconds"],
        "bulk_ratio": whole / bulk["seconds"],
        "cpu_us_bulk": bulk["cpu"] / size * 1e6,
    }
    if ours:
        found |= {
            "ours": size / ours["seconds"],
            "ratio": whole / ours["seconds"],
            "cpu_us_ours": ours["cpu"] / size * 1e6,
            "peak_mib": ours["peak_mib"],
        }
    return found


def in_child(how: str, files: list[Path], size: int) -> dict[str, float]:
    """Store the files in a process of its own, whose memory and time are its own."""
    from django.db import connection

    connection.close()
    argv = [sys.executable, "-m", "benchmarks.ingest", how, *map(str, files)]
    answer = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, float] = json.loads(answer)
    assert found["created"] == size
    return found


def explain() -> None:
    """Keep the plan of the points in ``latest_points``, and print its times and that of the whole call."""
    from django.db import connection

    from results.models import Curve, Point
    from results.queries.curves import latest, latest_points

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    text = (
        f"latest per configuration of {MODELS[0]}: {latest(MODELS[0]).count()} points out of"
        f" {Point.objects.count()}, {Curve.objects.count()} published curves\n"
    )
    query = latest(MODELS[0])
    query.explain(analyze=True, buffers=True)
    plans = [query.explain(analyze=True, buffers=True) for _again in range(9)]
    times = sorted(float(plan.rpartition("Execution Time: ")[2].split()[0]) for plan in plans)
    text += f"the query: median {times[4]} ms of nine runs, {times[0]} to {times[-1]} ms\n"
    started = time.perf_counter()
    count = len(latest_points(MODELS[0]))
    text += (
        f"the call, with all rows in Python: {(time.perf_counter() - started) * 1e3:.0f} ms, {count} points\n"
    )
    print(text)
    text += f"\n{plans[-1]}\n"
    EXPLAIN.write_text(text, encoding="utf-8")


def clear() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE results_point, results_pointsource, results_run, results_recipe, results_curve,"
            " results_resultfile, raw_results_point, raw_results_pointsource CASCADE"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--bulk-only", action="store_true", help="leave the path with reading out")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--prepared", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return
    if options.prepared:
        prepared_child(options.prepared)
        return
    with tempfile.TemporaryDirectory(prefix="northstar-bench-") as name:
        folder = Path(name)
        os.environ |= {"NORTHSTAR_VAR": str(folder / "var"), "SECRET_KEY": "b" * 64}
        (folder / "var" / "static").mkdir(parents=True)
        stop = start_test_services(folder)
        try:
            run(folder, options.sizes, options.repeat, options.bulk_only)
        finally:
            stop()


def run(folder: Path, sizes: list[int], repeat: int, bulk_only: bool) -> None:
    setup()
    from django.core.management import call_command
    from django.db import connection

    from results.services.load_catalogue import load_catalogue

    call_command("migrate", verbosity=0)
    load_catalogue()
    with connection.cursor() as cursor:
        make_twins(cursor)
    for size in sizes:
        for _time in range(repeat):
            clear()
            found = measure(folder, size, bulk_only)
            print(json.dumps({key: round(value, 3) for key, value in found.items()}), flush=True)
    explain()


if __name__ == "__main__":
    main()
