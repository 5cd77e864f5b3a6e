"""How long does a comparison take? ``python -m benchmarks.gains``: 40 metrics x 10 loads x 8 blocks.

Prints elapsed time and processor time: on a machine that does other work only the latter is the code's.
"""

import statistics
import time
from datetime import UTC, datetime, timedelta

import numpy as np

from results.analysis.gains.blocks import Block, Observation, Side
from results.analysis.gains.compare import compare
from results.analysis.gains.plan import FrontierAxes, Plan
from results.metrics import METRICS, Direction

LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
BLOCKS = 8
REPEATS = 20
LIMIT_MS = 50
AXES = FrontierAxes("interactivity_p50", "output_throughput_per_gpu")


def metrics(count: int) -> list[str]:
    directed = [key for key, metric in METRICS.items() if metric.direction is not Direction.NEUTRAL]
    return sorted(directed, key=lambda key: key not in (AXES.x, AXES.y))[:count]


def observation(side: Side, block: int, keys: list[str], noise: np.random.Generator) -> Observation:
    """The higher the load, the more throughput and the less interactivity; 2 % of noise, 3 % of gain."""
    gain = 1.03 if side is Side.CANDIDATE else 1.0
    values = {
        load: {key: float(gain * _typical(key, load) * np.exp(noise.normal(0, 0.02))) for key in keys}
        for load in LOADS
    }
    started = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=2 * block + (side is Side.CANDIDATE))
    return Observation(side, f"{side}-{block}", values, started, "host")


def _typical(key: str, load: int) -> float:
    curves = {AXES.x: 120 / (1 + load / 20), AXES.y: 100 * load / (1 + load / 20)}
    return curves.get(key, 10.0)


def main() -> None:
    keys, noise = metrics(40), np.random.default_rng(0)
    blocks = [
        Block(number, tuple(observation(side, number, keys, noise) for side in Side))
        for number in range(1, BLOCKS + 1)
    ]
    times = {}
    for name, plan in (
        ("points", Plan((AXES.y,), (32,), blocks=BLOCKS)),
        ("points and frontier", Plan((AXES.y,), (32,), blocks=BLOCKS, frontier=AXES)),
    ):
        compare(blocks, plan)
        times[name] = [_milliseconds(blocks, plan) for _ in range(REPEATS)]
    shape = f"{len(keys)} metrics x {len(LOADS)} loads x {BLOCKS} blocks"
    for name, found in times.items():
        elapsed, used = zip(*found, strict=True)
        print(
            f"{shape}, {name}: median {statistics.median(elapsed):.1f} ms, fastest {min(elapsed):.1f} ms,"
            f" processor {statistics.median(used):.1f} ms, limit {LIMIT_MS} ms"
        )


def _milliseconds(blocks: list[Block], plan: Plan) -> tuple[float, float]:
    """Elapsed, and of the processor."""
    start, used = time.perf_counter(), time.thread_time()
    compare(blocks, plan)
    return (time.perf_counter() - start) * 1000, (time.thread_time() - used) * 1000


if __name__ == "__main__":
    main()
