"""Hints: sent where a broker is, lost quickly and quietly where none is."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest

from results.broker import app, host_queue
from results.services import dispatch


@pytest.fixture(autouse=True)
def closed_breaker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch._Breaker, "closed_at", 0.0)


@pytest.fixture
def broker_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A place for a broker's socket, which Celery is told to use."""
    place = tmp_path / "b.sock"
    monkeypatch.setattr(app.conf, "broker_write_url", f"redis+socket://{place}")
    yield place


def seconds_of_a_lost_hint() -> float:
    start = time.monotonic()
    assert dispatch.send_hint("h1") is False
    return time.monotonic() - start


def test_a_hint_reaches_the_queue_of_its_host_alone() -> None:
    name = "hinted-host"
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue(host_queue(name))
        queue.clear()
        assert dispatch.send_hint(name)
        message = queue.get(timeout=5)
        assert message.headers["task"] == "workers.execute_next"
        assert message.payload[0] == [name]
        message.ack()
        with pytest.raises(Empty):
            queue.get_nowait()
        queue.close()


def test_no_broker_is_a_log_line(broker_at: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert seconds_of_a_lost_hint() < 2
    assert "no hint for host h1" in caplog.text


def test_a_broker_that_never_answers_costs_little_and_once(broker_at: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(broker_at))
        silent.listen(16)
        assert seconds_of_a_lost_hint() < 2
        # Fifty more hosts: the broker is left alone for a while.
        assert sum(seconds_of_a_lost_hint() for _host in range(50)) < 0.5
