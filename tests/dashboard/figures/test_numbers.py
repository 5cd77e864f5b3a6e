"""Three significant digits, never a different number."""

import math

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from dashboard.figures.numbers import duration, full, measured, share, short, with_unit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1, "1.00"), (9.996, "10.0"), (0.0102, "0.0102"), (24.13, "24.1"), (999.6, "1,000"),
        (1234.5, "1,230"), (103_456, "103,000"), (0.00012345, "0.000123"), (1.2e-7, "1.20e-07"),
        (4.5e12, "4.50e+12"),
    ],
)  # fmt: skip
def test_short(value: float, text: str) -> None:
    assert short(value) == text


@given(st.floats(min_value=1e-12, max_value=1e15))
def test_short_is_within_half_a_unit_of_the_third_digit(value: float) -> None:
    read = float(short(value).replace(",", ""))
    assert math.isclose(read, value, rel_tol=0.00501)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_full_reads_back_as_the_same_number(value: float) -> None:
    assert float(full(value)) == value


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (4.2, "4.2 s"),
        (59.6, "1 min"),
        (7201, "2 h"),
        (200, "3 min 20 s"),
        (7500, "2 h 5 min"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_shares_read_in_per_cent_as_each_language_writes_them_and_have_no_unit_on_axes() -> None:
    assert share(0.976) == "98\u00a0%"
    with override("zh-hans"):
        assert share(0.976) == "98%"
    assert (with_unit("Hit rate", "1"), with_unit("TTFT", "s")) == ("Hit rate", "TTFT (s)")
    assert (measured(0.5, "1"), measured(2, "s")) == ("0.500", "2.00 s")
