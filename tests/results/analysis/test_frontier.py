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
