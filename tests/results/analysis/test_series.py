import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.series import Scrape, TelemetryError, Window, parse_scrapes, split_name


def scrapes(*levels: dict[str, float]) -> list[Scrape]:
    """One scrape a second, from second 0 on."""
    return [Scrape(float(at), metrics) for at, metrics in enumerate(levels)]


@pytest.mark.parametrize(
    ("key", "name", "labels"),
    [
        ("up", "up", {}),
        ("llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens", {}),
        ('a_total{source="host"}', "a", {"source": "host"}),
        ('a{x="1",y="b,c}"}', "a", {"x": "1", "y": "b,c}"}),
        ('a{x="say \\"hi\\"\\n\\\\"}', "a", {"x": 'say "hi"\n\\'}),
        ("a{}", "a", {}),
    ],
)
def test_sample_names(key: str, name: str, labels: dict[str, str]) -> None:
    assert split_name(key) == (name, tuple(labels.items()))


@pytest.mark.parametrize("key", ["", "9a", "a b", 'a{x="1"', "a{x=1}", 'a{x="1"}}', 'a{="1"}'])
def test_broken_sample_names_are_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"sample name|broken labels"):
        split_name(key)


def test_only_the_change_inside_the_window_counts() -> None:
    window = Window(scrapes(*({"a_total": float(10 * at)} for at in range(9))), start=2.5, end=5.5)
    assert window.increase("a") == 60 - 20


def test_labelled_series_add_up_and_can_be_chosen() -> None:
    window = Window(
        scrapes({'a_total{s="x"}': 1, 'a_total{s="y"}': 5}, {'a_total{s="x"}': 4, 'a_total{s="y"}': 7}), 0, 1
    )
    assert window.increase("a") == 5
    assert window.increase("a", s="x") == 3
    assert window.increase("a", s="z") is None


def test_a_series_that_appears_later_began_at_zero() -> None:
    window = Window(scrapes({"b": 1}, {"b": 1, 'a_total{s="x"}': 4}), 0, 1)
    assert window.increase("a") == 4


def test_a_reset_counter_is_unknown_and_not_zero() -> None:
    assert Window(scrapes({"a_total": 9}, {"a_total": 2}), 0, 1).increase("a") is None


def test_one_scrape_shows_no_change() -> None:
    assert Window(scrapes({"a_total": 9}), 0, 1).increase("a") is None
    assert Window([], 0, 1).increase("a") is None


def test_gauges_are_summed_over_series_at_each_moment() -> None:
    window = Window(scrapes({'g{e="0"}': 1, 'g{e="1"}': 2}, {'g{e="0"}': 5, 'g{e="1"}': 0}), 0, 1)
    assert window.gauge("unknown", "g") == [3, 5]
    assert window.highest("g") == 5
    assert window.gauge("unknown") == []
    assert window.highest("unknown") is None


@given(st.lists(st.integers(0, 50), min_size=2, max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_increase_is_last_minus_first_of_what_covers_the_window(
    steps: list[int], start: int, length: int
) -> None:
    levels = [sum(steps[: at + 1]) for at in range(len(steps))]
    window = Window(scrapes(*({"a_total": float(level)} for level in levels)), start, start + length)
    last = len(levels) - 1
    first, final = min(start, last), min(start + length, last)
    assert window.increase("a") == (None if first == final else levels[final] - levels[first])


def test_scrapes_are_read_in_any_order_and_nulls_left_out() -> None:
    lines = ['{"at": 2.5, "metrics": {"a": 1, "b": null}}\n', "\n"]
    assert list(parse_scrapes(lines)) == [Scrape(2.5, {"a": 1.0})]
    backwards = list(reversed(scrapes({"a_total": 1}, {"a_total": 2})))
    assert Window(backwards, 0, 1).increase("a") == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "metrics must be an object"),
        ('{"at": 1}', "metrics must be an object"),
        ('{"at": "1", "metrics": {}}', "at must be unix seconds"),
        ('{"at": NaN, "metrics": {}}', "NaN is no number"),
        ('{"at": 1, "metrics": {"a": "1"}}', "metrics.a must be a finite number"),
        ('{"at": 1, "metrics": {"a": 1e999}}', "metrics.a must be a finite number"),
        ('{"at": 1, "metrics": {"a": true}}', "metrics.a must be a finite number"),
    ],
)
def test_broken_scrapes_are_named(text: str, complaint: str) -> None:
    with pytest.raises(TelemetryError, match="line 2: ") as caught:
        list(parse_scrapes(['{"at": 1, "metrics": {}}', text]))
    assert complaint in str(caught.value)


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["at", "metrics", "x"]), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_no_json_breaks_the_reader_otherwise(document: Any) -> None:
    try:
        list(parse_scrapes([json.dumps(document)]))
    except TelemetryError as error:
        assert str(error).startswith("line 1: ")
