"""One attempt from claim to outcome, with a supervisor that only speaks the protocol."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from results.ingest.bundle import keep_evidence
from results.models import Attempt, Host, Point, Quarantine, Run
from results.services.progress import Beat, heartbeat
from results.services.reaper import reap
from results.storage import StorageFullError
from tests.conftest import Clock
from tests.factories import make_attempt, make_host, make_run
from tests.results.ingest.bundles import write_bundle
from workers import delivery, execution, patience
from workers.execution import Timing, execute_one
from workers.leftovers import Known, family
from workers.supervisor_process import SupervisorProcess, supervisor_argv
from workers.workspace import Workspace

pytestmark = pytest.mark.django_db(transaction=True)
FAST = Timing(beat=0.1, tick=0.02, grace=1.0)


def until(true: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Wait for another process or thread; its time is real."""
    end = time.monotonic() + seconds
    while not (value := true()):
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.02)
    return value


class Bench:
    """A host, a queued run, and a worker that executes it with a fake supervisor."""

    def __init__(self, tmp_path: Path, var: Path) -> None:
        self.var = var
        self.host = make_host("h1")
        self.run = make_run()
        make_attempt(self.run)
        self.template = write_bundle(tmp_path / "template")
        self.stopping = threading.Event()

    def argv(self, behaviour: str) -> Callable[..., list[str]]:
        fake = [sys.executable, "-m", "tests.workers.fakes.supervisor", behaviour, str(self.template)]
        return lambda **given: [*fake, *supervisor_argv(**given)[4:]]

    def execute(self, behaviour: str, timing: Timing = FAST) -> bool:
        return execute_one("h1", stopping=self.stopping, argv=self.argv(behaviour), timing=timing)

    @contextmanager
    def executing(self, behaviour: str, timing: Timing = FAST) -> Iterator[threading.Thread]:
        """In a thread; leaving waits for its end and fails when it raised."""
        broken: list[BaseException] = []

        def work() -> None:
            try:
                self.execute(behaviour, timing)
            except BaseException as error:  # noqa: BLE001 - shown below
                broken.append(error)
            finally:
                connection.close()

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield thread
        finally:
            (self.var / "go").touch()
            thread.join(timeout=30)
            assert broken == []
            assert not thread.is_alive()

    def row(self) -> Run:
        return Run.objects.get(id=self.run.id)

    def attempt(self, number: int = 0) -> Attempt:
        return Attempt.objects.get(run=self.run, number=number)

    def states(self) -> list[str]:
        return [self.row().state, *self.run.attempts.order_by("number").values_list("state", flat=True)]

    def why(self) -> tuple[str, str]:
        attempt = self.attempt()
        return attempt.failure_class, attempt.failure_line

    def paths(self, number: int = 0) -> set[str]:
        return set(self.attempt(number).artifacts.values_list("path", flat=True))

    def in_phase(self, name: str) -> Callable[[], bool]:
        return lambda: self.attempt().phase == name


@pytest.fixture
def bench(tmp_path: Path, settings: Any, clock: Clock) -> Bench:
    settings.VAR = tmp_path / "var"
    settings.VAR.mkdir()
    return Bench(tmp_path, settings.VAR)


def test_nothing_queued_is_nothing_done(bench: Bench) -> None:
    Attempt.objects.all().delete()
    assert bench.execute("succeed") is False


def test_success_leaves_points_artifacts_and_a_clean_folder(bench: Bench) -> None:
    assert bench.execute("succeed") is True
    assert bench.states() == ["succeeded", "succeeded"]
    assert sorted(bench.row().points.values_list("load", flat=True)) == [1, 2]
    assert {"MANIFEST.json", "run.json", "engine/server.log", "supervisor.log"} <= bench.paths()
    assert "loads/c0002/profile_export.jsonl" in bench.paths()
    assert not (bench.var / "work" / str(bench.run.id)).exists()
    assert bench.attempt().phases[0]["name"] == "profile"


def test_points_appear_while_the_run_goes_on(bench: Bench) -> None:
    with bench.executing("gate"):
        until(lambda: Point.objects.filter(attempt=bench.attempt(), load=1).exists())
        assert bench.states() == ["running", "running"]
        until(lambda: bench.attempt().progress == 0.5)
        assert bench.attempt().telemetry == {"x": 1}
    assert bench.states() == ["succeeded", "succeeded"]
    assert Point.objects.filter(attempt=bench.attempt()).count() == 2


