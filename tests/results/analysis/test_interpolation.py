import itertools
import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from results.analysis.cost import cost_per_million
from results.analysis.frontier import Candidate, Knot, frontier
from results.analysis.interpolation import Line, common_range
from results.analysis.prices import Rate
from results.metrics import Direction

#: A real shape: throughput per GPU falls as users are served faster.
FALLING = ((20.0, 1200.0), (35.0, 900.0), (60.0, 400.0), (90.0, 150.0), (140.0, 60.0))


def line(*places: tuple[float, float]) -> Line:
    return Line(tuple(Knot(x, y, n, n, (n,)) for n, (x, y) in enumerate(places, start=1)))


# Frontiers of any cloud in any direction, extreme numbers and nearly equal ones included.
coordinate = (
    st.floats(1e-6, 1e9)
    | st.sampled_from([1.0, 1.0 + 1e-15, 1.0 + 1e-12, 2.0, 1e-300, 2e-300, 1e300])
    | st.floats(min_value=0, allow_nan=False, allow_infinity=False)
)
clouds = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=25)
ways = st.sampled_from(list(itertools.product((Direction.HIGHER, Direction.LOWER), repeat=2)))


def line_of(cloud: list[tuple[float, float]], way: tuple[Direction, Direction]) -> Line:
    points = [Candidate(n, 1, x, y) for n, (x, y) in enumerate(cloud)]
    return Line(frontier(points, x=way[0], y=way[1]).knots)


@given(clouds, ways)
def test_the_line_passes_every_knot_and_stays_between_neighbours(
    cloud: list[tuple[float, float]], way: tuple[Direction, Direction]
) -> None:
    found = line_of(cloud, way)
    assert [found.at(knot.x) for knot in found.knots] == [knot.y for knot in found.knots]
    drawn = found.places()
    assert {(knot.x, knot.y) for knot in found.knots} <= set(drawn)
    for before, after in itertools.pairwise(found.knots):
        inside = [y for x, y in drawn if before.x <= x <= after.x]
        assert all(min(before.y, after.y) <= y <= max(before.y, after.y) for y in inside)


@given(clouds, ways, st.booleans())
def test_the_drawn_line_is_monotone_within_the_measured_range(
    cloud: list[tuple[float, float]], way: tuple[Direction, Direction], x_log: bool
) -> None:
    found = line_of(cloud, way)
    drawn = found.places(x_log=x_log)
    xs, ys = [x for x, _ in drawn], [y for _, y in drawn]
    assert xs == sorted(set(xs)) and (xs[0], xs[-1]) == (found.low, found.high)
    slack = 1e-9 * max(ys)
    sign = 1 if ys[-1] >= ys[0] else -1
    assert all(sign * (after - before) >= -slack for before, after in itertools.pairwise(ys))


@given(clouds, ways)
def test_what_is_drawn_is_what_is_interpolated(
    cloud: list[tuple[float, float]], way: tuple[Direction, Direction]
) -> None:
    found = line_of(cloud, way)
    assert all(found.at(x) == y for x, y in found.places(per_gap=3))


@pytest.mark.parametrize("x", [19.999, 140.001, 0.0, -1.0, math.inf, math.nan])
def test_nothing_is_extrapolated(x: float) -> None:
    assert line(*FALLING).at(x) is None


def test_one_knot_is_known_at_its_place_only() -> None:
    found = line((30.0, 5.0))
    assert (found.at(30.0), found.at(30.0001), found.places()) == (5.0, None, ((30.0, 5.0),))
    assert found.leave_one_out() is None


def library(places: Sequence[tuple[float, float]]) -> Callable[[float], float]:
    spline = PchipInterpolator(*zip(*places, strict=True))
    return lambda x: float(spline(x))


steps = st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 1000)), min_size=2, max_size=12)


