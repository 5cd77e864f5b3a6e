"""What the figures of one point are drawn from. Pure."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.analysis.column_file import PointColumns
from results.analysis.request_columns import RequestColumns
from results.analysis.summary import NANOSECONDS
from results.queries.request_rows import zero_ns

Array = NDArray[Any]


class Sheet:
    """Columns of a load and the values of its point. Times count in seconds from the first profiled request.

    ``requests`` are those that are drawn, in the order in which they were sent: with ``warmup`` all of them.
    ``zero`` is their zero in epoch nanoseconds, ``end`` when the last request ended (infinite without).
    """

    def __init__(self, columns: PointColumns, values: Mapping[str, float], *, warmup: bool = False) -> None:
        self.columns = columns
        self.values = values
        self.warmup = warmup
        self.requests: RequestColumns | None = None
        self.zero, self.end = 0, float("inf")
        found, engine = columns.requests, columns.engine
        if found is not None:
            self.requests = found.take(_shown(found, warmup))
            self.zero = zero_ns(found)
            if len(found):
                self.end = float((found["end_ns"].max() - self.zero) / NANOSECONDS)
        elif engine is not None and len(engine.at):
            self.zero = int(engine.at[0] * NANOSECONDS)

    def seconds(self, moments: Array) -> Array:
        """Epoch nanoseconds as seconds from zero; the difference is taken in integers."""
        found: Array = (moments - self.zero) / NANOSECONDS
        return found

    def samples(self, at: Array) -> tuple[Array, Array]:
        """Seconds from zero of unix times, and the places of those that are drawn."""
        times = at - self.zero / NANOSECONDS
        inside = times <= self.end + 2
        return times, np.flatnonzero(inside if self.warmup else inside & (times >= -1))


def _shown(requests: RequestColumns, warmup: bool) -> Array:
    places = np.argsort(requests["start_ns"], kind="stable")
    return places if warmup else places[requests["profiled"][places]]
