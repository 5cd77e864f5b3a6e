import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.denominators import all_gpu_throughput, input_share


def test_four_prefill_and_eight_decode_gpus() -> None:
    """1,200 tok/s in total, 400 of them output: role-local 200 and 50 add up to 2.5 times the truth."""
    inputs, outputs, total = all_gpu_throughput(800 / 4, 4, 400 / 8, 8)
    assert (inputs, outputs, total) == pytest.approx((66.6667, 33.3333, 100), rel=1e-5)


@given(st.floats(0, 1e6), st.integers(1, 144), st.floats(0, 1e6), st.integers(1, 144))
def test_parts_add_up_to_all_tokens_over_all_gpus(i: float, prefill: int, o: float, decode: int) -> None:
    inputs, outputs, total = all_gpu_throughput(i, prefill, o, decode)
    assert inputs + outputs == total
    assert total * (prefill + decode) == pytest.approx(i * prefill + o * decode)


@pytest.mark.parametrize("gpus", [(0, 8), (8, 0), (-1, 4)])
def test_both_roles_have_gpus(gpus: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="at least one GPU"):
        all_gpu_throughput(1, gpus[0], 1, gpus[1])


@pytest.mark.parametrize(
    ("inputs", "outputs", "total", "share"),
    [
        (60, 40, 100, 0.6),
        (60, 41, 100, 60 / 101),
        (60, 42, 100, 8 / 9),
        (200, 50, 100, 8 / 9),
        (0, 0, 0, 8 / 9),
    ],
)
def test_parts_that_miss_the_total_by_more_than_one_percent_give_way_to_lengths(
    inputs: float, outputs: float, total: float, share: float
) -> None:
    assert input_share(inputs, outputs, total, isl=8192, osl=1024) == pytest.approx(share)


@pytest.mark.parametrize(("isl", "osl"), [(None, None), (8192, None), (None, 1024), (0, 0)])
def test_without_lengths_the_share_is_unknown(isl: float | None, osl: float | None) -> None:
    assert input_share(60, 42, 100, isl=isl, osl=osl) is None