@given(steps, st.booleans())
def test_the_line_is_that_of_the_library(gaps: list[tuple[float, float]], falling: bool) -> None:
    xs = list(itertools.accumulate((width for width, _rise in gaps), initial=5.0))
    ys = list(itertools.accumulate((rise for _width, rise in gaps), initial=1.0))
    places = list(zip(xs, reversed(ys) if falling else ys, strict=True))
    found, expected = line(*places), library(places)
    for x, y in found.places(per_gap=5):
        assert y == pytest.approx(expected(x), rel=1e-9)
    low, high = xs[0] + 0.3 * (xs[-1] - xs[0]), xs[0] + 0.8 * (xs[-1] - xs[0])
    area = PchipInterpolator(*zip(*places, strict=True)).integrate(low, high)
    assert found.mean(low, high) == pytest.approx(float(area) / (high - low), rel=1e-9)


def test_two_knots_are_joined_by_a_straight_line() -> None:
    assert line((20, 100), (40, 50)).at(30) == pytest.approx(75, rel=1e-15)


def test_cost_in_between_comes_from_throughput_not_from_cost() -> None:
    """Knots cost 10 and 20 USD per million tokens; midway they do not cost 15."""
    rate = Rate(3.6, None)
    found = line((20, 100), (40, 50))
    middle = found.at(30)
    assert middle is not None
    assert cost_per_million(middle, rate) == pytest.approx(3.6 / (3600 * 75 / 1e6))
    drawn = dict(found.derived(lambda throughput: cost_per_million(throughput, rate), per_gap=2))
    assert drawn == pytest.approx({20: 10.0, 30: 40 / 3, 40: 20.0})


def test_a_derived_number_that_does_not_exist_is_no_place_of_the_line() -> None:
    found = line((1, 2), (3, 0))
    drawn = found.derived(lambda y: None if y == 0 else 1 / y, per_gap=2)
    assert dict(drawn) == pytest.approx({1.0: 0.5, 2.0: 1.0})


def test_leave_one_out_predicts_each_inner_knot_without_it() -> None:
    places = list(FALLING)
    found = line(*places).leave_one_out()
    assert found is not None
    expected = {}
    for hidden in (1, 2, 3):
        others = places[:hidden] + places[hidden + 1 :]
        x, y = places[hidden]
        expected[hidden + 1] = abs(library(others)(x) - y) / y
    assert found.errors == pytest.approx(expected, rel=1e-9)
    assert found.maximum == max(found.errors.values())
    assert found.median == sorted(found.errors.values())[1]


def test_a_straight_line_predicts_itself() -> None:
    found = line(*((float(x), 100.0 - 10 * x) for x in range(6))).leave_one_out()
    assert found is not None and found.maximum < 1e-12


def test_with_two_knots_the_error_is_unknown() -> None:
    assert line((1, 2), (2, 1)).leave_one_out() is None


@pytest.mark.parametrize(
    ("x", "ids"), [(20, (1,)), (25, (1, 2)), (35, (2,)), (140, (5,)), (10, (1,)), (999, (5,))]
)
def test_a_number_names_the_knots_it_comes_from(x: float, ids: tuple[int, ...]) -> None:
    assert tuple(knot.id for knot in line(*FALLING).neighbours(x)) == ids


def test_mean_over_a_window_is_area_over_width() -> None:
    assert line((0, 100), (10, 0)).mean(2, 6) == pytest.approx(60)


@pytest.mark.parametrize("window", [(10, 50), (50, 150), (50, 50), (60, 50)])
def test_a_window_that_was_not_measured_has_no_mean(window: tuple[float, float]) -> None:
    assert line(*FALLING).mean(*window) is None


def test_common_range() -> None:
    first, second, third = line((1, 9), (5, 1)), line((3, 9), (8, 1)), line((6, 2), (7, 1))
    assert common_range([first, second]) == (3, 5)
    assert common_range([first, third]) is None
    assert common_range([]) is None
    assert common_range([first, line((5, 1))]) == (5, 5)


@pytest.mark.parametrize(
    "places", [(), ((1, 2), (1, 3)), ((2, 1), (1, 2)), ((1, 2), (2, 2)), ((1, 1), (2, 3), (3, 2))]
)
def test_knots_are_those_of_a_frontier(places: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValueError, match="knot"):
        line(*places)
