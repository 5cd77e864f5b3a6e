"""What each recipe gave over the first one at the same load: plain ratios of measured values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from dashboard.figures.arrange import COMPARABLE, Entry, Row

THROUGHPUT = "request_throughput"
TTFT = "ttft_p50"


@dataclass(frozen=True, slots=True)
class Step:
    """Medians over ``runs`` independent runs; ratios to the first recipe at this load."""

    load: int
    entry: Entry
    reference: bool
    runs: int
    throughput: float | None
    ttft: float | None
    throughput_ratio: float | None
    ttft_ratio: float | None


#: Metrics that points must carry for this.
METRICS = (THROUGHPUT, TTFT)
#: More recipes than this side by side at each load are no longer a step-by-step story.
_MOST = 8


def steps(rows: Iterable[Row], entries: Sequence[Entry]) -> tuple[Step, ...]:
    """Loads that at least two recipes measured, in one scenario and of one validity; else nothing."""
    if len(entries) > _MOST or any(len(entry.series.recipes) > 1 for entry in entries):
        return ()
    rows = [row for row in rows if row.point.validity in COMPARABLE]
    if len({(row.scenario, row.point.validity) for row in rows}) != 1:
        return ()
    cells: dict[int, dict[str, list[Row]]] = {}
    for row in rows:
        cells.setdefault(row.point.load, {}).setdefault(row.entry.key, []).append(row)
    return tuple(
        step for load, cell in sorted(cells.items()) if len(cell) > 1 for step in _steps(load, cell, entries)
    )


def _steps(load: int, cell: dict[str, list[Row]], entries: Sequence[Entry]) -> Iterable[Step]:
    present = [entry for entry in entries if entry.key in cell]
    first = cell[present[0].key]
    base = _median(first, THROUGHPUT), _median(first, TTFT)
    for entry in present:
        members = cell[entry.key]
        throughput, ttft = _median(members, THROUGHPUT), _median(members, TTFT)
        yield Step(
            load=load,
            entry=entry,
            reference=entry is present[0],
            runs=len({row.point.run for row in members}),
            throughput=throughput,
            ttft=ttft,
            throughput_ratio=_ratio(throughput, base[0]),
            ttft_ratio=_ratio(ttft, base[1]),
        )


def _median(rows: Iterable[Row], key: str) -> float | None:
    values = [row.point.values[key] for row in rows if key in row.point.values]
    return median(values) if values else None


def _ratio(value: float | None, base: float | None) -> float | None:
    return None if value is None or not base else value / base
