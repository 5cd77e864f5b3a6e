"""Some observations of one file as lines of COPY."""

from collections.abc import Iterable, Sequence

from results.ingest.observation import ABOUT, Observation, measured_cells
from results.metrics import METRICS

#: What makes two rows the same observation.
KEY = ("run_id", "load", "digest")


class Portion:
    """``points`` are pairs of round and cells, ``sources`` pairs of a point's key and a pointer.

    Rows of one observation that state different details go into different rounds: one statement stores
    a row once. Cells are text of COPY for ``columns``, keys for ``KEY``.
    """

    def __init__(self, observations: Sequence[Observation]) -> None:
        self.observations = observations
        metrics = _metrics(observations)
        self.columns = ", ".join((*KEY, *ABOUT, *metrics))
        self.points: list[tuple[int, str]] = []
        self.sources: dict[str, str] = {}
        seen: dict[str, list[str]] = {}
        tab = "\t" if metrics else ""
        for one in observations:
            key = f"{one.run.id}\t{one.load}\t{one.digest}"
            details = seen.setdefault(key, [])
            if one.about not in details:
                cells = f"{key}\t{one.about}{tab}{measured_cells(one.values, metrics)}"
                self.points.append((len(details), cells))
                details.append(one.about)
            self.sources.setdefault(one.pointer[:512], key)
        self.keys = list(seen)
        self.rounds = max(map(len, seen.values()))

    @property
    def runs(self) -> list[str]:
        return list({one.run.id for one in self.observations})


def _metrics(observations: Iterable[Observation]) -> tuple[str, ...]:
    """The metrics that any of these observations has; a file has a fraction of all."""
    present: set[str] = set()
    for one in observations:
        present.update(one.values)
    return tuple(key for key in METRICS if key in present)


def escaped(pointer: str) -> str:
    """A pointer as a cell of COPY."""
    if "\\" not in pointer and pointer.isprintable():
        return pointer
    return pointer.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
