"""Puts runs and attempts into the state that a test is about, with the verbs themselves."""

from dataclasses import dataclass
from typing import Any

from results.documents.failures import FailureClass
from results.models import Artifact, Attempt, AttemptArtifact, Engine, Hardware, Host, Recipe, Run, State
from results.services.claims import Claim, claim_attempt
from results.services.outcomes import complete_attempt, fail_attempt, finish_cancel
from results.services.progress import begin_upload, start_attempt
from tests.conftest import Clock
from tests.factories import make_attempt, make_recipe, make_run

MANIFEST = "ab" * 32


@dataclass
class Stage:
    clock: Clock

    def run(self, *, host: str | None = None, hardware: str = "cpu", engine: str = "llamacpp") -> Run:
        """A queued run with attempt 0; each later one is a second younger."""
        self.clock.advance(1)
        recipe = make_recipe(context=len(hardware) + len(engine) * 100)
        chip, _ = Hardware.objects.get_or_create(slug=hardware, defaults={"name": "X", "kind": "gpu"})
        server, _ = Engine.objects.get_or_create(slug=engine, defaults={"name": engine})
        Recipe.objects.filter(id=recipe.id).update(hardware=chip, engine=server)
        wanted = Host.objects.get(name=host) if host else None
        run = make_run(recipe=recipe, host=wanted, hard_limit_seconds=600)
        make_attempt(run)
        return run

    def claim(self, host: str = "h1") -> Claim:
        claim = claim_attempt(host=host)
        assert claim is not None
        return claim

    def attempt(self, state: State, *, cancel: bool = False) -> Attempt:
        """An attempt of a new run in ``state``; failed means failed by its benchmark."""
        run = self.run()
        if state == State.QUEUED:
            self.want_cancel(run, cancel)
            return run.attempts.get()
        self.claim()
        row = run.attempts.get()
        self._walk(row, state)
        self.want_cancel(run, cancel)
        row.refresh_from_db()
        assert row.state == state
        return row

    def _walk(self, row: Attempt, state: State) -> None:
        key = {"attempt": row.id, "number": row.number}
        if state == State.CLAIMED:
            return
        start_attempt(**key)
        if state == State.RUNNING:
            return
        if state == State.CANCELLED:
            self.want_cancel(row.run, True)
            finish_cancel(**key)
            return
        begin_upload(**key)
        if state == State.FAILED:
            fail_attempt(**key, failure_class=FailureClass.CLIENT, line="client failed")
        elif state == State.SUCCEEDED:
            self.store_manifest(row)
            complete_attempt(**key, manifest=MANIFEST)

    def want_cancel(self, run: Run, wanted: bool = True) -> None:
        if wanted:
            Run.objects.filter(id=run.id).update(cancel_requested_at=self.clock.now())

    def store_manifest(self, attempt: Attempt, sha256: str = MANIFEST) -> None:
        now = self.clock.now()
        Artifact.objects.get_or_create(
            sha256=sha256, defaults={"size": 2, "media_type": "application/json", "stored_at": now}
        )
        AttemptArtifact.objects.create(attempt=attempt, artifact_id=sha256, path="MANIFEST.json")


def facts(attempt: Attempt) -> dict[str, Any]:
    """Every column of an attempt and the state of its run, to show that nothing was written."""
    row = Attempt.objects.values().get(id=attempt.id)
    return {**row, "run_state": Run.objects.get(id=attempt.run_id).state}


def states(run: Run) -> list[str]:
    """State of the run, then of its attempts in order."""
    return [
        Run.objects.get(id=run.id).state,
        *run.attempts.order_by("number").values_list("state", flat=True),
    ]
