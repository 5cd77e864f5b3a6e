"""What a crashed worker left, and how the next one arrives."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from results.documents.failures import FailureClass
from results.models import Attempt, Host, State
from results.services.claims import claim_attempt
from results.services.outcomes import fail_attempt
from tests.conftest import Clock
from tests.factories import make_attempt, make_host, make_run
from tests.results.ingest.bundles import write_bundle
from workers import presence, salvage
from workers.leftovers import Known, family, remember
from workers.workspace import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def left(tmp_path: Path, clock: Clock) -> Workspace:
    """A claimed attempt whose worker is gone; its bundle is complete on disk."""
    make_host("h1")
    make_attempt(make_run())
    claim = claim_attempt(host="h1")
    assert claim is not None
    workspace = Workspace(tmp_path / "work", claim.run, claim.number)
    workspace.prepare(claim.document)
    workspace.log.write_text("last words\n")
    workspace.bundle.rmdir()
    write_bundle(workspace.bundle)
    return workspace


@pytest.fixture
def stray() -> Iterator[Known]:
    """A process that nobody waits for."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]) as process:
        yield family(process.pid)[0]
        process.kill()


def rescue(workspace: Workspace) -> list[Workspace]:
    return salvage.salvage(work=workspace.root.parent.parent, host="h1", parting=0.2)


def paths() -> set[str]:
    return set(Attempt.objects.get().artifacts.values_list("path", flat=True))


def test_evidence_is_stored_and_the_state_left_to_the_reaper(left: Workspace) -> None:
    assert [space.run for space in rescue(left)] == [left.run]
    assert {"MANIFEST.json", "engine/server.log", "supervisor.log"} <= paths()
    assert Attempt.objects.get().state == State.CLAIMED
    assert not left.root.exists()


def test_evidence_of_an_attempt_that_is_already_failed_is_stored_too(left: Workspace) -> None:
    row = Attempt.objects.get()
    fail_attempt(attempt=row.id, number=0, failure_class=FailureClass.TIMEOUT, line="late")
    rescue(left)
    assert "MANIFEST.json" in paths()


def test_an_attempt_that_somebody_works_on_is_left_alone(left: Workspace) -> None:
    with left.held():
        assert rescue(left) == []
    assert paths() == set()
    assert left.root.exists()


def test_what_still_runs_is_ended_before_its_files_are_stored(left: Workspace, stray: Known) -> None:
    remember(left.processes, [stray])
    rescue(left)
    assert stray.living() is None
    assert Host.objects.get().state == "ready"


def test_what_cannot_be_ended_makes_the_host_dirty(left: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvage.leftovers, "end", lambda known: [Known(4242, 1.0)])
    rescue(left)
    assert Host.objects.get().state == "dirty"
    assert "MANIFEST.json" in paths()


def test_a_folder_of_another_database_is_left_as_it_is(left: Workspace) -> None:
    Attempt.objects.all().delete()
    assert rescue(left) == []
    assert left.bundle.exists()


def test_nothing_left_is_nothing_done(tmp_path: Path) -> None:
    assert salvage.salvage(work=tmp_path / "work", host="h1") == []


@pytest.mark.django_db(transaction=True)
def test_arrival_registers_the_host_and_clears_away(left: Workspace, settings: Any) -> None:
    settings.VAR = left.root.parent.parent.parent
    Host.objects.filter(name="h1").update(engines=[])
    presence.arrive("h1")
    host = Host.objects.get()
    assert host.engines == ["endpoint", "llamacpp", "vllm"]
    assert "cpu" in host.hardware_slugs
    assert host.facts["cpu_count"] >= 1
    assert not left.root.exists()


@pytest.mark.parametrize("queues", [[], ["celery"], ["host.a", "host.b"], ["host.a", "celery"]])
def test_a_worker_consumes_the_queue_of_one_host(queues: list[str]) -> None:
    with pytest.raises(ValueError, match="a worker consumes one queue"):
        presence.host_of(queues)


def test_the_host_is_named_by_its_queue() -> None:
    assert presence.host_of(["host.gpu-7.lab"]) == "gpu-7.lab"


def test_presence_wakes_itself_then_says_that_it_is_there(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host("h1")
    clock.advance(100)
    woken: list[str] = []
    waits: list[float] = []

    class Leaving(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout or 0.0)
            return len(waits) > 1

    monkeypatch.setattr(presence, "send_hint", woken.append)
    monkeypatch.setattr(presence, "reconnecting", lambda action: action())
    monkeypatch.setattr(presence.connection, "close", lambda: None)
    presence.stay("h1", Leaving())
    host.refresh_from_db()
    assert woken == ["h1"]
    assert waits == [60.0, 60.0]
    assert host.last_seen_at == clock.now()
