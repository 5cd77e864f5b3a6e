"""What the figures of one point are drawn from. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.analysis.column_file import PointColumns
from results.analysis.request_columns import RequestColumns
from results.analysis.summary import NANOSECONDS

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns of a load and the values of its point. Times count in seconds from the first profiled request.

    ``warmup`` draws the requests and samples before it as well.
    """

    columns: PointColumns
    values: Mapping[str, float]
    warmup: bool = False

    @property
    def requests(self) -> RequestColumns | None:
        """The requests that are drawn, in the order in which they were sent."""
        found = self.columns.requests
        if found is None:
            return None
        places = np.argsort(found["start_ns"], kind="stable")
        return found.take(places if self.warmup else places[found["profiled"][places]])

    @property
    def zero(self) -> int | None:
        """Epoch nanoseconds of the first profiled request, or of the first sample without requests."""
        found = self.columns.requests
        if found is not None and found["profiled"].any():
            return int(found["start_ns"][found["profiled"]].min())
        if found is not None and len(found):
            return int(found["start_ns"].min())
        engine = self.columns.engine
        return int(engine.at[0] * NANOSECONDS) if engine is not None and len(engine.at) else None

    @property
    def end(self) -> float:
        """Seconds at which the last request ended; infinite without requests."""
        found, zero = self.columns.requests, self.zero
        if found is None or not len(found) or zero is None:
            return float("inf")
        return float((found["end_ns"].max() - zero) / NANOSECONDS)

    def seconds(self, moments: Array) -> Array:
        """Epoch nanoseconds as seconds from zero; the difference is taken in integers."""
        return (moments - (self.zero or 0)) / NANOSECONDS

    def samples(self, at: Array) -> tuple[Array, Array]:
        """Seconds from zero of unix times, and the places of those that are drawn."""
        times = at - (self.zero or 0) / NANOSECONDS
        inside = times <= self.end + 2
        return times, np.flatnonzero(inside if self.warmup else inside & (times >= -1))
