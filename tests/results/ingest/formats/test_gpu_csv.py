"""Telemetry of GPUs: units in cells, times without offset, headers that come again, rows cut off."""

from datetime import UTC, datetime

import pytest

from results.ingest.formats import gpu_csv
from results.ingest.formats.gpu_csv import power_series
from results.ingest.rows import FormatError, Rejected, Remark
from tests.results.ingest.formats.tool_samples import AMD, NVIDIA, rows, version
from tests.results.ingest.sources import source_of


def test_nvidia_cells_carry_units_and_times_no_offset() -> None:
    series = power_series(source_of(NVIDIA))
    first, _second, third, last = series.samples

    assert first.at == datetime(2026, 6, 10, 21, 34, 19, 342_000)  # noqa: DTZ001 as the tool writes it
    assert (first.gpu, first.watts, first.clock_mhz, first.temperature_c) == ("0", 76.85, 345.0, 33.0)
    assert (third.place, third.watts, third.utilization_percent) == ("line 5", 690.15, 100.0)
    assert (last.watts, last.throttled) == (None, None)
    assert series.refused == (Rejected("line 7", "1 cells under 6 columns"),)


def test_amd_times_are_moments_and_lines_above_the_header_are_skipped() -> None:
    series = power_series(source_of(AMD))
    first, second, third = series.samples

    assert first.at == datetime.fromtimestamp(1785881113, UTC)
    assert (first.watts, first.clock_mhz, first.temperature_c) == (238.0, 2100.0, 45.0)
    assert [sample.throttled for sample in series.samples] == [False, True, None]
    assert (second.watts, third.watts) == (None, 262.0)
    assert first.place == "line 3"


def test_a_file_is_a_remark_with_its_summary() -> None:
    refused, remark = rows(gpu_csv, NVIDIA)

    assert isinstance(refused, Rejected)
    assert remark == Remark(
        "",
        "nvidia-smi telemetry of 2 GPUs: 4 samples over 1.1 s from 2026-06-10 21:34:19 "
        "(local time without an offset); mean power 70.2 to 383.5 W per GPU; SM clock 345 to 1980 MHz. "
        "It belongs to a point, which must be named.",
    )
    (remark,) = rows(gpu_csv, AMD)
    assert isinstance(remark, Remark)
    assert "(UTC); mean power 250.0 to 250.0 W per GPU" in remark.text
    assert "throttled in 1 samples" in remark.text


def test_bare_cells_have_the_unit_of_their_column() -> None:
    bare = "timestamp,index,power.draw [mW],clocks.sm [GHz]\n2026/06/10 21:34:19.342,0,76850,1.98\n"
    (sample,) = power_series(source_of(bare)).samples

    assert sample.watts == pytest.approx(76.85)
    assert sample.clock_mhz == pytest.approx(1980.0)


@pytest.mark.parametrize(
    ("cell", "throttled"),
    [
        ("0x0000000000000000", False), ("0x0000000000000001", False), ("0x0000000000000004", True),
        ("Active", True), ("Not Active", False),
    ],
)  # fmt: skip
def test_reasons_of_throttling(cell: str, throttled: bool) -> None:
    content = (
        "timestamp, index, power.draw [W], clocks_throttle_reasons.active\n"
        f"2026/06/10 21:34:19.342, 0, 76.85 W, {cell}\n"
    )
    (sample,) = power_series(source_of(content)).samples

    assert sample.throttled is throttled


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("76.85 W", "76.85 BTU", "power.draw [W]: '76.85 BTU' is no quantity"),
        ("76.85 W", "1e5 W", "power.draw [W]: '1e5 W' is no quantity"),
        ("2026/06/10 21:34:19.342", "yesterday", "timestamp: 'yesterday' is no time"),
        (", 0, 76", ", N/A, 76", "gpu identity missing"),
    ],
)
def test_a_bad_row_does_not_lose_the_others(old: str, new: str, reason: str) -> None:
    series = power_series(source_of(NVIDIA.replace(old, new, 1)))

    assert series.refused[0] == Rejected("line 2", reason)
    assert len(series.samples) == 3


def test_a_header_alone_is_refused() -> None:
    with pytest.raises(FormatError, match="no usable power samples"):
        power_series(source_of(NVIDIA.splitlines()[0]))


def test_vendors_by_content() -> None:
    assert version(gpu_csv, NVIDIA) == "nvidia-smi"
    assert version(gpu_csv, AMD) == "amd-smi"
    assert version(gpu_csv, "timestamp,load\n1,2\n") is None
