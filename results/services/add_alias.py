"""Teaches a spelling, once, and reads again every file that waits for it."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Model

from results import clock
from results.documents.catalogue import AliasEntry
from results.documents.refusal import DocumentError, Problem
from results.ingest.companions import stored_source
from results.ingest.read_file import reread_file
from results.ingest.vocabulary import load_vocabulary
from results.models import Alias, AuditEvent, Engine, Hardware, LanguageModel, Quarantine, ResultFile

_TABLES: dict[str, type[Model]] = {"hardware": Hardware, "engine": Engine, "model": LanguageModel}
#: Files that are read again in one call; ``manage.py reparse`` reads the rest.
MOST = 200


@dataclass(frozen=True, slots=True)
class Released:
    """``created`` rows of ``reread`` files; ``waiting`` of their rows still wait."""

    alias: Alias
    reread: int
    created: int
    waiting: int


def add_alias(*, entry: AliasEntry, actor: str, request_id: str = "") -> Released:
    """The spelling means the canonical name from now on; the same alias again only releases what waits.

    DocumentError for a canonical name that the catalogue lacks and for a spelling that means another.
    """
    alias = _stored(entry, actor, request_id)
    waiting = Quarantine.objects.filter(
        resolved_at=None, unknown_kind=alias.kind, unknown_value__iexact=alias.spelling
    )
    files = list(ResultFile.objects.filter(id__in=waiting.values("file_id")).order_by("id")[:MOST])
    created = sum(_reread(file) for file in files)
    left = Quarantine.objects.filter(resolved_at=None, file__in=files).count()
    return Released(alias, len(files), created, left)


@transaction.atomic
def _stored(entry: AliasEntry, actor: str, request_id: str) -> Alias:
    kind, canonical, spelling = entry.kind, entry.canonical, entry.spelling.strip()
    table = _TABLES.get(kind)
    if table is not None and not table._default_manager.filter(slug=canonical).exists():
        raise _refused("/canonical", f"unknown_{kind}", f"the catalogue has no {kind} called {canonical}")
    meaning = load_vocabulary().names[kind].get(spelling.lower(), canonical)
    if meaning != canonical:
        raise _refused("/spelling", "taken", f"{spelling} means {meaning} already")
    known = Alias.objects.filter(kind=kind, spelling__iexact=spelling).first()
    if known is not None:
        return known
    alias = Alias.objects.create(kind=kind, spelling=spelling, canonical=canonical, source=entry.source)
    AuditEvent.objects.create(
        at=clock.now(),
        actor=actor,
        verb="alias",
        object_type="alias",
        object_id=str(alias.id),
        details={"kind": kind, "spelling": spelling, "canonical": canonical},
        request_id=request_id,
    )
    return alias


def _reread(file: ResultFile) -> int:
    with stored_source(file) as source:
        return reread_file(file=file, source=source).created


def _refused(pointer: str, rule: str, message: str) -> DocumentError:
    return DocumentError([Problem(pointer=pointer, rule=rule, message=message)])
