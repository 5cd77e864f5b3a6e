import pytest

from results.analysis.axes import drawable
from results.analysis.frontier import Candidate, frontier
from results.metrics import Direction

PLACES = [(1.0, 2.0), (0.0, 3.0), (2.0, 0.0), (-1.0, -1.0), (4.0, 5.0)]


@pytest.mark.parametrize(
    ("x_log", "y_log", "kept"),
    [
        (False, False, PLACES),
        (True, False, [(1.0, 2.0), (2.0, 0.0), (4.0, 5.0)]),
        (False, True, [(1.0, 2.0), (0.0, 3.0), (4.0, 5.0)]),
        (True, True, [(1.0, 2.0), (4.0, 5.0)]),
    ],
)
def test_a_log_axis_drops_zero_and_negative_and_counts(
    x_log: bool, y_log: bool, kept: list[tuple[float, float]]
) -> None:
    assert drawable(PLACES, lambda place: place, x_log=x_log, y_log=y_log) == (kept, len(PLACES) - len(kept))


def test_a_point_without_a_place_still_decides_who_is_on_the_frontier() -> None:
    """Error rate 0 beats error rate 0.1, also where a log axis cannot show it."""
    points = [Candidate(1, 1, 5.0, 0.0), Candidate(2, 2, 4.0, 0.1)]
    knots = frontier(points, x=Direction.HIGHER, y=Direction.LOWER).knots
    shown, dropped = drawable(knots, lambda knot: (knot.x, knot.y), x_log=False, y_log=True)
    assert (shown, dropped) == ([], 1)
