"""Public measurements, where a copy lies beside the project, against code that shares nothing with ours."""

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from results.analysis.agentx import AgenticCandidate, agentic_frontiers
from results.analysis.cache import CachePoint, OffloadPoint, cliff, offload_pairs
from results.analysis.cost import derive
from results.analysis.denominators import all_gpu_throughput, input_share
from results.analysis.frontier import Candidate, frontier
from results.analysis.interpolation import Line
from results.analysis.iso import best_measured, iso_costs
from results.analysis.prices import deployment_rate
from results.documents.prices import Tier
from results.metrics import Direction
from results.queries.prices import shipped_prices

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
SNAPSHOT = DATA / "inferencex_api" / "snapshot_2026-05-05" / "benchmarks.json"
SWEEP = DATA / "inferencex_ci" / "multiturn_2026-04" / "summary.csv"
SNAPSHOT_DAY = date(2026, 5, 5)
H, L = Direction.HIGHER, Direction.LOWER

#: The snapshot holds one model; a group is (precision, input length, output length).
GROUPS = [
    ("fp8", 1024, 1024),
    ("fp8", 8192, 1024),
    ("fp4", 1024, 1024),
    ("fp4", 8192, 1024),
    ("fp8", 1024, 8192),
]
PAIRS = [("b200", "mi355x"), ("gb200", "b200"), ("h200", "gb300")]
THRESHOLDS = (20.0, 50.0, 100.0)

Row = dict[str, Any]
Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    if not SNAPSHOT.is_file():
        pytest.skip("no public measurements beside the project")
    loaded: list[Row] = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    return [row | {"id": number} for number, row in enumerate(loaded)]


def of_group(rows: Sequence[Row], group: tuple[str, int, int]) -> list[Row]:
    return [row for row in rows if (row["precision"], row["isl"], row["osl"]) == group]


def candidates(rows: Sequence[Row], x: str, y: str) -> list[Candidate]:
    return [Candidate(row["id"], row["conc"], row["metrics"][x], row["metrics"][y]) for row in rows]


def plane(rows: Sequence[Row], x: str, y: str) -> Floats:
    return np.array([[row["metrics"][x], row["metrics"][y]] for row in rows])


def undominated(places: Floats, signs: tuple[int, int]) -> set[tuple[float, float]]:
    """Every pair compared with every other: nothing as good in both and better in one."""
    turned = places * np.array(signs)
    as_good = (turned[:, None] >= turned[None]).all(axis=2)
    better = (turned[:, None] > turned[None]).any(axis=2)
    beaten = (as_good & better).any(axis=0)
    return {(float(x), float(y)) for x, y in places[~beaten]}


@pytest.mark.parametrize("group", GROUPS, ids=str)
@pytest.mark.parametrize(
    ("x", "y", "ways"),
    [
        ("median_intvty", "tput_per_gpu", (H, H)),
        ("median_e2el", "tput_per_gpu", (L, H)),
        ("p99_ttft", "median_tpot", (L, L)),
        ("median_intvty", "median_ttft", (H, L)),
    ],
)
def test_frontiers_of_five_groups(
    rows: list[Row], group: tuple[str, int, int], x: str, y: str, ways: tuple[Direction, Direction]
) -> None:
    chosen = of_group(rows, group)
    signs = tuple(1 if way is H else -1 for way in ways)
    found = frontier(candidates(chosen, x, y), x=ways[0], y=ways[1])
    assert {(knot.x, knot.y) for knot in found.knots} == undominated(
        plane(chosen, x, y), (signs[0], signs[1])
    )
    assert len(found.knots) >= 3


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_best_throughput_of_hardware_pairs_at_an_interactivity(
    rows: list[Row], pair: tuple[str, str], threshold: float
) -> None:
    chosen = [row for row in rows if (row["precision"], row["isl"], row["osl"]) == ("fp8", 1024, 1024)]
    compared = 0
    for hardware in pair:
        mine = [row for row in chosen if row["hardware"] == hardware]
        places = plane(mine, "median_intvty", "tput_per_gpu")
        fast = places[places[:, 0] >= threshold]
        found = best_measured(candidates(mine, "median_intvty", "tput_per_gpu"), threshold, x=H, y=H)
        assert (found is None) == (len(fast) == 0)
        if found is not None:
            assert found.y == pytest.approx(fast[:, 1].max(), rel=1e-12)
            compared += 1
    assert compared == 2


def test_a_curve_never_leaves_what_was_measured(rows: list[Row]) -> None:
    table = shipped_prices().as_of(SNAPSHOT_DAY)
    series: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        key = tuple(
            row[name]
            for name in ("hardware", "framework", "spec_method", "precision", "isl", "osl", "disagg")
        )
        series[key].append(row)
    errors = []
    for key, mine in series.items():
        line = Line(frontier(candidates(mine, "median_intvty", "tput_per_gpu"), x=H, y=H).knots)
        ys = [y for _x, y in line.places()]
        assert ys == sorted(ys, reverse=True)
        assert line.at(line.high * 1.0001) is None and line.at(line.low * 0.9999) is None
        left_out = line.leave_one_out()
        errors += list(left_out.errors.values()) if left_out is not None else []
        rate = deployment_rate(table, Tier.HYPERSCALER, {str(key[0]): 8})
        middle = (line.low + line.high) / 2
        cost = iso_costs(line, middle, "total", rate)["cost_per_million_total_tokens"]
        throughput = line.at(middle)
        assert throughput is not None and rate.dollars_per_hour is not None
        assert cost * throughput * 3600 / 1e6 == pytest.approx(rate.dollars_per_hour, rel=1e-12)
    assert len(series) == 141
    # Five loads or fewer, each several times the one before: a line in between is a rough guess, and says so.
    assert len(errors) == 144
    assert 0.1 < float(np.median(errors)) < 0.5


