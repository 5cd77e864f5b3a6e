import pytest

from results.models import State
from results.services import hints
from results.services.hosts import mark_dirty, register_host, see_host
from results.services.sweep import sweep
from tests.conftest import Clock
from tests.results.services.stage import Stage


def another(name: str) -> None:
    register_host(name=name, hardware_slugs=["cpu"], engines=["llamacpp"], facts={})


def test_sweep_hints_each_free_host_once_whatever_is_queued(stage: Stage, clock: Clock) -> None:
    another("h2")
    for _ in range(3):
        stage.run()
    assert sweep(now=clock.now()) == ["h1", "h2"]


def test_sweep_without_work_is_silent(stage: Stage, clock: Clock) -> None:
    stage.attempt(State.SUCCEEDED)
    assert sweep(now=clock.now()) == []


def test_sweep_spares_busy_dirty_and_unfit_hosts(stage: Stage, clock: Clock, hinted: list[str]) -> None:
    stage.attempt(State.RUNNING)
    another("h2")
    mark_dirty(name="h2", reason="left over")
    register_host(name="h3", hardware_slugs=["h200"], engines=["llamacpp"], facts={})
    stage.run()
    assert sweep(now=clock.now()) == []
    assert hinted == []


def test_sweep_hints_only_the_host_that_was_asked_for(stage: Stage, clock: Clock) -> None:
    another("h2")
    stage.run(host="h2")
    assert sweep(now=clock.now()) == ["h2"]


def test_sweep_leaves_absent_hosts_alone(stage: Stage, clock: Clock) -> None:
    another("h2")
    stage.run()
    clock.advance(601)
    see_host(name="h2")
    assert sweep(now=clock.now()) == ["h2"]


def test_sweep_stops_at_a_broker_that_is_down(
    stage: Stage, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    another("h2")
    stage.run()
    asked: list[str] = []

    def refuse(name: str) -> bool:
        asked.append(name)
        return False

    monkeypatch.setattr(hints, "send_hint", refuse)
    assert sweep(now=clock.now()) == []
    assert asked == ["h1"]
