"""Stores the observations of one file in portions: for each one COPY and a few set-based statements."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from results.ingest import staging
from results.ingest.executed_here import ExecutedHere
from results.ingest.normalize import Scenario
from results.ingest.observation import ImportedRun, Observation, measured_cells
from results.ingest.reports import Refused
from results.metrics import METRICS
from results.models import ResultFile
from results.services.imported_runs import recipe_ids, scenario_id, store_runs

#: Observations of one portion; few enough to stay in the processor's cache, about 2 KB each.
PORTION = 2000


class PointStore:
    """``created`` and ``read`` count observations, ``new_recipes`` are rows that this file brought."""

    def __init__(self, file: ResultFile, *, now: datetime) -> None:
        self._file = file
        self._now = now
        self._waiting: list[Observation] = []
        self._scenarios: dict[Scenario, int] = {}
        self._underway: staging.Underway | None = None
        self.created = 0
        self.read = 0
        self.new_recipes: list[int] = []
        self.refused: list[Refused] = []

    def add(self, observation: Observation) -> None:
        self._waiting.append(observation)
        if len(self._waiting) >= PORTION:
            self._begin()

    def flush(self) -> None:
        """Store what waits, to the end."""
        if self._waiting:
            self._begin()
        self.finish()

    def finish(self) -> None:
        """Wait for the portion that is underway; before anything else is asked of the database."""
        if self._underway is not None:
            self.created += self._underway.wait()
            self._underway = None

    def _begin(self) -> None:
        self.finish()
        waiting, self._waiting = self._waiting, []
        here = ExecutedHere(waiting)
        here.link(self._file)
        self.refused += here.refused
        self.read += here.linked
        self._store_runs(here.others)
        self._store_points(here.others)

    def _store_runs(self, observations: Iterable[Observation]) -> None:
        runs: dict[str, tuple[ImportedRun, int]] = {}
        for one in observations:
            runs.setdefault(one.run.id, (one.run, one.load))
        if not runs:
            return
        ready = {run.recipe.fingerprint: run.recipe for run, _load in runs.values()}
        recipes, made = recipe_ids(
            (one.document, fingerprint, one.hardware, one.engine, one.language_model)
            for fingerprint, one in ready.items()
        )
        self.new_recipes += made
        rows = [
            {
                "id": run.id,
                "label": run.label,
                "block": run.block,
                "recipe_id": recipes[run.recipe.fingerprint],
                "scenario_id": self._scenario(run.scenario),
                "load": load,
                "source_run": run.source_run,
                "published_run": run.published_run,
            }
            for run, load in sorted(runs.values(), key=lambda pair: pair[0].id)
        ]
        store_runs(rows, now=self._now)

    def _scenario(self, document: Scenario) -> int:
        if document not in self._scenarios:
            self._scenarios[document] = scenario_id(document)
        return self._scenarios[document]

    def _store_points(self, observations: list[Observation]) -> None:
        if not observations:
            return
        metrics = _metrics(observations)
        rounds, points, sources = _lines(observations, metrics)
        staging.stage(points, sources, metrics=metrics)
        self._underway = staging.Underway(
            self._file.pk, rounds, points=len(points), metrics=metrics, now=self._now
        )
        self.read += len(observations)


def _metrics(observations: Iterable[Observation]) -> tuple[str, ...]:
    """The metrics that any of these observations has; a file has a fraction of all."""
    present: set[str] = set()
    for one in observations:
        present.update(one.values)
    return tuple(key for key in METRICS if key in present)


def _lines(observations: Iterable[Observation], metrics: Sequence[str]) -> tuple[int, list[str], list[str]]:
    """Number of rounds, lines of points and lines of sources.

    Rows of one observation that state different details go into different rounds: one statement stores
    a row once.
    """
    points: list[str] = []
    sources: list[str] = []
    seen: dict[str, list[str]] = {}
    pointers: set[str] = set()
    tab = "\t" if metrics else ""
    for one in observations:
        key = f"{one.run.id}\t{one.load}\t{one.digest}"
        details = seen.setdefault(key, [])
        if one.about not in details:
            numbers = measured_cells(one.values, metrics)
            points.append(f"{len(details)}\t{key}\t{one.about}{tab}{numbers}\n")
            details.append(one.about)
        if one.pointer not in pointers:
            pointers.add(one.pointer)
            sources.append(f"{key}\t{_escaped(one.pointer[:512])}\n")
    return max(map(len, seen.values())), points, sources


def _escaped(pointer: str) -> str:
    if "\\" not in pointer and pointer.isprintable():
        return pointer
    return pointer.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
