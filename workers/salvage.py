"""What a crashed worker left on this host: processes are ended, evidence is stored."""

import logging
import time
from pathlib import Path

from results.ingest.bundle import keep_evidence
from results.models import Attempt
from results.services.hosts import mark_dirty
from workers import leftovers
from workers.workspace import Workspace, workspaces

logger = logging.getLogger(__name__)
#: A supervisor whose worker died ends its engine and writes its evidence within this many seconds.
PARTING_SECONDS = 45.0


def salvage(*, work: Path, host: str, parting: float = PARTING_SECONDS) -> list[Workspace]:
    """Store the evidence of every attempt that nobody works on, and end what still runs of it.

    The state of those attempts is left to the reaper. Returns what was salvaged.
    """
    saved = []
    for workspace in workspaces(work):
        with workspace.held() as free:
            if free and _salvage_one(workspace, host, parting):
                saved.append(workspace)
    return saved


def _salvage_one(workspace: Workspace, host: str, parting: float) -> bool:
    survivors = _end_processes(workspace, parting)
    if survivors:
        numbers = ", ".join(str(known.pid) for known in survivors)
        mark_dirty(name=host, reason=f"processes {numbers} of a lost attempt survived SIGKILL")
    attempt = Attempt.objects.filter(run_id=workspace.run, number=workspace.number).first()
    if attempt is None:
        logger.warning("%s belongs to no attempt of this database; left as it is", workspace.root)
        return False
    stored = keep_evidence(attempt, workspace.bundle) + keep_evidence(attempt, workspace.beside)
    logger.info("run %s attempt %s: salvaged %d files", workspace.run, workspace.number, stored)
    workspace.remove()
    return True


def _end_processes(workspace: Workspace, parting: float) -> list[leftovers.Known]:
    known = leftovers.recall(workspace.processes)
    until = time.monotonic() + parting
    # The first is the supervisor: with its worker gone it is tearing down by itself.
    while known and known[0].living() and time.monotonic() < until:
        time.sleep(0.1)
    return leftovers.end(known)