@pytest.mark.parametrize("failure", ["engine_died", "warmup", "client", "server_start", "traces"])
def test_benchmark_failure_ends_the_run_with_its_line_and_evidence(bench: Bench, failure: str) -> None:
    bench.execute(f"fail:{failure}")
    assert bench.states() == ["failed", "failed"]
    assert bench.why() == (failure, "engine: killed by signal 9")
    assert {"MANIFEST.json", "loads/c0001/client.log"} <= bench.paths()


def test_infrastructure_failure_is_executed_again(bench: Bench) -> None:
    bench.execute("fail:port_in_use")
    assert bench.states() == ["queued", "failed", "queued"]
    bench.execute("succeed")
    assert bench.states() == ["succeeded", "failed", "succeeded"]
    assert "MANIFEST.json" in bench.paths(0)


def test_killed_supervisor_is_retried_and_its_last_words_are_kept(bench: Bench) -> None:
    bench.execute("silent")
    assert bench.states() == ["queued", "failed", "queued"]
    assert bench.why() == ("worker_lost", "the supervisor ended with signal 9: MemoryError: no room")
    assert {"loads/c0001/profile_export.jsonl", "supervisor.log"} <= bench.paths()


def test_refused_document_is_a_failure_with_the_refusing_line(bench: Bench) -> None:
    bench.execute("refuse")
    assert bench.states() == ["failed", "failed"]
    assert bench.why() == ("bad_document", "run.json: /loads: not increasing")


def test_unreadable_load_fails_as_ingest_and_keeps_the_files(bench: Bench) -> None:
    bench.execute("broken")
    assert bench.states() == ["failed", "failed"]
    failure, line = bench.why()
    assert failure == "ingest"
    assert line.startswith("load 2: ")
    assert Quarantine.objects.filter(attempt=bench.attempt(), load=2).exists()
    assert "loads/c0002/profile_export.jsonl" in bench.paths()


def test_success_without_all_loads_is_a_missing_result(bench: Bench) -> None:
    bench.execute("forgetful")
    assert bench.states() == ["failed", "failed"]
    assert bench.why()[0] == "result_missing"


def test_a_babbling_supervisor_does_no_harm(bench: Bench) -> None:
    bench.execute("babbling")
    assert bench.states() == ["succeeded", "succeeded"]


@pytest.mark.parametrize("name", ["prepare", "traces", "engine", "healthy", "warmup", "profile"])
def test_cancel_in_each_phase(bench: Bench, clock: Clock, name: str) -> None:
    with bench.executing(f"gate_in:{name}"):
        until(bench.in_phase(name))
        Run.objects.filter(id=bench.run.id).update(cancel_requested_at=clock.now())
        until(lambda: bench.row().state == "cancelled")
    assert bench.states() == ["cancelled", "cancelled"]
    assert "MANIFEST.json" in bench.paths()


def test_cancel_of_what_ignores_sigterm_kills_its_whole_family(bench: Bench, clock: Clock) -> None:
    with bench.executing("stubborn"):
        until(bench.in_phase("profile"))
        known = [item for pid in (bench.var / "stubborn").read_text().split() for item in family(int(pid))]
        assert len(known) >= 2
        Run.objects.filter(id=bench.run.id).update(cancel_requested_at=clock.now())
        until(lambda: bench.row().state == "cancelled")
    assert not any(item.living() for item in known)
    assert Host.objects.get().state == "ready"


def test_killed_supervisor_leaves_no_orphan(bench: Bench) -> None:
    with bench.executing("orphaning"):
        until(bench.in_phase("profile"))
        processes = Workspace(bench.var / "work", bench.run.id, 0).processes
        until(lambda: processes.exists() and processes.read_text().count("[") >= 3)
    orphan = int((bench.var / "orphan").read_text())
    assert family(orphan) == [] or Known(orphan, family(orphan)[0].started).living() is None
    assert bench.states() == ["queued", "failed", "queued"]


