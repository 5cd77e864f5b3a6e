"""The figure: what Plotly is given."""

from dataclasses import replace

import orjson
import plotly.graph_objects as go
import pytest

from dashboard.figures.colour import ramp
from dashboard.figures.marks import dash, outline, stroke, symbol
from dashboard.figures.pareto import Axis, Extras, Mark, Series, figure

X = Axis("Interactivity P50", "tok/s/user", log=False, better="higher is better")
Y = Axis("<b>y</b>", "tok/s/GPU", log=True, better="")


def series(name: str, *, halo: bool = False, hollow: bool = False) -> Series:
    marks = tuple(
        Mark(number, number, float(number), 10.0 / number, number < 3, not hollow, (name, "line <two>"))
        for number in (1, 2, 3)
    )
    colour, line = ramp("cpu", 1)[0], ((1.0, 10.0), (2.0, 5.0))
    return Series("k" * 12, name, colour, "circle", "dash", halo, marks, line, about=("<u>about</u>",))


def test_plotly_accepts_the_figure_and_every_text_is_escaped() -> None:
    built = figure([series("<a href=x>", halo=True), series("b", hollow=True)], X, Y)
    go.Figure(built)
    text = orjson.dumps(built).decode()
    assert "<a " not in text
    assert "<b>" not in text
    assert "<u>" not in text
    assert "&lt;a href=x&gt;<br>line &lt;two&gt;" in text


def test_halo_line_and_marks_are_drawn_in_that_order() -> None:
    built = figure([series("a", halo=True)], X, Y)
    kinds = [(trace["mode"], trace.get("hoverinfo")) for trace in built["data"]]
    assert kinds == [("markers", "skip"), ("lines", "skip"), ("markers+text", None)]
    assert built["data"][2]["marker"]["opacity"] == [1, 1, 0.4]
    assert built["data"][1]["line"]["dash"] == "dash"


def test_hollow_means_not_eligible() -> None:
    built = figure([series("a", hollow=True)], X, Y)
    assert built["data"][-1]["marker"]["symbol"] == "circle-open"


def test_what_the_axis_hides_of_a_line_is_no_digit_of_a_point() -> None:
    one = replace(series("a"), line=((1.0, 1 / 3), (2.0, 2 / 3)))
    built = figure([replace(one, marks=(replace(one.marks[0], y=1 / 3),))], X, Y)
    assert built["data"][0]["y"] == [0.333333, 0.666667]
    assert built["data"][1]["y"] == [1 / 3]


def test_ring_overall_line_and_ruler_lie_over_the_lines() -> None:
    one = series("a")
    ringed = replace(one, marks=(replace(one.marks[0], ring=True), *one.marks[1:]))
    built = figure([ringed], X, Y, Extras(overall=(((1.0, 10.0), (3.0, 1.0)),), ruler=1.5))
    go.Figure(built)
    assert [trace["mode"] for trace in built["data"]] == ["lines", "lines", "markers", "markers+text"]
    assert built["data"][2]["x"] == [1.0]
    assert built["layout"]["shapes"][0]["x0"] == 1.5


def test_long_labels_are_left_out_before_they_cover_each_other() -> None:
    one = series("a")
    long = replace(one, marks=tuple(replace(mark, label="4xDEP8+1xTEP16" * 9) for mark in one.marks))
    assert figure([long], X, Y)["data"][-1]["mode"] == "markers"


def test_names_on_a_logarithmic_axis_take_the_exponent() -> None:
    note = figure([series("a")], X, Y)["layout"]["annotations"][0]
    assert note["x"] == 2.0
    assert note["y"] == pytest.approx(0.69897)


def test_ticks_of_a_logarithmic_axis_are_full_numbers() -> None:
    axis = figure([series("a")], X, Y)["layout"]["yaxis"]
    ticks = dict(zip(axis["tickvals"], axis["ticktext"], strict=True))
    assert {0.1: "0.1", 0.5: "0.5", 2.0: "2", 10.0: "10"}.items() <= ticks.items()
    assert "tickvals" not in figure([series("a")], X, Y)["layout"]["xaxis"]


@pytest.mark.parametrize("precision", ["fp16", "FP8", "nvfp4", "fp6", "mystery"])
@pytest.mark.parametrize("engine", ["llamacpp", "vllm", "sglang", "trtllm", "mystery"])
def test_legend_can_draw_every_mark(precision: str, engine: str) -> None:
    assert outline(symbol(precision)).startswith("M")
    assert stroke(dash(engine))
