"""From a bundle to points: every file is stored before anything is read out of it."""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from results.documents.refusal import DocumentError
from results.ingest.column_store import keep_columns
from results.ingest.formats import aiperf
from results.ingest.manifest import BundleError, BundleOnDisk, files_under, load_of, read_bundle
from results.ingest.raw_point import UnreadableError
from results.ingest.store import quarantine, store_files, store_point
from results.models import Attempt, Point, Quarantine
from results.services.import_run import ImportConflictError, import_run
from results.services.publish_curve import publish_curve


@dataclass(frozen=True, slots=True)
class Ingested:
    """What a bundle left: stored files that were new, loads with a point, loads in quarantine."""

    run: UUID
    attempt: int
    number: int
    new_files: int
    points: tuple[int, ...]
    quarantined: tuple[int, ...]
    manifest_sha256: str


def ingest_bundle(root: Path) -> Ingested:
    """Store a finished bundle and read its loads. The same bundle again changes nothing.

    An unknown run or attempt is created in its final state; the state of a known one is never touched.
    Raises BundleError for a bundle that is refused as a whole, StorageFullError when the disk is.
    """
    bundle = read_bundle(root)
    attempt = bundle_attempt(bundle)
    new_files = store_files(attempt, bundle.files)
    read = {load: _read_load(attempt, bundle, load) for load in bundle.loads}
    publish_curve(run=attempt.run_id)
    return Ingested(
        run=attempt.run_id,
        attempt=attempt.id,
        number=attempt.number,
        new_files=new_files,
        points=tuple(load for load, point in read.items() if point is not None),
        quarantined=_in_quarantine(attempt),
        manifest_sha256=bundle.manifest_sha256,
    )


def bundle_attempt(bundle: BundleOnDisk) -> Attempt:
    """The attempt that a bundle is of, created in its final state where it is unknown; raises BundleError."""
    try:
        return import_run(document=bundle.run, attempt=bundle.attempt)
    except DocumentError as error:
        first = error.problems[0]
        raise BundleError(f"run.json: {first['pointer']}: {first['message']}") from error
    except ImportConflictError as error:
        raise BundleError(str(error)) from error


def ingest_load(attempt: Attempt, folder: Path) -> Point | None:
    """Store and read one complete load folder (``.../loads/c0002``) while its run goes on.

    None when it cannot be read; the reason is then in quarantine.
    """
    root = folder.parent.parent
    store_files(attempt, files_under(root, folder))
    return _read(attempt, root, f"{folder.parent.name}/{folder.name}")


def keep_evidence(attempt: Attempt, root: Path) -> int:
    """Store whatever files a supervisor left, with or without a manifest; how many were new.

    For attempts that ended before their bundle was complete: nothing is read out of the files.
    """
    return store_files(attempt, files_under(root, root))


def _in_quarantine(attempt: Attempt) -> tuple[int, ...]:
    waiting = Quarantine.objects.filter(attempt=attempt, resolved_at=None, load__isnull=False)
    return tuple(load for load in waiting.order_by("load").values_list("load", flat=True) if load is not None)


def _read_load(attempt: Attempt, bundle: BundleOnDisk, load: int) -> Point | None:
    expected = bundle.attempt.outcome == "succeeded"
    path = next(file.path for file in bundle.files if file.load == load)
    return _read(attempt, bundle.root, "/".join(path.split("/")[:2]), expected=expected)


def _read(attempt: Attempt, root: Path, path: str, *, expected: bool = True) -> Point | None:
    """A load that an ended attempt never finished has no records; that is its failure and no quarantine."""
    load = load_of(path)
    try:
        raw = aiperf.read_load(root / path, attempt.run.recipe.gpu_count)
        if raw.load != load or load not in attempt.run.loads:
            raise UnreadableError(aiperf.LOAD, f"load {raw.load} does not belong to {path} of this run")
    except UnreadableError as error:
        if expected or not error.missing:
            version = aiperf.PARSER_VERSION
            quarantine(attempt, load=load, path=path, reason=str(error), parser_version=version)
        return None
    point = store_point(attempt, raw, path)
    keep_columns(attempt, raw.load)
    return point
