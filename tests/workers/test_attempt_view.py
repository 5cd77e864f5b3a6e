import math

import pytest

from workers.attempt_view import TAIL_LINES, AttemptView


def phase(name: str, at: str, load: int | None = None) -> dict[str, object]:
    return {"event": "phase", "phase": name, "load": load, "at": at}


def test_phases_follow_each_other() -> None:
    view = AttemptView()
    view.take(phase("engine", "t1"))
    view.take(phase("profile", "t2", 2))
    assert view.beat().phases == [
        {"name": "engine", "load": None, "started_at": "t1", "ended_at": "t2"},
        {"name": "profile", "load": 2, "started_at": "t2", "ended_at": None},
    ]
    assert (view.beat().phase, view.beat().load) == ("profile", 2)


def test_progress_stays_a_fraction_and_telemetry_finite() -> None:
    view = AttemptView()
    told = {"event": "progress", "done": 1.7, "eta_seconds": -3.0, "telemetry": {"a": math.nan, "b": 2.0}}
    view.take(told)
    beat = view.beat()
    assert (beat.progress, beat.eta_seconds, beat.telemetry) == (1.0, 0.0, {"b": 2.0})


def test_absent_progress_is_absent() -> None:
    view = AttemptView()
    view.take({"event": "progress", "phase": "warmup", "load": 1})
    assert (view.beat().progress, view.beat().eta_seconds) == (None, None)


def test_the_tail_is_bounded() -> None:
    view = AttemptView()
    for number in range(3 * TAIL_LINES):
        view.take({"event": "log", "line": f"line {number}"})
    lines = view.beat().log_tail.splitlines()
    assert len(lines) == TAIL_LINES
    assert lines[-1] == f"line {3 * TAIL_LINES - 1}"


def test_loads_and_end_are_kept() -> None:
    view = AttemptView()
    view.take({"event": "load", "load": 4, "path": "loads/c0004"})
    view.take({"event": "end", "outcome": "failed", "failure": None})
    assert view.loads == {4: "loads/c0004"}
    assert view.end is not None
    assert view.end["outcome"] == "failed"


def test_unknown_events_are_ignored() -> None:
    view = AttemptView()
    view.take({"event": "applause"})
    assert view == AttemptView()


@pytest.mark.parametrize("event", [{"event": "phase"}, {"event": "load", "load": "x", "path": "p"}])
def test_events_without_sense_are_errors(event: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError)):
        AttemptView().take(event)
