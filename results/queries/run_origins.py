"""What decides whether runs belong together when a pull request looks for its baseline."""

from dataclasses import dataclass
from uuid import UUID

from results.analysis.gains.baselines import Origin
from results.documents.canonical import fingerprint
from results.models import FINAL, Attempt, Point, Run, State
from results.models import Origin as RunOrigin


@dataclass(frozen=True, slots=True)
class Measured:
    """A run that is over, with its origin."""

    run: Run
    origin: Origin


def runs_of_commit(commit: str) -> list[Measured]:
    """Executed runs of this build that are over, oldest first; three queries."""
    rows = Run.objects.filter(
        origin=RunOrigin.EXECUTED,
        state__in=FINAL,
        recipe__document__contains={"engine": {"commit": commit}},
    )
    runs = list(rows.select_related("recipe").order_by("created_at", "id"))
    identifiers = [run.id for run in runs]
    hosts, withdrawn = _hosts(identifiers), _withdrawn(identifiers)
    return [
        Measured(run, _origin(run, commit, hosts.get(run.id, ""), usable=run.id not in withdrawn))
        for run in runs
    ]


def _origin(run: Run, commit: str, host: str, *, usable: bool) -> Origin:
    document = run.document or {}
    recipe = dict(run.recipe.document)
    recipe["engine"] = {**recipe["engine"], "commit": None}
    measurement = {key: document.get(key) for key in ("scenario", "loads", "client")}
    return Origin(
        run=str(run.id),
        commit=commit,
        recipe=fingerprint(recipe),
        measurement=fingerprint(measurement),
        host=host,
        usable=usable and run.state == State.SUCCEEDED,
    )


def _withdrawn(runs: list[UUID]) -> set[UUID]:
    """Those that were taken back: each of their points says so."""
    taken = Point.objects.filter(run__in=runs, reasons__contains=["withdrawn"])
    return set(taken.values_list("run_id", flat=True))


def _hosts(runs: list[UUID]) -> dict[UUID, str]:
    """Where each run's newest attempt was executed."""
    held = Attempt.objects.filter(run__in=runs, host__isnull=False).order_by("number")
    return dict(held.values_list("run_id", "host__name"))
