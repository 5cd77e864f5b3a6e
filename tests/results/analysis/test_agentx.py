from hypothesis import given
from hypothesis import strategies as st

from results.analysis.agentx import CANONICAL_X, AgenticCandidate, agentic_frontiers
from results.analysis.frontier import Exclusion
from results.metrics import METRICS, Direction

H, L = Direction.HIGHER, Direction.LOWER

# (id, P90 end-to-end normalised interactivity, P90 TTFT in seconds, output tokens per second per GPU)
ROWS = ((1, 40.0, 2.0, 100.0), (2, 30.0, 1.0, 150.0), (3, 20.0, 0.5, 120.0), (4, 10.0, 6.0, 200.0))


def rows(*chosen: tuple[int, float | None, float | None, float | None]) -> list[AgenticCandidate]:
    return [AgenticCandidate(n, n, canonical, x, y) for n, canonical, x, y in chosen]


def test_canonical_and_local_winners_are_told_apart() -> None:
    found = agentic_frontiers(rows(*ROWS), x=L, y=H)
    assert found.canonical.ids == {1, 2, 4}
    assert found.local.ids == {2, 3, 4}
    assert found.both == {2, 4}
    assert found.only_local == {3}
    assert found.only_canonical == {1}


def test_the_local_line_is_monotone_after_a_switch_of_x() -> None:
    """Canonical winners drawn in another plane once zig-zagged (InferenceX-app 674)."""
    found = agentic_frontiers(rows(*ROWS), x=L, y=H)
    drawn = [(knot.x, knot.y) for knot in found.local.knots]
    assert drawn == [(0.5, 120.0), (1.0, 150.0), (6.0, 200.0)]


def test_without_its_ttft_a_point_can_still_win_canonically() -> None:
    found = agentic_frontiers(rows((1, 40.0, None, 100.0), (2, 30.0, 1.0, 90.0)), x=L, y=H)
    assert found.canonical.ids == {1}
    assert found.local.ids == {2}
    assert found.local.excluded == {Exclusion.X_MISSING: 1}
    assert found.only_canonical == {1}


def test_without_the_canonical_percentile_a_point_is_a_local_winner_at_most() -> None:
    found = agentic_frontiers(rows((1, 0.0, 1.0, 100.0), (2, None, 2.0, 200.0)), x=L, y=H)
    assert not found.canonical.ids
    assert found.only_local == {1, 2}


def test_the_canonical_axis_is_registered_and_better_when_higher() -> None:
    assert METRICS[CANONICAL_X].direction is H


numbers = st.none() | st.sampled_from([0.0, 1.0, 2.0]) | st.floats(0.1, 1e6)
clouds = st.lists(st.tuples(numbers, numbers, numbers), max_size=20)


@given(clouds)
def test_on_the_canonical_axis_both_frontiers_are_one(
    cloud: list[tuple[float | None, float | None, float | None]],
) -> None:
    same = [AgenticCandidate(n, 1, x, x, y) for n, (x, _other, y) in enumerate(cloud)]
    found = agentic_frontiers(same, x=H, y=H)
    assert found.canonical == found.local
    assert not found.only_local and not found.only_canonical


@given(clouds, st.sampled_from([H, L]), st.sampled_from([H, L]))
def test_the_three_parts_make_up_both_frontiers(
    cloud: list[tuple[float | None, float | None, float | None]], x: Direction, y: Direction
) -> None:
    points = [AgenticCandidate(n, 1, *place) for n, place in enumerate(cloud)]
    found = agentic_frontiers(points, x=x, y=y)
    assert found.both | found.only_local == found.local.ids
    assert found.both | found.only_canonical == found.canonical.ids
    assert not found.only_local & found.only_canonical
