"""Restarts with a growing pause, on real processes and a clock of our own."""

from pathlib import Path

import pytest

from dashboard.demo import children
from dashboard.demo.children import Child
from dashboard.embedded.process import group_members
from tests.system.processes import eventually


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    monkeypatch.setattr(children, "time", fake)
    return fake


def ended(child: Child) -> bool:
    return eventually(lambda: child.ended() is not None)


def test_a_child_that_keeps_dying_is_started_again_ever_more_slowly(tmp_path: Path, clock: Clock) -> None:
    child = Child("failing", ["-c", "raise SystemExit('no broker')"], tmp_path, restarts=True)
    child.start()
    for pause in (1, 2, 4, 8, 16, 32, 60, 60):
        assert ended(child)
        assert child.revive() == (
            f"failing ended (1): no broker ({tmp_path}/log/failing.log); it starts again in {pause} s"
        )
        before = child.pid
        clock.now += pause - 0.1
        assert child.revive() is None
        assert child.pid == before
        clock.now += 0.2
        assert child.revive() is None
        assert child.pid != before
    child.stop()


def test_a_child_that_lived_long_starts_with_a_short_pause(tmp_path: Path, clock: Clock) -> None:
    child = Child("worker", ["-c", "pass"], tmp_path, restarts=True)
    child.start()
    for lived, pause in ((0, 1), (0, 2), (121, 1)):
        assert ended(child)
        clock.now += lived
        assert str(child.revive()).endswith(f"in {pause} s")
        clock.now += pause
        child.revive()
    child.stop()


def test_what_a_dead_leader_left_in_its_group_is_ended(tmp_path: Path, clock: Clock) -> None:
    code = "import subprocess; subprocess.Popen(['/bin/sleep', '600'])"
    child = Child("worker", ["-W", "ignore", "-c", code], tmp_path, restarts=True)
    child.start()
    assert ended(child)
    assert child.pid is not None
    assert len(group_members(child.pid)) == 1
    group = child.pid
    child.stop()
    assert group_members(group) == []
