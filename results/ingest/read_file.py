"""Reads one stored file: its format, its rows and everything that follows from them, in one transaction."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.db import transaction

from results import clock
from results.ingest import formats, staging
from results.ingest.column_store import keep_columns_of_file
from results.ingest.companions import names_digest, with_earlier_companions
from results.ingest.file_quarantine import open_quarantine, quarantine_rows
from results.ingest.file_rows import FileRows
from results.ingest.formats import Format, aiperf_export
from results.ingest.normalize import Normalizer
from results.ingest.reports import FileReport, KeptCurve
from results.ingest.rows import FormatError, Rejected, Row, Source
from results.ingest.vocabulary import load_vocabulary
from results.models import (
    ChangelogEntry,
    Evaluation,
    PointSource,
    Recipe,
    ReliabilityCount,
    ResultFile,
    Scenario,
)
from results.services.accuracy import attach_evaluations, judge_recipes
from results.services.imported_runs import delete_empty_runs, summarise_touched_runs
from results.services.publish_curve import Kept, accept_runs, publish_touched_curves

#: New rows after which the planner must learn of them.
_MANY = 1000
UNRECOGNISED = "no reader recognises this content"


def ingest_file(
    *, file: ResultFile, source: Source, validate_only: bool = False, accept: bool = False
) -> FileReport:
    """Store what the file says. The same content with the same identity again changes nothing.

    ``accept`` lets runs of this file replace published curves that cover more. With ``validate_only`` the
    report is the same and nothing is left; ``file`` may then be unsaved.
    """
    with transaction.atomic():
        staging.open_stage()
        if file.pk is None:
            file.save()
        else:
            file.refresh_from_db()
        report = _read(file, source, anew=False)
        report = replace(report, kept_curves=_publish(accept))
        transaction.set_rollback(validate_only)
    if report.created and report.format == aiperf_export.NAME and not validate_only:
        keep_columns_of_file(file)
    return report


def reread_file(*, file: ResultFile, source: Source) -> FileReport:
    """Read a file again whatever is known of it: after a new alias or with another parser."""
    with transaction.atomic():
        staging.open_stage()
        file.refresh_from_db()
        report = _read(file, source, anew=True)
        return replace(report, kept_curves=_publish(accept=False))


def _read(file: ResultFile, source: Source, *, anew: bool) -> FileReport:
    form, version = _format(source)
    parser_version = "" if form is None else form.PARSER_VERSION
    empty = FileReport(source.path, file.artifact_id, "" if form is None else form.NAME, version)
    companions = names_digest(source.siblings)
    same = (file.parser_version, file.companions) == (parser_version, companions)
    if file.read_at is not None and same and not anew and not open_quarantine(file):
        staging.touch_runs_of(file.pk)
        return replace(empty, unchanged=_stated(file), remarks=tuple(file.remarks))
    with with_earlier_companions(file, source) as whole:
        report = _store(file, _rows(form, whole), empty, parser_version)
    ResultFile.objects.filter(pk=file.pk).update(
        format=report.format,
        format_version=report.version[:64],
        parser_version=parser_version,
        companions=companions,
        remarks=list(report.remarks),
        read_at=clock.now(),
    )
    return report


def _format(source: Source) -> tuple[Format | None, str]:
    for form in formats.FORMATS:
        version = form.detect(source)
        if version is not None:
            return form, version
    return None, ""


def _rows(form: Format | None, source: Source) -> Iterator[Row]:
    if form is None:
        yield Rejected("", UNRECOGNISED)
        return
    try:
        yield from form.read(source)
    except FormatError as error:
        yield Rejected(error.pointer, error.reason)


def _store(file: ResultFile, rows: Iterator[Row], empty: FileReport, parser_version: str) -> FileReport:
    staging.forget_sources(file.pk)
    normalizer = Normalizer(load_vocabulary(), file.identity)
    stored = FileRows(file, normalizer, parser_version=parser_version, now=clock.now())
    stored.store(rows)
    staging.delete_orphans()
    if stored.created >= _MANY:
        staging.refresh_statistics()
    _settle_statements(stored)
    superseded = summarise_touched_runs()
    quarantine_rows(file, stored.refused, parser_version=parser_version)
    return replace(
        empty,
        created=stored.created,
        unchanged=stored.read - stored.created,
        superseded=superseded,
        quarantined=stored.refused,
        remarks=stored.remarks,
    )


def _settle_statements(stored: FileRows) -> None:
    """Delete what no file states any more, link scores to recipes, judge the recipes that this concerns."""
    gone = stored.scores.forget()
    through: Any = Evaluation.recipes.through
    links = through._default_manager.filter(evaluation_id__in=gone)
    concerned = set(links.values_list("recipe_id", flat=True))
    Evaluation.objects.filter(id__in=gone).delete()
    ChangelogEntry.objects.filter(id__in=stored.changes.forget()).delete()
    ReliabilityCount.objects.filter(id__in=stored.jobs.forget()).delete()
    concerned |= attach_evaluations(evaluations=stored.scores.created, recipes=stored.points.new_recipes)
    judge_recipes(concerned)


def _stated(file: ResultFile) -> int:
    """How many rows the file stated when it was read."""
    rows = (file.stated_evaluations, file.stated_changes, file.stated_reliability)
    return PointSource.objects.filter(file=file).count() + sum(one.count() for one in rows)


def _publish(accept: bool) -> tuple[KeptCurve, ...]:
    kept = publish_touched_curves()
    if kept and accept:
        kept = accept_runs(kept, by="import")
    delete_empty_runs()
    recipes = Recipe.objects.in_bulk({one.recipe_id for one in kept})
    scenarios = Scenario.objects.in_bulk({one.scenario_id for one in kept})
    return tuple(_kept_curve(one, recipes[one.recipe_id], scenarios[one.scenario_id]) for one in kept)


def _kept_curve(kept: Kept, recipe: Recipe, scenario: Scenario) -> KeptCurve:
    return KeptCurve(
        recipe=recipe.fingerprint,
        scenario=str(scenario),
        published_run=str(kept.standing.id),
        newer_run=str(kept.newer.id),
        missing_loads=kept.missing_loads,
        new_loads=kept.new_loads,
    )
