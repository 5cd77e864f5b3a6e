"""From a finished supervisor to rows: evidence first, then points, then the outcome."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection

from results.documents.failures import FailureClass
from results.ingest.bundle import ingest_bundle, keep_evidence
from results.ingest.manifest import MANIFEST, BundleError
from results.models import Attempt, Quarantine
from results.services.claims import Claim
from results.services.outcomes import complete_attempt, fail_attempt, finish_cancel
from results.services.progress import Beat, begin_upload, heartbeat
from results.services.transitions import Outcome
from results.storage import ArtifactError, StorageFullError
from workers.patience import UNREACHABLE, persistently, reconnecting
from workers.verdict import CANCELLED, Failure
from workers.workspace import Workspace

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Delivery:
    """Brings one attempt's bundle home. Nothing here is lost by a restart of the database."""

    claim: Claim
    workspace: Workspace
    beat_seconds: float

    def finish(self, failure: Failure | None, last: Beat) -> None:
        """Store, read and tell; ``failure`` None means that the supervisor succeeded."""
        with self._lease_kept(last):
            persistently(lambda: begin_upload(attempt=self.claim.attempt, number=self.claim.number))
            manifest, trouble = self._stored(succeeded=failure is None)
            outcome = persistently(lambda: self._tell(failure or trouble, manifest))
        logger.info("run %s attempt %s: %s", self.claim.run, self.claim.number, outcome)

    def keep(self) -> None:
        """Evidence only: for an attempt that is not ours any more."""
        persistently(self._keep)

    def _stored(self, *, succeeded: bool) -> tuple[str, Failure | None]:
        """sha256 of the stored manifest, and what went wrong; files stay on disk when storing them failed."""
        try:
            manifest, trouble = persistently(lambda: self._store(succeeded=succeeded))
        except UNREACHABLE:
            raise
        except StorageFullError as error:
            return "", Failure(FailureClass.DISK_FULL, str(error))
        except ArtifactError as error:
            return "", Failure(FailureClass.INGEST, str(error))
        except (
            Exception
        ) as error:  # an object store raises its own; the attempt must be released all the same
            logger.exception("run %s attempt %s: evidence", self.claim.run, self.claim.number)
            return "", Failure(FailureClass.INGEST, f"{type(error).__name__}: {error}")
        self.workspace.remove()
        return manifest, trouble

    def _store(self, *, succeeded: bool) -> tuple[str, Failure | None]:
        attempt = self._keep()
        if not (self.workspace.bundle / MANIFEST).exists():
            return "", Failure(FailureClass.RESULT_MISSING, "the supervisor left no manifest")
        try:
            ingested = ingest_bundle(self.workspace.bundle)
        except BundleError as error:
            return "", Failure(FailureClass.INGEST, str(error))
        missing = sorted(set(self.claim.loads) - set(ingested.points))
        trouble = _unread(attempt, missing) if missing and succeeded else None
        return ingested.manifest_sha256, trouble

    def _keep(self) -> Attempt:
        attempt = Attempt.objects.select_related("run__recipe").get(id=self.claim.attempt)
        keep_evidence(attempt, self.workspace.bundle)
        keep_evidence(attempt, self.workspace.beside)
        return attempt

    def _tell(self, failure: Failure | None, manifest: str) -> Outcome:
        key = {"attempt": self.claim.attempt, "number": self.claim.number}
        if failure is None:
            return complete_attempt(**key, manifest=manifest)
        if failure == CANCELLED:
            return finish_cancel(**key)
        return fail_attempt(**key, failure_class=failure.failure, line=failure.line)

    @contextmanager
    def _lease_kept(self, last: Beat) -> Iterator[None]:
        """Heartbeats from a thread of their own while large files are on their way."""
        done = threading.Event()
        thread = threading.Thread(target=self._keep_lease, args=(done.wait, last), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _keep_lease(self, wait: Callable[[float], bool], last: Beat) -> None:
        key = {"attempt": self.claim.attempt, "number": self.claim.number}
        lost = False
        while not lost and not wait(self.beat_seconds):
            try:
                lost = reconnecting(lambda: heartbeat(**key, beat=last)).lost
            except UNREACHABLE as error:
                logger.warning("heartbeat: %s", str(error).strip())
        connection.close()


def _unread(attempt: Attempt, loads: list[int]) -> Failure:
    """Why the first load without a point has none."""
    reasons = Quarantine.objects.filter(attempt=attempt, load=loads[0], resolved_at=None)
    reason = reasons.values_list("reason", flat=True).first()
    if reason is None:
        return Failure(FailureClass.RESULT_MISSING, f"load {loads[0]}: the bundle holds no records of it")
    return Failure(FailureClass.INGEST, f"load {loads[0]}: {reason}")
