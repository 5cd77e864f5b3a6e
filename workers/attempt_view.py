"""What the supervisor's events add up to: the picture that each heartbeat sends."""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from results.services.progress import Beat

#: Lines of log that travel with a heartbeat.
TAIL_LINES = 60


@dataclass
class AttemptView:
    """Takes events in order; unknown ones are ignored, so that a newer supervisor can say more."""

    phase: str = ""
    load: int | None = None
    progress: float | None = None
    eta_seconds: float | None = None
    telemetry: dict[str, Any] = field(default_factory=dict)
    phases: list[dict[str, Any]] = field(default_factory=list)
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=TAIL_LINES))
    #: Loads whose files are complete, with the path of their folder inside the bundle.
    loads: dict[int, str] = field(default_factory=dict)
    end: Mapping[str, Any] | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        kind = event.get("event")
        if kind == "phase":
            self._begin_phase(event)
        elif kind == "progress":
            self._show_progress(event)
        elif kind == "load":
            self.loads[int(event["load"])] = str(event["path"])
        elif kind == "log":
            self.lines.append(str(event["line"]))
        elif kind == "end":
            self.end = event

    def _begin_phase(self, event: Mapping[str, Any]) -> None:
        at = event["at"]
        if self.phases and self.phases[-1]["ended_at"] is None:
            self.phases[-1]["ended_at"] = at
        self.phase, self.load = str(event["phase"])[:16], event.get("load")
        self.phases.append({"name": self.phase, "load": self.load, "started_at": at, "ended_at": None})
        self.lines.append(f"{at} {self.phase}" + (f" at load {self.load}" if self.load else ""))

    def _show_progress(self, event: Mapping[str, Any]) -> None:
        done, eta = event.get("done"), event.get("eta_seconds")
        self.progress = None if done is None else min(1.0, max(0.0, float(done)))
        self.eta_seconds = None if eta is None else max(0.0, float(eta))
        self.telemetry = finite(event.get("telemetry") or {})

    def beat(self, more_lines: str = "") -> Beat:
        """A copy for the database; ``more_lines`` precede what the events said."""
        return Beat(
            phase=self.phase,
            load=self.load,
            progress=self.progress,
            eta_seconds=self.eta_seconds,
            telemetry=dict(self.telemetry),
            log_tail=more_lines + "\n".join(self.lines),
            phases=[dict(item) for item in self.phases],
        )


def finite(telemetry: Mapping[str, Any]) -> dict[str, Any]:
    """Without NaN and infinities: Prometheus has them, JSON does not."""
    return {
        key: value
        for key, value in telemetry.items()
        if not (isinstance(value, float) and not math.isfinite(value))
    }
