"""What the template of one run needs."""

import json
import shlex
from datetime import timedelta
from typing import Any

from dashboard.words import PHASES, TELEMETRY, shown_unit, word
from results import clock
from results.metrics import DEFAULT_METRICS, METRICS
from results.models import HELD
from results.queries.argv import command_lines
from results.queries.plane import KEY
from results.queries.run_detail import AttemptRow, MeasuredPoint, RunDetail

#: Seconds between two looks while the run lives.
_BUSY = 3
#: A heartbeat comes every 10 s; three missed ones are worth a word.
_STALE = timedelta(seconds=30)
#: The rows of the points table; every other measured metric is one click away.
_FIRST = ("requests_successful", "requests_failed", "duration", *DEFAULT_METRICS)


def context(detail: RunDetail, origin: str) -> dict[str, Any]:
    """``origin`` is the address of the site with a slash at its end, for commands to copy."""
    attempt = detail.current
    files = [file for one in detail.attempts for file in one.artifacts]
    latest = next((one for one in reversed(detail.attempts) if one.artifacts), None)
    return {
        "run": detail.row,
        "detail": detail,
        "attempt": attempt,
        "pull_run": detail.pull_run,
        "stale_for": _stale_for(attempt),
        "recipe_key": detail.row.fingerprint[:KEY],
        "progress": _progress(detail),
        "telemetry": _telemetry(attempt),
        "telemetry_words": {name: str(text) for name, text in TELEMETRY.items()},
        "phases": _phases(attempt),
        "points": _table(detail.points),
        "file_count": len(files),
        "argv": command_lines(latest.artifacts) if latest else [],
        "reproduce": _reproduce(detail, origin),
        "cancel": _cancel(detail, origin),
        "document": json.dumps(detail.document, indent=2, ensure_ascii=False),
        "seconds": _BUSY if detail.live else 0,
    }


def _progress(detail: RunDetail) -> float | None:
    """Share of the run in [0, 1]; None before a host has said anything."""
    if not detail.live:
        return None
    return detail.row.progress


def _stale_for(attempt: AttemptRow | None) -> float | None:
    """Seconds without a heartbeat, when that is longer than it should be."""
    if attempt is None or attempt.state not in HELD:
        return None
    heard = attempt.heartbeat_at or attempt.claimed_at
    silence = clock.now() - heard if heard is not None else timedelta(0)
    return silence.total_seconds() if silence > _STALE else None


def _telemetry(attempt: AttemptRow | None) -> dict[str, Any]:
    """The newest sample, for the script that draws the sparklines."""
    if attempt is None or attempt.heartbeat_at is None:
        return {}
    numbers = {name: value for name, value in attempt.telemetry.items() if isinstance(value, int | float)}
    return {"at": attempt.heartbeat_at.timestamp(), "values": numbers}


def _phases(attempt: AttemptRow | None) -> list[dict[str, Any]]:
    if attempt is None:
        return []
    return [
        {"text": word(PHASES, phase.name), "phase": phase, "now": attempt.live and phase.ended_at is None}
        for phase in attempt.phases
    ]


def _table(points: tuple[MeasuredPoint, ...]) -> dict[str, Any]:
    """Metrics down, points across: first the short list, then whatever else was measured."""
    measured = {key for point in points for key in point.values}
    first = [key for key in _FIRST if key in measured]
    rest = [key for key in METRICS if key in measured and key not in first]
    return {
        "columns": points,
        "first": [_row(key, points) for key in first],
        "rest": [_row(key, points) for key in rest],
        "several_attempts": len({point.attempt for point in points}) > 1,
    }


def _row(key: str, points: tuple[MeasuredPoint, ...]) -> dict[str, Any]:
    values: list[float | None] = [point.values.get(key) for point in points]
    return {"key": key, "unit": shown_unit(key), "values": values}


def _reproduce(detail: RunDetail, origin: str) -> str:
    address = f"{origin}runs/{detail.row.id}/run.json"
    return (
        f"curl -fsS -o run.json {shlex.quote(address)}\n"
        f"python -m workers run run.json --bundle out/{str(detail.row.id)[:8]}"
    )


def _cancel(detail: RunDetail, origin: str) -> str:
    address = f"{origin}api/v1/runs/{detail.row.id}/cancel/"
    return f'curl -fsS -X POST -H "Authorization: Bearer $NORTHSTAR_TOKEN" {shlex.quote(address)}'