def test_survivors_make_the_host_dirty(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    close = SupervisorProcess.close
    survivor = Known(4242, 1.0)
    monkeypatch.setattr(SupervisorProcess, "close", lambda self: (close(self)[0], [survivor]))
    bench.execute("succeed")
    assert Host.objects.get().state == "dirty"


def test_worker_shutdown_gives_the_attempt_back_at_once(bench: Bench) -> None:
    with bench.executing("gate"):
        until(bench.in_phase("profile"))
        bench.stopping.set()
        until(lambda: bench.row().state == "queued")
    assert bench.states() == ["queued", "failed", "queued"]
    assert bench.why() == ("worker_lost", "the worker was shut down")
    assert "MANIFEST.json" in bench.paths()


def test_fenced_attempt_is_ended_and_stores_nothing_as_result(bench: Bench, clock: Clock) -> None:
    with bench.executing("gate_in:profile"):
        until(bench.in_phase("profile"))
        reap(now=clock.advance(1000))
        until(lambda: "MANIFEST.json" in bench.paths())
    assert bench.states() == ["queued", "failed", "queued"]
    assert not Point.objects.filter(run=bench.run).exists()
    assert not (bench.var / "work" / str(bench.run.id)).exists()


def test_hard_limit_is_kept_by_the_worker_too(bench: Bench) -> None:
    Run.objects.filter(id=bench.run.id).update(hard_limit_seconds=1)
    bench.execute("stubborn", Timing(beat=0.1, tick=0.02, grace=0.3, overtime=0.0))
    assert bench.states() == ["failed", "failed"]
    assert bench.why()[0] == "timeout"


def test_host_that_cannot_start_a_supervisor_says_so(bench: Bench) -> None:
    execute_one("h1", stopping=bench.stopping, argv=lambda **_: ["/no/such/program"], timing=FAST)
    assert bench.states() == ["queued", "failed", "queued"]
    assert bench.why()[0] == "environment"


def test_full_artifact_store_is_a_full_disk_and_keeps_the_folder(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise StorageFullError("no space left in the artifact store")

    monkeypatch.setattr(delivery, "keep_evidence", full)
    bench.execute("succeed")
    assert bench.states() == ["queued", "failed", "queued"]
    assert bench.why() == ("disk_full", "no space left in the artifact store")
    assert (bench.var / "work" / str(bench.run.id) / "0" / "bundle" / "MANIFEST.json").exists()


def test_attempt_is_released_whatever_the_store_raises(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise RuntimeError("the store answers in riddles")

    monkeypatch.setattr(delivery, "keep_evidence", broken)
    bench.execute("succeed")
    assert bench.states() == ["failed", "failed"]
    assert bench.why() == ("ingest", "RuntimeError: the store answers in riddles")


def test_database_that_is_away_for_some_heartbeats_costs_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = threading.Event()
    failed: list[int] = []

    def beat(**given: Any) -> Any:
        if away.is_set():
            failed.append(1)
            raise OperationalError("the database system is shutting down")
        return heartbeat(**given)

    monkeypatch.setattr(execution, "heartbeat", beat)
    with bench.executing("gate"):
        until(bench.in_phase("profile"))
        away.set()
        until(lambda: len(failed) >= 3)
        away.clear()
    assert bench.states() == ["succeeded", "succeeded"]


def test_lease_is_kept_while_evidence_is_on_its_way(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[Beat] = []

    def count(**given: Any) -> Any:
        beats.append(given["beat"])
        return heartbeat(**given)

    def slow(attempt: Attempt, root: Path) -> int:
        until(lambda: len(beats) >= 2)
        return keep_evidence(attempt, root)

    monkeypatch.setattr(delivery, "heartbeat", count)
    monkeypatch.setattr(delivery, "keep_evidence", slow)
    bench.execute("succeed")
    assert bench.states() == ["succeeded", "succeeded"]
    assert beats[0].phase == "profile"


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(time, "monotonic", lambda: sum(pauses))

    def away() -> None:
        raise OperationalError("no")

    with pytest.raises(OperationalError):
        patience.persistently(away, patience=20.0)
    assert pauses[:5] == [0.2, 0.4, 0.8, 1.6, 3.2]
    assert 10 < sum(pauses) <= 20


def test_patience_returns_what_comes_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = [OperationalError("no"), OperationalError("no"), 7]
    monkeypatch.setattr(time, "sleep", lambda _: None)

    def ask() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return int(answer)

    assert patience.persistently(ask) == 7
    assert answers == []
