"""Rows of an export of ours: what was executed here is recognised, never stored twice."""

from collections.abc import Sequence
from uuid import UUID

from results.ingest.observation import ImportedRun, Observation, point_digest
from results.ingest.reports import Refused
from results.models import Origin, Point, PointSource, ResultFile, Run
from results.queries.points import RESULT, point_values


class ExecutedHere:
    """Splits observations: ``others`` are to be stored, ``refused`` contradict what is known of their run."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        self.refused: list[Refused] = []
        self.others: list[Observation] = []
        self._links: dict[str, int] = {}
        self._brought: dict[str, ImportedRun] = {}
        ids = {one.run.id for one in observations if one.run.exported}
        if not ids:
            self.others = list(observations)
            return
        known = Run.objects.filter(id__in=ids).select_related("recipe", "scenario")
        runs = {run.id.hex: run for run in known}
        points = self._points([run.id for run in runs.values() if run.origin == Origin.EXECUTED])
        for one in observations:
            if one.run.exported:
                self._sort(one, runs.get(one.run.id), points)
            else:
                self.others.append(one)

    @property
    def linked(self) -> int:
        return len(self._links)

    def link(self, file: ResultFile) -> None:
        """Note that the file states these points too."""
        rows = [
            PointSource(file=file, pointer=pointer, point_id=point) for pointer, point in self._links.items()
        ]
        PointSource.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["file", "pointer"],
            update_fields=["point"],
        )

    def _points(self, runs: Sequence[UUID]) -> dict[tuple[UUID, int, str], int]:
        found = Point.objects.filter(RESULT, run__in=runs, attempt__isnull=False)
        return {(point.run_id, point.load, _digest(point)): point.id for point in found}

    def _sort(self, one: Observation, run: Run | None, points: dict[tuple[UUID, int, str], int]) -> None:
        if run is None:
            self._sort_unknown(one)
        elif run.recipe.fingerprint != one.run.recipe.fingerprint or not _same_scenario(run, one):
            self._refuse(one, f"run {run.id} is known with another recipe or scenario")
        elif run.origin != Origin.EXECUTED:
            self.others.append(one)
        elif (run.id, one.load, one.digest) in points:
            self._links[one.pointer[:512]] = points[run.id, one.load, one.digest]
        else:
            self._refuse(one, f"run {run.id} was executed here and measured other numbers at load {one.load}")

    def _sort_unknown(self, one: Observation) -> None:
        first = self._brought.setdefault(one.run.id, one.run)
        if (first.recipe.fingerprint, first.scenario) == (one.run.recipe.fingerprint, one.run.scenario):
            self.others.append(one)
        else:
            self._refuse(one, f"run {UUID(one.run.id)} has another recipe or scenario in another row")

    def _refuse(self, one: Observation, reason: str) -> None:
        self.refused.append(Refused(one.pointer, reason))


def _digest(point: Point) -> str:
    return point_digest(point_values(point), point.validity, point.reasons)


def _same_scenario(run: Run, one: Observation) -> bool:
    brought = one.run.scenario.model_dump(mode="json")
    names = ("kind", "corpus", "version", "context_cap", "isl", "osl")
    return all(getattr(run.scenario, name) == brought.get(name) for name in names)
