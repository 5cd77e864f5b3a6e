"""The sketch: the figure that Plotly is given, at the same places."""

import gzip
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from dashboard.figures.colour import ramp
from dashboard.figures.offers import offers_figure
from dashboard.figures.pareto import Axis, Extras, Mark, Series, figure
from dashboard.figures.sketch import MOST, sketch

LINEAR, LOG = (Axis("<i>speed</i>", "tok/s", log, "higher is better") for log in (False, True))
COLOUR = ramp("nvidia", 1)[0]
NAME = "<img src=x onerror=alert(1)>"


def series(count: int, *, winners: int) -> Series:
    """x and y grow together; the first ``winners`` marks lie on the frontier."""
    marks = tuple(
        Mark(n, n, float(n), 10.0 * n, n <= winners, n != 2, ("",), label=NAME if n == 1 else "")
        for n in range(1, count + 1)
    )
    line = tuple((mark.x, mark.y) for mark in marks)
    return Series("k", NAME, COLOUR, "square", "dash", False, marks, line)


def places(text: str) -> list[tuple[float, float]]:
    """Shares of the drawing area of each mark, from the left and from above, in percent."""
    found = re.findall(r'<use href="#mark-[a-z]+-11" x="([0-9.]+)%" y="([0-9.]+)%"', text)
    return [(float(x), float(y)) for x, y in found]


@pytest.mark.parametrize("axis", [LINEAR, LOG])
def test_every_mark_stands_where_its_values_are(axis: Axis) -> None:
    built = figure([series(20, winners=20)], axis, axis, Extras(ruler=5.0))
    text = sketch(built)
    ElementTree.fromstring(text)  # noqa: S314 (our own)
    rights, downs = zip(*places(text), strict=True)
    assert len(rights) == 20
    assert all(0 < place < 100 for place in (*rights, *downs))
    assert list(rights) == sorted(set(rights))
    assert list(downs) == sorted(set(downs), reverse=True)
    assert 'class="ruler"' in text
    assert (
        'class="ruler"' in sketch(figure([series(20, winners=20)], axis, axis, Extras(ruler=0.0)))
    ) != axis.log
    # The tick of a number stands where a mark of that number would.
    assert f'x="{rights[9]:g}%" y="100%" dy="20">10<' in text
    assert f'd="M{rights[4] * 100:.0f} 0V' in text


def test_texts_are_literal_and_looks_are_those_of_the_figure() -> None:
    text = sketch(figure([series(3, winners=2)], LINEAR, LINEAR))
    assert "<img" not in text
    assert "<i>" not in text
    assert text.count("&lt;img src=x onerror=alert(1)&gt;") == 2
    assert text.count('class="hollow"') == 1
    assert text.count('opacity="0.4"') == 1
    assert 'stroke-dasharray="9"' in text
    assert f"light-dark({COLOUR.light},{COLOUR.dark})" in text
    assert "style" not in text


def test_many_marks_are_thinned_and_the_frontier_is_kept() -> None:
    built = figure([series(5 * MOST, winners=30)], LINEAR, LINEAR)
    drawn = places(sketch(built))
    assert len(drawn) == MOST
    assert drawn[:30] == places(sketch(built))[:30]
    assert max(right for right, _down in drawn) > 90
    assert len(gzip.compress(sketch(built).encode())) < 8_000


def test_nothing_is_sketched_of_nothing_of_several_panels_and_of_what_was_kept_before() -> None:
    assert sketch(figure([], LINEAR, LINEAR)) == ""
    panels = figure([series(3, winners=3)], LINEAR, LINEAR, Extras(panels=("a", "b")))
    assert sketch(panels) == ""
    assert ">a &amp; b</text>" in sketch(
        figure([series(3, winners=3)], LINEAR, LINEAR, Extras(panels=("a & b",)))
    )
    old = figure([series(3, winners=3)], LINEAR, LINEAR)
    del old["layout"]["xaxis"]["range"]
    assert sketch(old) == ""


@pytest.mark.parametrize(
    ("values", "log", "low", "high"),
    [((0.0,), False, 0, 0.5), ((-4.0, -2.0), False, -4.24, 0), ((10.0,), True, 0.9, 1.1)],
)
def test_axes_cover_all_values_and_a_little_more(
    values: tuple[float, ...], log: bool, low: float, high: float
) -> None:
    one = series(len(values), winners=0)
    marks = tuple(replace(mark, x=x, y=x) for mark, x in zip(one.marks, values, strict=True))
    axis = LOG if log else LINEAR
    built = figure([replace(one, marks=marks, line=())], axis, axis)
    assert built["layout"]["yaxis"]["range"] == pytest.approx([low, high])


def test_the_axes_of_an_objective_reach_its_limits() -> None:
    built = offers_figure([], LINEAR, LINEAR, {"x": 40.0, "y": 2.0})
    assert [built["layout"][f"{letter}axis"]["range"][1] for letter in "xy"] == pytest.approx([42.4, 2.12])
