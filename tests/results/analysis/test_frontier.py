import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.frontier import Candidate, Exclusion, Frontier, frontier
from results.metrics import Direction

H, L, N = Direction.HIGHER, Direction.LOWER, Direction.NEUTRAL
WAYS = list(itertools.product((H, L), repeat=2))


def candidates(*places: tuple[float | None, float | None]) -> list[Candidate]:
    return [Candidate(id=index, load=index, x=x, y=y) for index, (x, y) in enumerate(places, start=1)]


def places(result: Frontier) -> list[tuple[float, float]]:
    return [(knot.x, knot.y) for knot in result.knots]


@pytest.mark.parametrize(
    ("x", "y", "given_", "kept"),
    [
        (L, H, [(1, 5), (2, 5), (3, 6)], [(1, 5), (3, 6)]),
        (H, H, [(1, 5), (2, 5), (3, 4)], [(2, 5), (3, 4)]),
        (L, L, [(1, 5), (2, 5), (2, 3), (4, 3)], [(1, 5), (2, 3)]),
        (H, L, [(1, 2), (3, 4), (3, 5), (2, 4)], [(1, 2), (3, 4)]),
        (H, H, [(1, 1)], [(1, 1)]),
        (H, H, [], []),
        (H, H, [(1, 3), (1, 4), (1, 2)], [(1, 4)]),
    ],
)  # fmt: skip
def test_known_frontiers(
    x: Direction, y: Direction, given_: list[tuple[float, float]], kept: list[tuple[float, float]]
) -> None:
    assert places(frontier(candidates(*given_), x=x, y=y)) == kept


def test_equal_points_are_one_knot_with_a_count() -> None:
    same = [Candidate(9, 4, 1.0, 2.0), Candidate(3, 4, 1.0, 2.0), Candidate(7, 2, 1.0, 2.0)]
    (knot,) = frontier(same, x=H, y=H).knots
    assert (knot.id, knot.load, knot.ids, knot.count) == (7, 2, (7, 3, 9), 3)


def test_what_is_missing_can_neither_win_nor_lose() -> None:
    result = frontier(
        candidates((1, None), (2, 2), (None, 1), (3, 3), (None, None), (math.nan, 1), (1, math.inf)), x=H, y=L
    )
    assert places(result) == [(2, 2), (3, 3)]
    assert result.excluded == {Exclusion.Y_MISSING: 1, Exclusion.X_MISSING: 2, Exclusion.NOT_FINITE: 2}


@pytest.mark.parametrize("way", WAYS)
def test_exactly_one_of_equal_points_is_shown_and_dominated_ties_are_off(
    way: tuple[Direction, Direction],
) -> None:
    """vLLM kept points that tie on one axis and lose on the other (vllm-project/vllm issue 55561)."""
    best_x, best_y = (9.0 if sign is H else 1.0 for sign in way)
    worse_x, worse_y = 5.0, 5.0
    given_ = candidates((best_x, best_y), (best_x, best_y), (worse_x, best_y), (best_x, worse_y))
    result = frontier(given_, x=way[0], y=way[1])
    assert places(result) == [(best_x, best_y)]
    assert result.knots[0].ids == (1, 2)
    assert result.ids == {1, 2}


def test_failed_and_invalid_points_never_reach_a_frontier() -> None:
    points = [
        Candidate(1, 1, 9.0, 9.0, "failed"),
        Candidate(2, 1, 8.0, 8.0, "invalid"),
        Candidate(3, 1, 7.0, 7.0, "diagnostic"),
        Candidate(4, 1, 1.0, 1.0),
    ]
    result = frontier(points, x=H, y=H)
    assert result.ids == {4}
    assert result.excluded == {Exclusion.FAILED: 1, Exclusion.INVALID: 1, Exclusion.DIAGNOSTIC: 1}
    without_valid = frontier(points[:3], x=H, y=H)
    assert without_valid.ids == {3}
    nothing = frontier(points[:2], x=H, y=H)
    assert (nothing.knots, sum(nothing.excluded.values())) == ((), 2)


