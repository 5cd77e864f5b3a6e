"""How long does the server need for a point with very many requests, and how much does it send?

Stores a synthetic attempt (sessions with sub-agents, an engine that is scraped once a second, two GPUs) in
the database of DATABASE_URL or of the embedded services, measures, and rolls everything back.

    python -m benchmarks.point_page --requests 100000
"""

import argparse
import gzip
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import django

BEGIN = 1_790_000_000 * 10**9
SECONDS = 1800


def records(count: int) -> Iterator[str]:
    """Lines of ``profile_export.jsonl``: trees of a root and three sub-agents, forty turns each."""
    for number in range(count):
        lane, turn = divmod(number, 40)
        tree, agent = divmod(lane, 4)
        start = BEGIN + (number * SECONDS * 10**9) // count
        ttft, tokens = 200 + number % 997, 2000 + 700 * turn
        latency = ttft + 20 * (50 + number % 200)
        metrics = {
            "time_to_first_token": (ttft, "ms"), "request_latency": (latency, "ms"),
            "inter_token_latency": (20 + number % 11, "ms"), "input_sequence_length": (tokens, "tokens"),
            "output_sequence_length": (50 + number % 200, "tokens"),
            "usage_prompt_tokens": (tokens, "tokens"),
            "usage_prompt_cache_read_tokens": (int(tokens * 0.9), "tokens"),
        }  # fmt: skip
        about = {
            "session_num": number, "x_request_id": f"request-{number}", "x_correlation_id": f"session-{lane}",
            "root_correlation_id": f"session-{4 * tree}", "turn_index": turn, "agent_depth": min(agent, 1),
            "conversation_id": f"trace-{tree:05}" + (f"::sa:agent_{agent:03}" if agent else ""),
            "credit_issued_ns": start - 10**7, "request_start_ns": start,
            "request_end_ns": start + latency * 10**6, "benchmark_phase": "profiling",
        }  # fmt: skip
        values = {name: {"value": value, "unit": unit} for name, (value, unit) in metrics.items()}
        yield json.dumps({"metadata": about, "metrics": values, "error": None})


def scrapes() -> Iterator[str]:
    source = 'vllm:prompt_tokens_by_source_total{engine="0",source="%s"}'
    for second in range(SECONDS):
        metrics = {
            "vllm:num_requests_running": 64 + second % 9, "vllm:num_requests_waiting": second % 5,
            'vllm:kv_cache_usage_perc{engine="0"}': (second % 100) / 100,
            source % "local_compute": 9000 * second, source % "local_cache_hit": 90000 * second,
            source % "external_kv_transfer": 5000 * second, "vllm:generation_tokens_total": 3000 * second,
            "vllm:num_preemptions_total": second // 60,
        }  # fmt: skip
        metrics |= {f"vllm:other_{name}_total": second for name in range(150)}
        yield json.dumps({"at": BEGIN / 1e9 + second, "metrics": metrics})


def samples() -> Iterator[str]:
    for second in range(SECONDS):
        gpus = [
            {"uuid": f"GPU-{number}", "power_watts": 400 + second % 200, "sm_clock_mhz": 1900 - second % 50}
            for number in range(2)
        ]
        yield json.dumps({"at": BEGIN / 1e9 + second, "gpus": gpus})


def write_load(folder: Path, count: int) -> Path:
    files = {"profile_export.jsonl": records(count), "telemetry.jsonl": scrapes(), "gpu.jsonl": samples()}
    for name, lines in files.items():
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    return folder


def measure(count: int, repeats: int) -> None:
    from django.db import transaction

    from results.ingest.column_store import keep_columns
    from results.ingest.store import BundleFile, store_files
    from tests.factories import make_attempt, make_point, make_run

    with tempfile.TemporaryDirectory() as name, transaction.atomic():
        folder = write_load(Path(name), count)
        run = make_run(state="succeeded", loads=[64])  # type: ignore[arg-type]
        attempt = make_attempt(run, state="succeeded")  # type: ignore[arg-type]
        point = make_point(run, load=64, ttft_p50=0.7, theoretical_cache_hit_rate=0.97)
        files = [BundleFile(f"loads/c0064/{path.name}", path, 64) for path in folder.iterdir()]
        store_files(attempt, files)
        begin = time.perf_counter()
        keep_columns(attempt, 64)
        size = sum(file.source.stat().st_size for file in files)
        kept = attempt.artifacts.get(path__startswith="derived/").artifact.size
        print(f"{count} requests, {size / 1e6:.0f} MB of files; side-car {kept / 1e6:.1f} MB, "
              f"made in {time.perf_counter() - begin:.1f} s")  # fmt: skip
        # The first page of a process loads the whole site; that is no cost of a point.
        report("/metrics/", 1)
        for address in (f"/points/{point.id}/", f"/points/{point.id}/figure.json",
                        f"/api/v1/points/{point.id}/requests/?limit=200"):  # fmt: skip
            report(address, repeats)
        transaction.set_rollback(True)


def report(address: str, repeats: int) -> None:
    from django.test import Client

    client, times, content = Client(headers={"host": "localhost"}), [], b""
    for _number in range(repeats + 1):
        begin = time.perf_counter()
        response = client.get(address)
        content = response.content
        times.append(time.perf_counter() - begin)
        assert response.status_code == 200, (address, response.status_code)
    packed = len(gzip.compress(content, 6))
    print(f"{address}: first {times[0]:.3f} s, median {statistics.median(times[1:]):.3f} s, "
          f"worst {max(times[1:]):.3f} s; {len(content) / 1e3:.0f} kB, "
          f"{packed / 1e3:.0f} kB gzip")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=7)
    chosen = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, "
          f"load average {os.getloadavg()[0]:.1f}")  # fmt: skip
    measure(chosen.requests, chosen.repeats)


if __name__ == "__main__":
    main()
