import threading
from typing import Any

import pytest

from results.broker import app, host_queue
from results.services import dispatch
from workers import execution, tasks


class Calls:
    """What the task did, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, worked: bool) -> None:
        self.list: list[str] = []
        self.leaving = threading.Event()

        def execute(host: str, *, stopping: threading.Event) -> bool:
            assert stopping is self.leaving
            self.list.append(f"execute {host}")
            return worked

        monkeypatch.setattr(tasks, "LEAVING", self.leaving)
        monkeypatch.setattr(execution, "execute_one", execute)
        monkeypatch.setattr(dispatch, "send_hint", lambda host: self.list.append(f"hint {host}"))


def test_after_work_the_host_looks_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch, worked=True)
    tasks.execute_next("h1")
    assert calls.list == ["execute h1", "hint h1"]


def test_without_work_the_host_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch, worked=False)
    tasks.execute_next("h1")
    assert calls.list == ["execute h1"]


def test_a_leaving_worker_takes_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch, worked=True)
    tasks.leave()
    tasks.execute_next("h1")
    assert calls.list == []


def test_the_message_is_acknowledged_before_the_work() -> None:
    task: Any = app.tasks["workers.execute_next"]
    assert task.acks_late is False
    assert task.ignore_result is True


def test_one_thread_measures(settings: Any) -> None:
    assert (settings.CELERY_WORKER_POOL, settings.CELERY_WORKER_CONCURRENCY) == ("threads", 1)
    assert host_queue("h1") == "host.h1"
