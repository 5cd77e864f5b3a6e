"""What decides whether runs belong together when a pull request looks for its baseline."""

from dataclasses import dataclass
from uuid import UUID

from results.analysis.gains.baselines import Origin
from results.documents.canonical import fingerprint
from results.models import FINAL, Attempt, Run, State
from results.models import Origin as RunOrigin


@dataclass(frozen=True, slots=True)
class Measured:
    """A run that is over, with its origin."""

    run: Run
    origin: Origin


def runs_of_commit(commit: str) -> list[Measured]:
    """Executed runs of this build that are over, oldest first; two queries."""
    rows = Run.objects.filter(
        origin=RunOrigin.EXECUTED,
        state__in=FINAL,
        recipe__document__contains={"engine": {"commit": commit}},
    )
    runs = list(rows.select_related("recipe", "submitted_by").order_by("created_at", "id"))
    hosts = _hosts([run.id for run in runs])
    return [Measured(run, _origin(run, commit, hosts.get(run.id, ""))) for run in runs]


def _origin(run: Run, commit: str, host: str) -> Origin:
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
        usable=run.state == State.SUCCEEDED,
    )


def _hosts(runs: list[UUID]) -> dict[UUID, str]:
    """Where each run's newest attempt was executed."""
    held = Attempt.objects.filter(run__in=runs, host__isnull=False).order_by("number")
    return dict(held.values_list("run_id", "host__name"))
