import pytest

from results.analysis.cost import KINDS
from results.analysis.frontier import Candidate, Knot
from results.analysis.interpolation import Line
from results.analysis.iso import Outside, best_measured, iso_cell, iso_costs, iso_ratio, iso_table
from results.analysis.prices import Rate
from results.metrics import Direction

H, L = Direction.HIGHER, Direction.LOWER


def line(*places: tuple[float, float]) -> Line:
    return Line(tuple(Knot(x, y, n, n, (n,)) for n, (x, y) in enumerate(places, start=1)))


SLOW = line((20, 1000), (40, 600), (80, 100))
FAST = line((30, 1500), (60, 800), (120, 90))


def test_a_cell_between_knots_states_its_error_and_its_knots() -> None:
    cell = iso_cell(SLOW, 30)
    assert cell.value == SLOW.at(30) and not cell.measured and cell.outside is None
    assert [knot.id for knot in cell.knots] == [1, 2]
    assert cell.error is not None and cell.error.errors.keys() == {2}


def test_a_measured_cell_needs_no_error() -> None:
    cell = iso_cell(SLOW, 40)
    assert (cell.value, cell.measured, cell.error) == (600, True, None)


@pytest.mark.parametrize(("x", "outside", "knot"), [(19, Outside.BELOW, 1), (81, Outside.ABOVE, 3)])
def test_beyond_the_range_there_is_no_number_but_the_end_knot(x: float, outside: Outside, knot: int) -> None:
    """A clamped target once showed the parallelism of the wrong knot (InferenceX-app 707)."""
    cell = iso_cell(SLOW, x)
    assert (cell.value, cell.outside, cell.error, cell.measured) == (None, outside, None, False)
    assert [found.id for found in cell.knots] == [knot]


def test_a_table_holds_every_curve_at_every_x() -> None:
    table = iso_table({"slow": SLOW, "fast": FAST}, [20, 50, 100])
    assert list(table) == ["slow", "fast"]
    assert [[cell.value for cell in row] for row in table.values()] == [
        [1000, SLOW.at(50), None],
        [None, FAST.at(50), FAST.at(100)],
    ]


def test_a_ratio_exists_where_both_were_measured() -> None:
    at_40, other_way = iso_ratio(SLOW, FAST, 40), iso_ratio(FAST, SLOW, 40)
    over = FAST.at(40)
    assert at_40 is not None and other_way is not None and over is not None
    assert at_40 == over / 600
    assert at_40 * other_way == pytest.approx(1)
    assert iso_ratio(SLOW, FAST, 25) is None
    assert iso_ratio(line((1, 0), (2, 5)), line((1, 1), (2, 5)), 1) is None


@pytest.mark.parametrize("x", [20, 27.5, 40, 66, 80])
@pytest.mark.parametrize("dollars", [0.95, 1.73, 5.0])
@pytest.mark.parametrize("kind", KINDS)
def test_interpolated_throughput_times_interpolated_cost_is_the_price(
    x: float, dollars: float, kind: str
) -> None:
    found = iso_costs(SLOW, x, kind, Rate(dollars, 2.0))
    throughput = SLOW.at(x)
    assert throughput is not None
    assert found[f"cost_per_million_{kind}_tokens"] * throughput * 3600 / 1e6 == pytest.approx(
        dollars, rel=1e-12
    )


def test_beyond_the_range_nothing_costs_anything() -> None:
    assert iso_costs(SLOW, 100, "total", Rate(1.0, 1.0)) == {}


POINTS = [
    Candidate(1, 1, 60.0, 100.0),
    Candidate(2, 2, 35.0, 300.0),
    Candidate(3, 4, 34.9, 900.0),
    Candidate(4, 8, 50.0, 300.0),
    Candidate(5, 8, 50.0, None),
]


@pytest.mark.parametrize(
    ("threshold", "expected"), [(35, 4), (50, 4), (50.1, 1), (60, 1), (61, None), (1, 3)]
)
def test_the_best_measured_point_at_a_threshold(threshold: float, expected: int | None) -> None:
    found = best_measured(POINTS, threshold, x=H, y=H)
    assert (None if found is None else found.id) == expected


def test_a_threshold_on_a_latency_is_an_upper_limit() -> None:
    points = [Candidate(1, 1, 0.5, 10.0), Candidate(2, 2, 2.0, 50.0), Candidate(3, 3, 9.0, 90.0)]
    found = best_measured(points, 2.0, x=L, y=H)
    assert found is not None and found.id == 2
    cheapest = best_measured([Candidate(1, 1, 0.5, 3.0), Candidate(2, 1, 1.0, None)], 2.0, x=L, y=L)
    assert cheapest is not None and cheapest.id == 1
