"""Edits of the catalogue by an operator: the audit trail holds them, and a later load keeps them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any

from django.db import models, transaction
from pydantic import ValidationError

from results import clock
from results.documents.catalogue_edit import Edit, columns
from results.documents.refusal import DocumentError, Problem
from results.models import AuditEvent, Claim, Optimization, Project, PullRequest, PullRequestStatus

_VERB = "edit"
_TYPES: dict[type[models.Model], str] = {
    Project: "project", Optimization: "topic", PullRequest: "pull_request", Claim: "claim",
}  # fmt: skip


def read_edit(kind: type[Edit], value: object) -> Edit:
    """DocumentError names every problem at its place."""
    try:
        edit = kind.model_validate(value)
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None
    if not edit.model_fields_set:
        raise DocumentError([Problem(pointer="", rule="empty", message="name a field to change")])
    return edit


@transaction.atomic
def edit_catalogue(*, row: models.Model, edit: Edit, actor: str, request_id: str = "") -> None:
    """Change a row and say so in the audit trail; what is given back keeps its text until the next load."""
    table = type(row)
    locked = table._default_manager.select_for_update(no_key=True).get(pk=row.pk)
    wanted = columns(edit)
    changes = {name: value for name, value in wanted.items() if value is not None}
    before = {name: _plain(getattr(locked, name)) for name in changes}
    for name, value in changes.items():
        setattr(locked, name, value)
    if changes:
        locked.save(update_fields=list(changes))
    if isinstance(locked, PullRequest) and "status" in changes:
        _remember(locked)
    AuditEvent.objects.create(
        at=clock.now(),
        actor=actor[:80],
        verb=_VERB,
        object_type=_TYPES[table],
        object_id=str(row.pk),
        details={
            "from": before,
            "to": {name: _plain(value) for name, value in changes.items()},
            "given_back": [name for name, value in wanted.items() if value is None],
        },
        request_id=request_id,
    )


def edited_columns() -> Mapping[tuple[type[models.Model], int], frozenset[str]]:
    """Columns that belong to the operator, by table and row; one query."""
    tables = {name: table for table, name in _TYPES.items()}
    events = AuditEvent.objects.filter(verb=_VERB, object_type__in=tables).order_by("id")
    found: dict[tuple[type[models.Model], int], frozenset[str]] = {}
    for name, identifier, details in events.values_list("object_type", "object_id", "details"):
        key = (tables[name], int(identifier))
        found[key] = (found.get(key, frozenset()) | details["to"].keys()) - set(details["given_back"])
    return found


def _remember(pull: PullRequest) -> None:
    as_of = datetime.combine(pull.status_as_of, time.min, UTC)
    PullRequestStatus.objects.get_or_create(
        pull_request=pull, status=pull.status, as_of=as_of, source=pull.status_source
    )


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value
