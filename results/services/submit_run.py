"""Submitting a run: recipe, scenario, run and attempt 0 in one transaction, then a hint to the hosts."""

from typing import Any

from django.db import transaction
from pydantic import ValidationError

from results import clock
from results.documents.recipe import Recipe as RecipeDocument
from results.documents.refusal import DocumentError, Problem
from results.documents.run import RunDocument, check_executable
from results.models import ApiToken, Attempt, AuditEvent, Host, Recipe, Run, Scenario
from results.services.accuracy import attach_evaluations, judge_recipes
from results.services.catalogue import CatalogueRows, catalogue_rows
from results.services.hints import hint_later
from results.services.imported_runs import recipe_columns
from results.services.note_pull_run import note_pull_run


def read_run_document(value: Any) -> RunDocument:
    """The executable run document in parsed JSON; DocumentError names every problem."""
    try:
        return check_executable(RunDocument.model_validate(value))
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None


@transaction.atomic
def submit_run(*, document: RunDocument, token: ApiToken | None = None, request_id: str = "") -> Run:
    """Queue a run of a document that ``read_run_document`` accepted.

    DocumentError when the catalogue or the fleet does not know what it names.
    """
    rows = catalogue_rows(document.recipe)
    run = Run.objects.create(
        label=document.label,
        block=document.block,
        recipe=store_recipe(document.recipe, rows),
        scenario=store_scenario(document),
        loads=document.loads,
        document=document.to_json(),
        hard_limit_seconds=document.hard_limit_seconds,
        host=_wanted_host(document.host),
        submitted_by=token,
        created_at=clock.now(),
    )
    Attempt.objects.create(run=run, number=0, created_at=run.created_at)
    note_pull_run(run=run, document=document)
    _audit(run, token, request_id)
    hint_later(run=run)
    return run


def store_recipe(document: RecipeDocument, rows: CatalogueRows) -> Recipe:
    """The row of a recipe, made at its first use."""
    columns = recipe_columns(document) | {
        "hardware": rows.hardware,
        "engine": rows.engine,
        "language_model": rows.language_model,
    }
    recipe, made = Recipe.objects.get_or_create(fingerprint=document.fingerprint, defaults=columns)
    if made:
        judge_recipes(attach_evaluations(recipes=[recipe.id]))
    return recipe


def store_scenario(document: RunDocument) -> Scenario:
    """The row of a document's scenario, made at its first use."""
    named = document.scenario.model_dump(mode="json")
    columns = {key: named.get(key) for key in ("kind", "corpus", "version", "context_cap", "isl", "osl")}
    return Scenario.objects.get_or_create(**columns)[0]


def _wanted_host(name: str | None) -> Host | None:
    if name is None:
        return None
    host = Host.objects.filter(name=name).exclude(state=Host.State.RETIRED).first()
    if host is None:
        raise DocumentError(
            [Problem(pointer="/host", rule="unknown_host", message=f"no host is called {name}")]
        )
    return host


def _audit(run: Run, token: ApiToken | None, request_id: str) -> None:
    AuditEvent.objects.create(
        at=clock.now(),
        actor=f"token:{token.prefix}" if token else "operator",
        verb="submit",
        object_type="run",
        object_id=str(run.id),
        details={"label": run.label, "recipe": run.recipe.fingerprint},
        request_id=request_id,
    )