def test_more_throughput_is_always_cheaper(rows: list[Row]) -> None:
    """One part, one price: the frontier of cost is the frontier of throughput."""
    rate = deployment_rate(shipped_prices().newest, Tier.RENTAL, {"mi355x": 1})
    mine = [row for row in of_group(rows, ("fp8", 8192, 1024)) if row["hardware"] == "mi355x"]
    costs = [
        Candidate(
            row["id"],
            row["conc"],
            row["metrics"]["median_intvty"],
            derive(
                "cost_per_million_total_tokens",
                {"total_throughput_per_gpu": row["metrics"]["tput_per_gpu"]},
                rate,
            ),
        )
        for row in mine
    ]
    assert (
        frontier(costs, x=H, y=L).ids
        == frontier(candidates(mine, "median_intvty", "tput_per_gpu"), x=H, y=H).ids
    )


def test_role_local_throughputs_add_up_on_one_denominator(rows: list[Row]) -> None:
    """Some rows do not even then: their lengths have to tell the share of input tokens."""
    disaggregated = [row for row in rows if row["disagg"]]
    missed = 0
    for row in disaggregated:
        metrics, prefill, decode = row["metrics"], row["num_prefill_gpu"], row["num_decode_gpu"]
        inputs, outputs, total = all_gpu_throughput(
            metrics["input_tput_per_gpu"], prefill, metrics["output_tput_per_gpu"], decode
        )
        reported = metrics["tput_per_gpu"]
        share = input_share(inputs, outputs, reported, isl=row["isl"], osl=row["osl"])
        if abs(total - reported) > 0.01 * reported:
            missed += 1
            assert share == row["isl"] / (row["isl"] + row["osl"])
        else:
            assert share == pytest.approx(inputs / total)
    assert len(disaggregated) == 235
    assert 0 < missed < 0.1 * len(disaggregated)


@pytest.fixture(scope="module")
def sweep() -> list[dict[str, str]]:
    if not SWEEP.is_file():
        pytest.skip("no public measurements beside the project")
    with SWEEP.open(encoding="utf-8", newline="") as stream:
        # The file repeats rows of one experiment under another one's number of GPUs.
        return [
            row for row in csv.DictReader(stream) if f"_tp{row['tp']}_users{row['users']}_" in row["exp_name"]
        ]


def test_the_device_cache_of_four_gpus_holds_sixteen_users_and_not_twenty_four(
    sweep: list[dict[str, str]],
) -> None:
    points = [
        CachePoint(number, int(row["users"]), float(row["gpu_hit_rate"]) / 100, 0.965)
        for number, row in enumerate(sweep)
        if (row["tp"], row["offload"]) == ("4", "off")
    ]
    found = cliff(points)
    assert found is not None and (found.before, found.at) == (16, 24)
    assert found.device_before > 0.8 and found.device_at < 0.1


def test_offload_pays_beyond_the_cliff_only(sweep: list[dict[str, str]]) -> None:
    points = [
        OffloadPoint(
            number, int(row["users"]), row["tp"], "dram" if row["offload"] == "on" else "none",
            {"total_throughput": float(row["total_throughput_tps"])},
        )
        for number, row in enumerate(sweep)
    ]  # fmt: skip
    ratios = {
        pair.load: pair.ratio("total_throughput") for pair in offload_pairs(points) if pair.family == "4"
    }
    at_8, at_24, at_32 = ratios[8], ratios[24], ratios[32]
    assert at_8 is not None and at_24 is not None and at_32 is not None
    assert 0.8 < at_8 < 1.25
    assert at_24 > 1.3 and at_32 > 3


def test_the_canonical_frontier_withholds_local_winners(rows: list[Row]) -> None:
    """With end-to-end speed per token as the canonical x, some of the TTFT trade-off disappears."""
    mine = [row for row in of_group(rows, ("fp8", 8192, 1024)) if row["hardware"] == "b200"]
    points = [
        AgenticCandidate(
            row["id"], row["conc"], row["osl"] / row["metrics"]["median_e2el"],
            row["metrics"]["p99_ttft"], row["metrics"]["tput_per_gpu"],
        )
        for row in mine
    ]  # fmt: skip
    found = agentic_frontiers(points, x=L, y=H)
    local = frontier(candidates(mine, "p99_ttft", "tput_per_gpu"), x=L, y=H)
    assert found.local.ids == local.ids
    assert found.both <= local.ids and found.only_local == local.ids - found.canonical.ids
    assert found.only_canonical
