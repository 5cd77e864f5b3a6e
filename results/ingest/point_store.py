"""Stores the observations of one file in portions; the server works while the next rows are read."""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime

from django.db import connection

from results.ingest.executed_here import ExecutedHere
from results.ingest.normalize import Scenario
from results.ingest.observation import ImportedRun, Observation
from results.ingest.point_writer import write
from results.ingest.portion import Portion
from results.ingest.reports import Refused
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
        self._underway: Future[int] | None = None
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
        underway, self._underway = self._underway, None
        if underway is not None:
            with connection.wrap_database_errors:
                self.created += underway.result()

    def abandon(self) -> None:
        """After an error: nothing else may use the connection before the server has answered."""
        if self._underway is not None:
            wait([self._underway])

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
        # Not a pool that lives on: a server forks, and a file has its own connection.
        thread = ThreadPoolExecutor(max_workers=1)
        portion = Portion(observations)
        self._underway = thread.submit(
            write, connection.connection, portion, file_id=self._file.pk, now=self._now
        )
        thread.shutdown(wait=False)
        self.read += len(observations)
