"""Ten properties that any page of results must keep, stated on the functions that every page calls."""

import itertools
import random

import pytest

from results.analysis.axes import drawable
from results.analysis.cost import derive, derived_values
from results.analysis.frontier import Candidate, Exclusion, Knot, frontier
from results.analysis.interpolation import Line
from results.analysis.iso import best_measured, iso_cell, iso_costs
from results.analysis.prices import Rate
from results.metrics import Direction

H, L = Direction.HIGHER, Direction.LOWER
RATE = Rate(1.73, 1.71)
#: (interactivity, total throughput per GPU) of one sweep.
SWEEP = ((20.0, 9000.0), (35.0, 7000.0), (60.0, 3000.0), (90.0, 900.0))


def sweep(first: int = 1) -> list[Candidate]:
    return [Candidate(n, n, x, y) for n, (x, y) in enumerate(SWEEP, start=first)]


def test_1_of_two_equal_throughputs_the_lower_latency_is_on_the_frontier() -> None:
    assert frontier([Candidate(1, 1, 1.0, 5.0), Candidate(2, 1, 2.0, 5.0)], x=L, y=H).ids == {1}


def test_2_identical_points_are_one_knot_with_a_count_whatever_the_order() -> None:
    twins = [Candidate(7, 4, 1.0, 5.0), Candidate(3, 4, 1.0, 5.0)]
    for order in itertools.permutations(twins):
        (knot,) = frontier(order, x=H, y=H).knots
        assert (knot.id, knot.count) == (3, 2)


def test_3_a_row_without_output_throughput_is_absent_and_not_zero() -> None:
    rows = [{"output_throughput_per_gpu": 5.0}, {"total_throughput_per_gpu": 9.0}]
    points = [Candidate(n, 1, 1.0, row.get("output_throughput_per_gpu")) for n, row in enumerate(rows)]
    found = frontier(points, x=H, y=H)
    assert found.ids == {0}
    assert found.excluded == {Exclusion.Y_MISSING: 1}


def test_4_without_throughput_there_is_no_cost_and_the_row_cannot_be_the_cheapest() -> None:
    rows = [{"total_throughput_per_gpu": 0.0}, {"total_throughput_per_gpu": 100.0}, {}]
    assert derived_values(rows[0], RATE) == {}
    costs = [derive("cost_per_million_total_tokens", row, RATE) for row in rows]
    points = [Candidate(n, 1, 50.0 - n, cost) for n, cost in enumerate(costs)]
    assert frontier(points, x=H, y=L).ids == {1}


@pytest.mark.parametrize("tier", [1.22, 1.74, 2.90])
@pytest.mark.parametrize("x", [20.0, 22.5, 35.0, 47.0, 89.9])
def test_5_interpolated_throughput_times_interpolated_cost_is_the_price(tier: float, x: float) -> None:
    line = Line(frontier(sweep(), x=H, y=H).knots)
    cost = iso_costs(line, x, "total", Rate(tier, None))["cost_per_million_total_tokens"]
    throughput = line.at(x)
    assert throughput is not None
    assert throughput * cost * 3600 / 1e6 == pytest.approx(tier, rel=1e-12)


def test_6_every_way_to_a_cell_gives_the_same_number() -> None:
    knots = frontier(sweep(), x=H, y=H).knots
    line = Line(knots)
    for knot in knots:
        best = best_measured(sweep(), knot.x, x=H, y=H)
        assert best is not None
        routes = (knot.y, best.y, line.at(knot.x), iso_cell(line, knot.x).value, dict(line.places())[knot.x])
        assert all(value == pytest.approx(knot.y, rel=1e-9) for value in routes)


def test_7_a_merged_frontier_names_the_recipe_of_every_knot() -> None:
    """Apart, each recipe has its own frontier; together, a knot's id says whose it is."""
    recipes = {1: "mtp", 2: "mtp", 3: "none", 4: "none"}
    points = [Candidate(1, 1, 90.0, 50.0), Candidate(2, 8, 60.0, 80.0), Candidate(3, 1, 70.0, 60.0),
              Candidate(4, 8, 40.0, 99.0)]  # fmt: skip
    apart = {
        name: frontier((point for point in points if recipes[point.id] == name), x=H, y=H).ids
        for name in ("mtp", "none")
    }
    assert apart == {"mtp": {1, 2}, "none": {3, 4}}
    merged = frontier(points, x=H, y=H).knots
    assert [(knot.x, recipes[knot.id]) for knot in merged] == [
        (40.0, "none"), (60.0, "mtp"), (70.0, "none"), (90.0, "mtp"),
    ]  # fmt: skip


def test_8_a_log_axis_drops_zero_and_negative_with_a_count() -> None:
    points = [Candidate(1, 1, 5.0, 0.0), Candidate(2, 1, 4.0, 1.0), Candidate(3, 1, 3.0, -1.0)]
    knots = frontier(points, x=H, y=L).knots
    shown, dropped = drawable(knots, lambda knot: (knot.x, knot.y), x_log=False, y_log=True)
    assert (shown, dropped, len(knots)) == ([], 2, 2)


def test_9_the_order_of_filters_does_not_change_the_frontier_of_what_stays_visible() -> None:
    """Clipping at a price, then hiding a series, or the other way round: membership is older than both."""
    series = {
        "a": sweep(1),
        "b": [Candidate(n, n, x * 1.1, y / 2) for n, (x, y) in enumerate(SWEEP, start=11)],
    }
    found = {name: frontier(points, x=H, y=H).knots for name, points in series.items()}

    def clip(shown: dict[str, tuple[Knot, ...]]) -> dict[str, tuple[Knot, ...]]:
        return {name: tuple(knot for knot in knots if knot.y >= 1000) for name, knots in shown.items()}

    def hide(shown: dict[str, tuple[Knot, ...]]) -> dict[str, tuple[Knot, ...]]:
        return {name: knots for name, knots in shown.items() if name != "b"}

    assert clip(hide(found)) == hide(clip(found))
    assert clip(hide(found))["a"] == tuple(knot for knot in found["a"] if knot.y >= 1000)
    assert frontier(series["a"], x=H, y=H).knots == found["a"]


def test_10_a_reversed_or_shuffled_input_has_the_same_frontier() -> None:
    points = [Candidate(n, n % 5, float(n * 37 % 11), float(n * 53 % 13)) for n in range(60)]
    expected = frontier(points, x=H, y=L)
    shuffled = list(points)
    random.Random(4).shuffle(shuffled)  # noqa: S311
    assert frontier(reversed(points), x=H, y=L) == frontier(shuffled, x=H, y=L) == expected