def test_a_percentile_of_zero_is_no_measurement() -> None:
    """Zero for a percentile that was never recorded once wiped a frontier out (InferenceX-app 517)."""
    points = candidates((0.0, 50.0), (-1.0, 60.0), (2.0, 10.0), (3.0, 20.0))
    result = frontier(points, x=L, y=H, positive_x=True)
    assert places(result) == [(2, 10), (3, 20)]
    assert result.excluded == {Exclusion.X_NOT_POSITIVE: 2}


def test_another_percentile_is_another_frontier() -> None:
    """(P50, P99, throughput): whoever is steady at the median need not be in the tail."""
    rows = {1: (50.0, 10.0, 100.0), 2: (40.0, 30.0, 90.0), 3: (30.0, 25.0, 80.0)}
    median = [Candidate(n, n, p50, y) for n, (p50, _p99, y) in rows.items()]
    tail = [Candidate(n, n, p99, y) for n, (_p50, p99, y) in rows.items()]
    assert frontier(median, x=H, y=H).ids == {1}
    assert frontier(tail, x=H, y=H).ids == {1, 2}


def test_a_metric_absent_on_half_of_the_rows_leaves_the_others() -> None:
    points = candidates((1, 5), (2, None), (3, 4), (4, None))
    assert frontier(points, x=H, y=H).ids == {1, 3}


@pytest.mark.parametrize(("x", "y"), [(N, H), (H, N)])
def test_a_neutral_metric_has_no_frontier(x: Direction, y: Direction) -> None:
    with pytest.raises(ValueError, match="direction on both axes"):
        frontier([], x=x, y=y)


# Few distinct values, so that ties on one and on both axes are common.
coordinate = st.sampled_from([0.0, -1.0, 1.0, 2.0, 3.5, 1e-300, 1e300]) | st.floats(
    allow_nan=False, allow_infinity=False
)
clouds = st.lists(st.tuples(coordinate, coordinate), max_size=30)
ways = st.sampled_from(WAYS)


def beats(one: tuple[float, float], other: tuple[float, float], way: tuple[Direction, Direction]) -> bool:
    """Quadratic oracle, written apart from the implementation: as good everywhere, better somewhere."""
    better = [a > b if sign is H else a < b for a, b, sign in zip(one, other, way, strict=True)]
    worse = [a < b if sign is H else a > b for a, b, sign in zip(one, other, way, strict=True)]
    return any(better) and not any(worse)


@given(clouds, ways)
def test_the_frontier_is_what_nothing_beats(
    cloud: list[tuple[float, float]], way: tuple[Direction, Direction]
) -> None:
    expected = {place for place in cloud if not any(beats(other, place, way) for other in cloud)}
    result = frontier(candidates(*cloud), x=way[0], y=way[1])
    assert set(places(result)) == expected
    assert len(places(result)) == len(expected)
    assert [knot.count for knot in result.knots] == [cloud.count((knot.x, knot.y)) for knot in result.knots]


@given(clouds, ways, st.randoms(use_true_random=False))
def test_order_of_candidates_does_not_matter(
    cloud: list[tuple[float, float]], way: tuple[Direction, Direction], order: random.Random
) -> None:
    ordered = candidates(*cloud)
    shuffled = list(ordered)
    order.shuffle(shuffled)
    assert frontier(shuffled, x=way[0], y=way[1]) == frontier(ordered, x=way[0], y=way[1])
    assert places(frontier(ordered, x=way[0], y=way[1])) == sorted(
        places(frontier(ordered, x=way[0], y=way[1]))
    )


@given(clouds, ways)
def test_a_frontier_is_its_own_frontier(
    cloud: list[tuple[float, float]], way: tuple[Direction, Direction]
) -> None:
    once = places(frontier(candidates(*cloud), x=way[0], y=way[1]))
    assert places(frontier(candidates(*once), x=way[0], y=way[1])) == once


@given(clouds)
def test_turning_an_axis_over_turns_its_direction_over(cloud: list[tuple[float, float]]) -> None:
    mirrored = [(-x, y) for x, y in cloud]
    right = {(-x, y) for x, y in places(frontier(candidates(*mirrored), x=L, y=H))}
    assert right == set(places(frontier(candidates(*cloud), x=H, y=H)))
