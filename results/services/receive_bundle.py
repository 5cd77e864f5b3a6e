"""Bundles of our own runs inside a delivery: they take the way of all bundles."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from results.ingest.bundle import bundle_attempt, ingest_bundle
from results.ingest.formats import aiperf
from results.ingest.manifest import MANIFEST, BundleError, read_bundle
from results.ingest.raw_point import UnreadableError
from results.ingest.reports import FileReport, Refused
from results.models import Point, Quarantine
from results.services.deliveries import BUNDLE, Delivery, Sent
from results.services.upload_bundle import check_owner, take_bundle

VERSION = "1"
_DOCUMENTS = ("run.json", "attempt.json", "host.json")


@dataclass(frozen=True, slots=True)
class FoundBundle:
    """``root`` is the shown path of its folder, "" for the delivery itself."""

    root: str
    files: tuple[Sent, ...]

    @property
    def manifest(self) -> Sent:
        return next(file for file in self.files if file.path == _inside(self.root, MANIFEST))


def find_bundles(files: Sequence[Sent]) -> tuple[list[FoundBundle], list[Sent]]:
    """Bundles among the files, and the files that belong to none."""
    paths = {file.path for file in files}
    roots = [
        root
        for root in {_folder(path) for path in paths if PurePosixPath(path).name == MANIFEST}
        if all(_inside(root, name) in paths for name in _DOCUMENTS)
    ]
    bundles, rest = [], list(files)
    for root in sorted(roots):
        mine = tuple(file for file in rest if _is_inside(root, file.path))
        # A manifest inside the folder of a bundle belongs to that bundle.
        if any(file.path == _inside(root, MANIFEST) for file in mine):
            bundles.append(FoundBundle(root, mine))
            rest = [file for file in rest if not _is_inside(root, file.path)]
    return bundles, rest


def receive_bundle(bundle: FoundBundle, sha256: str, delivery: Delivery, folder: Path) -> FileReport:
    """Read a bundle, or only check it; ``folder`` is empty and takes its files under their own names.

    What is refused as a whole is the one quarantined entry of the report.
    """
    path = bundle.manifest.path
    try:
        _lay_out(bundle, folder)
        if delivery.validate_only:
            return _checked(path, sha256, delivery, folder)
        return _taken(path, sha256, delivery, folder)
    except BundleError as error:
        return FileReport(path, sha256, BUNDLE, VERSION, quarantined=(Refused("", str(error)),))


def _lay_out(bundle: FoundBundle, folder: Path) -> None:
    for file in bundle.files:
        target = folder.joinpath(*file.path.removeprefix(bundle.root).lstrip("/").split("/"))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.location, target)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise BundleError(f"{file.path}: is a file and a folder") from None


def _taken(path: str, sha256: str, delivery: Delivery, folder: Path) -> FileReport:
    before = _points(folder)
    if delivery.token is None:
        done = ingest_bundle(folder)
    else:
        done = take_bundle(root=folder, token=delivery.token, request_id=delivery.request_id)
    waiting = Quarantine.objects.filter(attempt_id=done.attempt, resolved_at=None).order_by("load")
    refused = tuple(Refused(row.path, row.reason) for row in waiting)
    return _report(path, sha256, set(done.points), before, refused)


def _checked(path: str, sha256: str, delivery: Delivery, folder: Path) -> FileReport:
    """The same answer in a transaction that is undone; the loads are read from the files alone."""
    bundle, before = read_bundle(folder), _points(folder)
    if delivery.token is not None:
        check_owner(bundle.attempt, delivery.token)
    attempt = bundle_attempt(bundle)
    read, refused = set(), []
    for load in bundle.loads:
        place = next("/".join(file.path.split("/")[:2]) for file in bundle.files if file.load == load)
        try:
            aiperf.read_load(folder / place, attempt.run.recipe.gpu_count)
            read.add(load)
        except UnreadableError as error:
            if bundle.attempt.outcome == "succeeded" or not error.missing:
                refused.append(Refused(place, str(error)))
    return _report(path, sha256, read, before, tuple(refused))


def _report(
    path: str, sha256: str, points: set[int], before: set[int], refused: tuple[Refused, ...]
) -> FileReport:
    new = len(points - before)
    return FileReport(path, sha256, BUNDLE, VERSION, new, len(points) - new, quarantined=refused)


def _points(folder: Path) -> set[int]:
    """Loads of this attempt that have a point already."""
    attempt = read_bundle(folder).attempt
    rows = Point.objects.filter(run_id=attempt.run_id, attempt__number=attempt.attempt)
    return set(rows.values_list("load", flat=True))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _inside(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name


def _is_inside(root: str, path: str) -> bool:
    return not root or path.startswith(f"{root}/")
