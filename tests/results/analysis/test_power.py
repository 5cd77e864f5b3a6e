import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.power import PowerLog, PowerReason, Sample, Work, audit, energy_joules, parse_power


def work(start: float = 10.5, end: float = 20.5, **changes: float | None) -> Work:
    facts: dict[str, float | None] = {
        "reported_seconds": end - start, "requests": 4, "input_tokens": 900.0, "output_tokens": 100.0,
    }  # fmt: skip
    return Work(start=start, end=end, **{**facts, **changes})  # type: ignore[arg-type]


def steady(watts: float, first: int = 8, last: int = 23) -> list[Sample]:
    return [(float(second), watts) for second in range(first, last + 1)]


def test_two_gpus_at_constant_power() -> None:
    found = audit(PowerLog({"a": steady(300), "b": steady(500)}), work(), 2)
    assert found.valid
    assert found.energy_per_gpu == {"a": pytest.approx(3000), "b": pytest.approx(5000)}
    assert found.values == pytest.approx({
        "gpu_energy": 8000, "total_power_mean": 800, "gpu_power_mean": 400, "joules_per_request": 2000,
        "joules_per_input_token": 8000 / 900, "joules_per_output_token": 80, "joules_per_total_token": 8,
    })  # fmt: skip
    assert found.samples_per_gpu == {"a": 12, "b": 12}


def test_power_at_the_borders_is_interpolated() -> None:
    # 0 W at 0 s rising to 100 W at 10 s: the integral of 10 t from 2.5 to 7.5 is 5 (56.25 - 6.25).
    assert energy_joules([(0.0, 0.0), (10.0, 100.0)], 2.5, 7.5) == pytest.approx(250)


@given(st.lists(st.floats(0.1, 2.9), min_size=2, max_size=20), st.floats(0, 1000), st.floats(-50, 50))
def test_any_straight_line_is_integrated_exactly(gaps: list[float], level: float, slope: float) -> None:
    times = [math.fsum(gaps[:index]) for index in range(len(gaps) + 1)]
    samples = [(time, level + slope * time) for time in times]
    start, end = times[-1] * 0.1, times[-1] * 0.9
    exact = level * (end - start) + slope * (end**2 - start**2) / 2
    assert energy_joules(samples, start, end) == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("samples", "changes", "gpus", "reason"),
    [
        (steady(300, first=11), {}, 1, PowerReason.NOT_BRACKETED),
        (steady(300, last=20), {}, 1, PowerReason.NOT_BRACKETED),
        ([*steady(300, last=13), *steady(300, first=17)], {}, 1, PowerReason.GAP),
        (steady(300, last=8), {}, 1, PowerReason.TOO_FEW),
        (steady(300), {}, 2, PowerReason.GPU_COUNT),
        (steady(300), {"reported_seconds": 9.4}, 1, PowerReason.DURATION),
        (steady(300), {"reported_seconds": None}, 1, PowerReason.DURATION),
        (steady(300), {"requests": 0}, 1, PowerReason.REQUESTS),
        (steady(300), {"input_tokens": None}, 1, PowerReason.INPUT_TOKENS),
        (steady(300), {"output_tokens": 0.0}, 1, PowerReason.OUTPUT_TOKENS),
        (steady(300), {"end": 10.5}, 1, PowerReason.WINDOW),
    ],
)
def test_one_reason_takes_all_numbers(
    samples: list[Sample], changes: dict[str, float | None], gpus: int, reason: PowerReason
) -> None:
    found = audit(PowerLog({"a": samples}), work(**changes), gpus)  # type: ignore[arg-type]
    assert (found.reasons, found.values, found.energy_per_gpu) == ((reason,), {}, {})
    assert found.to_json()["power_valid"] is False


def test_a_gap_of_three_seconds_is_allowed() -> None:
    samples = [*steady(300, last=13), *steady(300, first=16)]
    assert audit(PowerLog({"a": samples}), work(), 1).valid


def line(at: object, *gpus: object) -> str:
    return json.dumps({"at": at, "gpus": list(gpus)})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", PowerReason.FILE_EMPTY),
        ("{", PowerReason.FILE_UNREADABLE),
        ("[1]", PowerReason.FILE_UNREADABLE),
        (line("now", {"uuid": "a", "power_watts": 1.0}), PowerReason.INVALID_TIMESTAMP),
        (line(1.0, {"uuid": "a", "power_watts": None}), PowerReason.INVALID_POWER),
        (line(1.0, {"uuid": "a", "power_watts": -1.0}), PowerReason.INVALID_POWER),
        ('{"at": 1.0, "gpus": [{"uuid": "a", "power_watts": NaN}]}', PowerReason.INVALID_POWER),
        (line(1.0, {"power_watts": 1.0}), PowerReason.NO_IDENTITY),
    ],
)
def test_faults_of_the_file_are_reasons(text: str, reason: PowerReason) -> None:
    log = parse_power(text.splitlines())
    assert log.reasons == (reason,)
    found = audit(log, work(), 1)
    assert {reason, PowerReason.NO_SAMPLES} <= set(found.reasons)


def test_samples_are_read_by_gpu_and_in_order() -> None:
    one, two = {"uuid": "a", "power_watts": 10}, {"uuid": "b", "power_watts": 20.5}
    log = parse_power([line(2.0, one, two), "", line(1.0, one)])
    assert log == PowerLog({"a": [(1.0, 10.0), (2.0, 10.0)], "b": [(2.0, 20.5)]})
