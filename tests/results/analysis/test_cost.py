import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.cost import FORMULAS, KINDS, at_throughput, derive, derived_values
from results.analysis.denominators import all_gpu_throughput
from results.analysis.prices import Rate
from results.metrics import DERIVED, METRICS, Direction

#: B200 of September 2026 at the hyperscaler tier.
B200 = Rate(1.73, 1.71)
amounts = st.floats(1e-3, 1e6)
rates = st.builds(Rate, amounts, amounts)


def total(throughput: float) -> dict[str, float]:
    return {"total_throughput_per_gpu": throughput}


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("cost_per_million_total_tokens", 1.73 / 36),
        ("total_tokens_per_dollar", 20_809_248.554913),
        ("total_throughput_per_megawatt", 5_847_953.216374),
        ("provisioned_joules_per_total_token", 0.171),
    ],
)
def test_b200_at_ten_thousand_tokens_per_second(key: str, expected: float) -> None:
    assert derive(key, total(10_000), B200) == pytest.approx(expected, rel=1e-12)


def test_mi355x_under_a_three_year_rental() -> None:
    assert derive("cost_per_million_total_tokens", total(8_000), Rate(2.90, 2.09)) == pytest.approx(
        0.100694, abs=5e-7
    )


def test_every_derived_metric_has_a_formula_and_a_registered_source() -> None:
    assert set(FORMULAS) == set(DERIVED)
    assert {source for source, _formula in FORMULAS.values()} <= set(METRICS)


@pytest.mark.parametrize("key", sorted(DERIVED))
def test_the_direction_is_that_of_more_throughput(key: str) -> None:
    source, formula = FORMULAS[key]
    slow, fast = formula(100, B200), formula(200, B200)
    assert slow is not None and fast is not None
    assert (fast > slow) == (DERIVED[key].direction is Direction.HIGHER)
    assert METRICS[source].direction is Direction.HIGHER


def test_a_disaggregated_deployment_is_charged_once() -> None:
    """12 GPUs are paid and 12 divide, 4 prefill and 8 decode: no factor 12/8 (InferenceX-app 653)."""
    price, tokens_per_second = 0.002772, 1200.0
    by_hand = 12 * price / (tokens_per_second * 3600 / 1e6)
    _inputs, _outputs, throughput = all_gpu_throughput(800 / 4, 4, 400 / 8, 8)
    found = derive("cost_per_million_total_tokens", total(throughput), Rate(price, None))
    assert found == pytest.approx(by_hand, rel=1e-12) == pytest.approx(0.00770)
    assert found != pytest.approx(0.01155, rel=0.1)


@pytest.mark.parametrize("throughput", [0.0, -1.0])
def test_what_gave_no_token_is_neither_free_nor_saves_energy(throughput: float) -> None:
    values = {f"{kind}_throughput_per_gpu": throughput for kind in KINDS}
    assert derived_values(values, B200) == {}


def test_without_output_throughput_there_is_no_output_cost() -> None:
    found = derived_values({"total_throughput_per_gpu": 100, "input_throughput_per_gpu": 90}, B200)
    assert not {key for key in found if "output" in key}
    assert len(found) == 8


def test_an_unknown_price_leaves_energy_and_an_unknown_power_leaves_cost() -> None:
    unpriced, unpowered = derived_values(total(10), Rate(None, 2)), derived_values(total(10), Rate(2, None))
    assert set(unpriced) == {"total_throughput_per_megawatt", "provisioned_joules_per_total_token"}
    assert set(unpowered) == {"cost_per_million_total_tokens", "total_tokens_per_dollar"}


def test_an_unregistered_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        derive("cost", total(1), B200)


@given(amounts, rates)
def test_cost_times_throughput_is_the_price(throughput: float, rate: Rate) -> None:
    found = at_throughput("total", throughput, rate)
    assert rate.dollars_per_hour is not None and rate.kilowatts is not None
    spent = found["cost_per_million_total_tokens"] * throughput * 3600 / 1e6
    assert spent == pytest.approx(rate.dollars_per_hour, rel=1e-12)
    assert found["cost_per_million_total_tokens"] * found["total_tokens_per_dollar"] == pytest.approx(1e6)
    watts = found["provisioned_joules_per_total_token"] * throughput
    assert watts == pytest.approx(1000 * rate.kilowatts, rel=1e-12)


@given(st.floats(min_value=0, allow_nan=False), rates)
def test_derived_numbers_are_finite_and_positive_or_absent(throughput: float, rate: Rate) -> None:
    for value in at_throughput("output", throughput, rate).values():
        assert math.isfinite(value) and value >= 0
