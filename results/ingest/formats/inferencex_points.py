"""One point with fixed sequence lengths out of one InferenceX row, whatever file the row stands in. Pure."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from results.analysis.validity import Verdict, judge_fixed
from results.ingest.fields import Fields
from results.ingest.formats import inferencex_power, inferencex_throughput, inferencex_topology
from results.ingest.formats.inferencex_identity import Spelling, read_recipe, served_model
from results.ingest.formats.inferencex_power import read_power
from results.ingest.formats.inferencex_readings import Readings, read_statistics, statistic
from results.ingest.formats.inferencex_throughput import put_throughput, read_per_gpu
from results.ingest.formats.inferencex_topology import Topology, read_topology
from results.ingest.rows import FormatError, Rejected, Result, Row

_COUNTS = frozenset({"completed", "num_requests_successful", "failed", "num_requests_failed"})
_KNOWN = frozenset({
    "conc", "isl", "osl", "date", "run_url", "benchmark_type", *_COUNTS, *inferencex_power.NAMES,
    *inferencex_throughput.NAMES, *inferencex_topology.NAMES,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cells:
    """Identity and numbers of a point: one object in aggregates, two in captures of the API.

    One unit of a latency is ``seconds`` long; None: unknown, so latencies are left out.
    """

    row: Fields
    numbers: Fields
    spelling: Spelling
    seconds: float | None = 1.0


def read_point(cells: Cells) -> Iterator[Row]:
    """The point, or why it is refused."""
    place = cells.row.place
    try:
        result = _result(cells)
    except FormatError as error:
        yield Rejected(error.pointer, error.reason)
        return
    yield result if result.values else Rejected(place, "no number that has a meaning here")


def _result(cells: Cells) -> Result:
    row, numbers = cells.row, cells.numbers
    readings = Readings()
    per_gpu = read_per_gpu(numbers)
    topology = read_topology(row, cells.spelling, per_gpu)
    put_throughput(per_gpu, topology, readings)
    if cells.seconds is None:
        readings.notes.append("latencies left out: TPOT and interactivity do not prove a unit")
    else:
        read_statistics(numbers, readings, cells.seconds)
    read_power(numbers, readings)
    if not all(map(math.isfinite, readings.values.values())):
        raise FormatError(numbers.place, "a number beyond all measure")
    recipe = read_recipe(row, cells.spelling)
    readings.extra.update({**topology.extra, **served_model(row, recipe), **_unknown(cells)})
    recipe["roles"] = {name: role for name, role in topology.roles.items() if role}
    recipe.update(multinode(row, topology))
    day = read_day(row, "date")
    return Result(
        pointer=row.place,
        recipe={name: value for name, value in recipe.items() if value != {}},
        scenario=read_scenario(row),
        load=row.positive("conc"),
        values=readings.values,
        verdict=_verdict(numbers, per_gpu.total),
        extra=readings.extra,
        flags=tuple(dict.fromkeys([*topology.flags, *readings.flags])),
        notes=tuple(readings.notes),
        source_run=read_run(row),
        measured_at=day,
    )


def read_scenario(row: Fields) -> dict[str, Any]:
    """Sequence lengths in tokens; some rows spell them as text."""
    lengths = {name: _length(row, name) for name in ("isl", "osl")}
    return {"kind": "fixed", **{name: length for name, length in lengths.items() if length is not None}}


def read_day(row: Fields, name: str) -> datetime | None:
    """A calendar day in UTC, as the moment at which it begins."""
    text = row.text(name)
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        row.fail(name, "must be a day like 2026-05-05")
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def read_run(row: Fields) -> str | None:
    """The address of the run that measured; its end names the attempt where the row knows it."""
    address = row.text("run_url")
    if address is not None and (len(address) > 256 or not address.startswith("https://")):
        row.fail("run_url", "must be an https address of at most 256 characters")
    return address


def multinode(row: Fields, topology: Topology) -> Mapping[str, bool]:
    """Whether several hosts serve, unless the row contradicts itself."""
    stated = row.flag("is_multinode")
    contradiction = topology.disaggregated and stated is False
    return {} if stated is None or contradiction else {"multinode": stated}


def _length(row: Fields, name: str) -> int | None:
    value = row.values.get(name)
    if isinstance(value, str):
        if not value.strip():
            return None
        if not (value.strip().isascii() and value.strip().isdigit() and len(value) < 10):
            row.fail(name, "must be a whole number")
        return Fields({name: int(value)}, row.place).positive(name)
    return row.positive(name)


def _verdict(numbers: Fields, total: float | None) -> Verdict:
    successful = _first_count(numbers, "num_requests_successful", "completed")
    if successful is None and total == 0:
        # No token in the whole run: nothing succeeded.
        successful = 0
    return judge_fixed(successful, _first_count(numbers, "num_requests_failed", "failed"))


def _first_count(numbers: Fields, *names: str) -> int | None:
    return next((count for count in map(numbers.count, names) if count is not None), None)


def _unknown(cells: Cells) -> dict[str, Any]:
    """What no other reader here takes, under the row's own names; texts and numbers only."""
    known = _KNOWN | cells.spelling.names | {"metrics"}
    found: dict[str, Any] = {}
    for fields in (cells.row, cells.numbers):
        for name, value in fields.values.items():
            taken = name in known or (statistic(name) is not None)
            if not taken and isinstance(value, str | int | float):
                found[name] = value
    return found
