import io
import threading

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from results.management.commands import sweep as command
from results.models import State
from tests.conftest import Clock
from tests.results.services.stage import Stage, states


def test_once_reaps_then_hints_what_it_queued(stage: Stage, clock: Clock) -> None:
    row = stage.attempt(State.RUNNING)
    clock.advance(91)
    out = io.StringIO()
    call_command("sweep", "--once", stdout=out)
    assert out.getvalue().strip() == "reaped 1, concluded 0, settled 0, started 0, hinted h1"
    assert states(row.run) == ["queued", "failed", "queued"]


def test_once_with_nothing_to_do_says_so(stage: Stage) -> None:
    out = io.StringIO()
    call_command("sweep", "--once", stdout=out)
    assert out.getvalue().strip() == "reaped 0, concluded 0, settled 0, started 0, hinted nobody"


@pytest.mark.parametrize("interval", ["0", "-1", "nan", "1e9"])
def test_bad_interval_is_one_line(stage: Stage, interval: str) -> None:
    with pytest.raises(CommandError, match="--interval: ") as caught:
        call_command("sweep", "--interval", interval)
    assert caught.value.returncode == 2


class Stop(threading.Event):
    """Set after a number of rounds; nobody sleeps."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds

    def wait(self, timeout: float | None = None) -> bool:
        self.rounds -= 1
        if self.rounds == 0:
            self.set()
        return self.is_set()


def reaping_rounds(monkeypatch: pytest.MonkeyPatch, rounds: list[bool]) -> list[bool]:
    """Whether each round reaped; ``rounds`` says in which the database answers."""
    asked: list[bool] = []

    def one_round(*, reaping: bool) -> str:
        asked.append(reaping)
        if not rounds[len(asked) - 1]:
            raise OperationalError("the database system is starting up")
        return ""

    monkeypatch.setattr(command, "one_round", one_round)
    monkeypatch.setattr(command, "close_old_connections", lambda: None)
    monkeypatch.setattr(command.connections, "close_all", lambda: None)
    command.run_until(Stop(len(rounds)), 30.0)
    return asked


def test_the_first_round_lets_hosts_renew_their_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reaping_rounds(monkeypatch, [True, True, True]) == [False, True, True]


def test_so_does_the_first_round_after_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reaping_rounds(monkeypatch, [True, False, False, True, True]) == [False, True, False, False, True]
