"""Request records as one array per field: a hundred thousand requests are read in a fraction of a second."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from results.analysis.requests import Phase, RequestFailure, RequestRecord

Array = NDArray[Any]

#: Whole numbers from 0 on; -1 stands for absent.
INTEGERS = (
    "line", "start_ns", "end_ns", "issued_ns", "turn", "agent_depth",
    "input_tokens", "output_tokens", "prompt_tokens", "cached_tokens",
)  # fmt: skip
#: Seconds; NaN stands for absent.
SECONDS = ("ttft", "latency", "itl", "full_response_itl")
FLAGS = ("profiled", "cancelled", "overflow")
#: Places in ``texts``; -1 stands for absent. A failure is a JSON list of kind, code and message.
TEXTS = ("conversation", "session", "root", "failure")


class RequestColumns:
    """Fields of all requests in file order; ``texts`` are the different strings that occur."""

    def __init__(self, arrays: Mapping[str, Array], texts: Sequence[str]) -> None:
        self._arrays = arrays
        self.texts = tuple(texts)

    def __len__(self) -> int:
        return len(self._arrays["line"])

    def __getitem__(self, name: str) -> Array:
        """The field as it is stored: one of INTEGERS, SECONDS, FLAGS, TEXTS."""
        return self._arrays[name]

    @property
    def successful(self) -> Array:
        """Mask of what ``RequestRecord.successful`` says."""
        return self["profiled"] & (self["failure"] < 0) & ~self["cancelled"] & ~self["overflow"]

    @property
    def failed(self) -> Array:
        return self["profiled"] & (self["failure"] >= 0) & ~self["cancelled"] & ~self["overflow"]

    def text(self, name: str, place: int) -> str | None:
        index = int(self._arrays[name][place])
        return None if index < 0 else self.texts[index]

    def take(self, places: Array) -> "RequestColumns":
        """The requests at these places, or where this mask is true, in this order."""
        return RequestColumns({name: array[places] for name, array in self._arrays.items()}, self.texts)

    def records(self) -> Iterator[RequestRecord]:
        """The records these columns were made of."""
        names = (*INTEGERS, *SECONDS, *FLAGS, *TEXTS)
        for row in zip(*(self._arrays[name].tolist() for name in names), strict=True):
            yield _record(dict(zip(names, row, strict=True)), self.texts)


def request_columns(records: Sequence[RequestRecord]) -> RequestColumns:
    """Columns of the records; nothing is rounded."""
    places: dict[str, int] = {}
    arrays: dict[str, Array] = {name: _integers(records, name) for name in INTEGERS}
    arrays |= {name: _seconds(records, name) for name in SECONDS}
    arrays |= {name: np.array([getattr(one, name) for one in records], dtype=np.bool_) for name in FLAGS}
    for name in TEXTS:
        texts = [_failure(one) if name == "failure" else getattr(one, name) for one in records]
        found = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
        arrays[name] = np.array(found, dtype=np.int32)
    return RequestColumns(arrays, tuple(places))


def _integers(records: Sequence[RequestRecord], name: str) -> Array:
    values = (getattr(record, name) for record in records)
    return np.array([-1 if value is None else value for value in values], dtype=np.int64)


def _seconds(records: Sequence[RequestRecord], name: str) -> Array:
    # numpy reads None as NaN.
    return np.array([getattr(record, name) for record in records], dtype=np.float64)


def _failure(record: RequestRecord) -> str | None:
    failure = record.failure
    return None if failure is None else json.dumps([failure.kind, failure.code, failure.message])


def _record(row: dict[str, Any], texts: Sequence[str]) -> RequestRecord:
    values: dict[str, Any] = {name: None if row[name] < 0 else row[name] for name in INTEGERS}
    values |= {name: None if row[name] != row[name] else row[name] for name in SECONDS}
    values |= {name: None if row[name] < 0 else texts[row[name]] for name in TEXTS}
    failure = values.pop("failure")
    return RequestRecord(
        **values,
        phase=Phase.PROFILING if row["profiled"] else Phase.WARMUP,
        cancelled=row["cancelled"],
        overflow=row["overflow"],
        failure=None if failure is None else RequestFailure(*json.loads(failure)),
    )
