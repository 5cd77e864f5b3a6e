"""Runs that were executed without a database: their rows are created in the state they ended in."""

from uuid import UUID

from django.db import transaction

from results import clock
from results.documents.evidence import AttemptDocument
from results.documents.failures import FailureClass
from results.documents.run import RunDocument
from results.models import LIVE, Attempt, AuditEvent, Run, State
from results.services.catalogue import catalogue_rows
from results.services.outcomes import clean_line
from results.services.submit_run import read_run_document, store_recipe, store_scenario


class ImportConflictError(ValueError):
    """The run is known, and it is another one."""


@transaction.atomic
def import_run(*, document: RunDocument, attempt: AttemptDocument) -> Attempt:
    """The attempt of a bundle; run and attempt are created in their final state where they are unknown.

    A known run keeps its state, except that a later attempt of a run that is over decides how it ended.
    Raises DocumentError for names that the catalogue lacks, ImportConflictError for another document.
    """
    document = read_run_document(document.to_json())
    run = Run.objects.select_for_update(no_key=True, of=("self",)).filter(id=attempt.run_id).first()
    if run is None:
        run = _create_run(document, attempt)
    _check_same(run, document)
    row, created = Attempt.objects.get_or_create(
        run=run, number=attempt.attempt, defaults=_attempt_columns(attempt)
    )
    if created:
        _note(row)
        if run.state not in LIVE and not run.attempts.filter(number__gt=row.number).exists():
            Run.objects.filter(id=run.id).update(**_ending(attempt))
    return row


def _create_run(document: RunDocument, attempt: AttemptDocument) -> Run:
    columns = {
        "label": document.label,
        "block": document.block,
        "recipe": store_recipe(document.recipe, catalogue_rows(document.recipe)),
        "scenario": store_scenario(document),
        "loads": document.loads,
        "document": document.to_json(),
        "hard_limit_seconds": document.hard_limit_seconds,
        "created_at": attempt.started_at,
        "started_at": attempt.started_at,
    }
    # Another reader of the same bundle may have been faster.
    return Run.objects.get_or_create(id=UUID(attempt.run_id), defaults=columns | _ending(attempt))[0]


def _check_same(run: Run, document: RunDocument) -> None:
    known, brought = run.recipe.fingerprint, document.recipe.fingerprint
    if known != brought:
        raise ImportConflictError(
            f"run.json: /recipe: run {run.id} has recipe {known[:12]}, the bundle has {brought[:12]}"
        )
    if list(run.loads) != document.loads:
        raise ImportConflictError(f"run.json: /loads: run {run.id} has other loads")


def _ending(attempt: AttemptDocument) -> dict[str, object]:
    failure = attempt.failure
    default = FailureClass.CANCELLED.value if attempt.outcome == "cancelled" else ""
    return {
        "state": State(attempt.outcome),
        "ended_at": attempt.ended_at,
        "failure_class": failure.class_.value if failure else default,
        "failure_line": clean_line(failure.line or failure.detail) if failure else "",
    }


def _attempt_columns(attempt: AttemptDocument) -> dict[str, object]:
    phases = [phase.model_dump(mode="json") for phase in attempt.phases]
    return {
        **_ending(attempt),
        "phases": phases,
        "phase": phases[-1]["name"][:16] if phases else "",
        "phase_load": phases[-1]["load"] if phases else None,
        "progress": 1.0 if attempt.outcome == "succeeded" else None,
        "created_at": attempt.started_at,
        "claimed_at": attempt.started_at,
    }


def _note(row: Attempt) -> None:
    AuditEvent.objects.create(
        at=clock.now(),
        actor="operator",
        verb="import",
        object_type="attempt",
        object_id=f"{row.run_id}/{row.number}",
        details={"state": str(row.state)},
    )
