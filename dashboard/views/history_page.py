"""What the template of History needs."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard import decide_words, words
from dashboard.views.history_state import query_of
from results.analysis.history import floor, short_version
from results.queries.history import KEY, History
from results.queries.upstream_changes import UpstreamChange

#: Families that the form offers; the API lists all.
_OFFERED = 200


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A stored change point, or one that is only seen: then ``id`` is None and ``status`` says seen."""

    id: int | None
    at: datetime | None
    run: str
    status: str
    gain: float
    before: float
    votes: tuple[str, ...]
    version: str
    note: str
    decided_by: str
    upstream: tuple[UpstreamChange, ...]


def changes_of(found: History) -> list[ChangeRow]:
    """Stored and seen changes in order of time, each with what was changed since the observation before."""
    times = {one.run: one.at for one in found.observed}
    rows = [
        ChangeRow(one.id, times.get(one.run), one.run, one.status, one.gain, one.before, one.votes,
                  one.algorithm_version, one.note, one.decided_by, _between(found, one.run))
        for one in found.stored
    ]  # fmt: skip
    rows += [
        ChangeRow(None, times.get(one.run), one.run, "seen", one.gain, one.before,
                  tuple(sorted(vote.value for vote in one.votes)), one.algorithm_version, "", "",
                  _between(found, one.run))
        for one in found.seen
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row.at is None, row.at, row.run))


def context(found: History, origin: str) -> dict[str, Any]:
    series, place = found.series, found.place
    changes = changes_of(found)
    return {
        "found": found,
        "series": series,
        "query": query_of(found),
        "bases": [
            (text, query_of(found, basis=name, family="", load="", x="", at=""), name == series.basis)
            for name, text in decide_words.BASES.items()
        ],
        "models": list({one.model: one.name for one in found.places}.items()),
        "scenarios": [one.scenario for one in found.places if place is not None and one.model == place.model],
        "families": [
            (one, one.key[:KEY])
            for place, one in enumerate(found.families)
            if place < _OFFERED or one == found.family
        ],
        "unit": words.shown_unit(series.metric),
        "rows": [(one, short_version(one.version)) for one in reversed(found.observed)],
        "without": [(decide_words.LEFT_OUT[reason], count) for reason, count in found.without.items()],
        "changes": changes,
        "floor": floor(series.metric),
        "unstored": len(found.seen),
        "propose": _propose(found, origin),
        "decide": _decide(origin, next((row.id for row in changes if row.id is not None), None)),
    }  # fmt: skip


def _between(found: History, run: str) -> tuple[UpstreamChange, ...]:
    """What was changed after the observation before ``run`` and up to it."""
    order = [one.run for one in found.observed]
    place = order.index(run) if run in order else 0
    if place == 0:
        return ()
    first, last = found.observed[place - 1].at.date(), found.observed[place].at.date()
    return tuple(one for one in found.upstream if first <= one.at.date() <= last)


def _propose(found: History, origin: str) -> str:
    if found.place is None or found.family is None:
        return ""
    series = found.series
    body: dict[str, Any] = {
        "model": found.place.model, "scenario": found.place.scenario, "family": found.family.key[:KEY],
        "metric": series.metric, "basis": series.basis,
    }  # fmt: skip
    body |= {"load": found.load} if series.basis == "load" else {"x": series.x, "at": series.at}
    return _command(f"{origin}api/v1/change-points/", body)


def _decide(origin: str, identifier: int | None) -> str:
    if identifier is None:
        return ""
    return _command(f"{origin}api/v1/change-points/{identifier}/", {"status": "accepted", "note": ""})


def _command(address: str, body: Mapping[str, Any]) -> str:
    return (
        'curl -fsS -X POST -H "Authorization: Bearer $NORTHSTAR_TOKEN" '
        '-H "Content-Type: application/json" \\\n'
        f"  -d {shlex.quote(json.dumps(body))} {shlex.quote(address)}"
    )
