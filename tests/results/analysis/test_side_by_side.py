"""Sides next to each other: words follow the registry, nothing is divided by nothing, repeats count once."""

import pytest

from results.analysis.frontier import Candidate, frontier
from results.analysis.gains.vocabulary import Reason
from results.analysis.interpolation import Line
from results.analysis.side_by_side import (
    Sample,
    Word,
    compare_values,
    loads_of,
    make_side,
    usual_places,
)
from results.metrics import METRICS, Direction

UP = Direction.HIGHER


def sample(identifier: int, load: int, x: float | None, y: float | None, **more: object) -> Sample:
    values = {"configuration": 1, "validity": "valid"} | more
    return Sample(id=identifier, load=load, x=x, y=y, **values)  # type: ignore[arg-type]


def line(*places: tuple[float, float]) -> Line:
    candidates = [Candidate(n, n, x, y) for n, (x, y) in enumerate(places)]
    return Line(frontier(candidates, x=UP, y=UP).knots)


@pytest.mark.parametrize("key", METRICS)
def test_ten_percent_more_reads_as_the_registry_says(key: str) -> None:
    words = {Direction.HIGHER: Word.BETTER, Direction.LOWER: Word.WORSE, Direction.NEUTRAL: Word.DIFFERENT}
    first, more, same = compare_values(key, [10.0, 11.0, 10.0])
    assert first.word is None and first.ratio is None
    assert (more.ratio, more.word) == (1.1, words[METRICS[key].direction])
    assert (same.ratio, same.word) == (1.0, Word.EQUAL)


def test_a_first_side_of_zero_gives_no_ratio_and_says_so() -> None:
    first, other, zero = compare_values("error_rate", [0.0, 0.1, 0.0])
    assert first.value == 0 and first.reason is None
    assert (other.value, other.ratio, other.reason) == (0.1, None, Reason.BASELINE_ZERO)
    assert (zero.value, zero.ratio) == (0.0, None)


def test_what_one_side_lacks_is_named_and_never_zero() -> None:
    missing = compare_values("ttft_p50", [None, 1.0])
    assert [one.reason for one in missing] == [Reason.BASELINE_MISSING] * 2
    assert compare_values("ttft_p50", [1.0, None])[1].reason is Reason.CANDIDATE_MISSING


def test_repeats_become_their_median_before_any_dominance() -> None:
    side = make_side([sample(n, 4, 10.0, y) for n, y in enumerate((90.0, 100.0, 140.0))], UP, UP)
    assert [(knot.x, knot.y) for knot in side.frontier.knots] == [(10.0, 100.0)]
    assert side.cells[4].n == 3


def test_valid_points_never_mix_with_others() -> None:
    diagnostic = sample(1, 1, 50.0, 500.0, validity="diagnostic")
    side = make_side(
        [diagnostic, sample(2, 2, 10.0, 10.0), sample(3, 4, 1.0, 1e9, validity="failed")], UP, UP
    )
    assert side.kind == "valid"
    assert set(side.cells) == {2}
    assert make_side([diagnostic], UP, UP).kind == "diagnostic"
    assert make_side([], UP, UP).line is None


def test_of_several_configurations_the_best_stands_for_its_side() -> None:
    samples = [
        sample(1, 8, 5.0, 10.0),
        sample(2, 8, 4.0, 30.0, configuration=2),
        sample(3, 8, 9.0, None, configuration=3),
    ]
    side = make_side(samples, UP, UP)
    assert side.cells[8].ids == (2,)
    assert side.cells[8].of == 3
    assert make_side(samples, UP, Direction.LOWER).cells[8].ids == (1,)


def test_loads_of_one_side_alone_are_listed_apart() -> None:
    one = make_side([sample(1, 1, 1.0, 1.0), sample(2, 2, 1.0, 1.0)], UP, UP)
    other = make_side([sample(3, 2, 1.0, 1.0), sample(4, 4, 1.0, 1.0)], UP, UP)
    loads = loads_of([one, other])
    assert loads.shared == (2,)
    assert loads.partial == {1: (0,), 4: (1,)}


def test_usual_places_are_known_ones_that_two_lines_reach_or_lie_in_the_common_range() -> None:
    one, other = line((10, 100), (60, 10)), line((15, 90), (70, 5))
    assert usual_places([one, other], (20.0, 50.0, 100.0)) == (20.0, 50.0)
    assert usual_places([one, other], ()) == (26.2, 37.5, 48.8)
    assert usual_places([line((1, 9), (2, 8)), line((3, 9), (4, 8))], (20.0,)) == (20.0,)
