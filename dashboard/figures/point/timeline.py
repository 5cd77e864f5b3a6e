"""The requests of a load as a Gantt chart: a lane per conversation, sub-agents under their session. Pure."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.figures.escaping import escape
from dashboard.figures.point.chart import compact
from dashboard.figures.point.sheet import Sheet
from results.analysis.over_time import every
from results.analysis.request_columns import RequestColumns

Array = NDArray[Any]

#: Lanes and requests of one view; more lanes are on the next one.
LANES, REQUESTS = 40, 2000
_LABEL = 36


@dataclass(frozen=True, slots=True)
class Timeline:
    """Lanes ``first`` to ``first + len(labels)`` of ``lanes``; every ``k``-th of ``count`` requests in them.

    ``requests`` are those that are drawn, ``lane`` the place of each in ``labels``.
    """

    labels: tuple[str, ...]
    first: int
    lanes: int
    requests: RequestColumns
    lane: Array
    count: int
    k: int

    @property
    def shown(self) -> int:
        return len(self.requests)

    @property
    def last(self) -> int:
        return self.first + len(self.labels)

    def to_json(self, sheet: Sheet) -> dict[str, Any]:
        """Times in seconds from zero; ``outcome`` is ok, failed, cancelled, overflow or warmup."""
        requests = self.requests
        start, end = (sheet.seconds(requests[name]) for name in ("start_ns", "end_ns"))
        issued = np.where(requests["issued_ns"] < 0, start, sheet.seconds(requests["issued_ns"]))
        return {
            "labels": [escape(label) for label in self.labels],
            "lane": self.lane.tolist(),
            "issued": compact(np.minimum(issued, start), 8),
            "start": compact(start, 8),
            "first": compact(start + requests["ttft"], 8),
            "end": compact(end, 8),
            "outcome": outcomes(requests),
            **{
                name: _counts(requests[name])
                for name in ("turn", "input_tokens", "output_tokens", "cached_tokens")
            },
        }


def timeline(sheet: Sheet, first: int = 0) -> Timeline | None:
    """The view that begins with lane ``first``; None without requests."""
    requests = sheet.requests
    if requests is None or not len(requests):
        return None
    lane, labels = _lanes(requests)
    first = min(first, max(0, len(labels) - 1))
    last = min(first + LANES, len(labels))
    chosen = np.flatnonzero((lane >= first) & (lane < last))
    k = every(len(chosen), REQUESTS)
    places = chosen[::k]
    return Timeline(
        tuple(labels[first:last]),
        first,
        len(labels),
        requests.take(places),
        lane[places] - first,
        len(chosen),
        k,
    )


def outcomes(requests: RequestColumns) -> list[str]:
    names = np.full(len(requests), "ok", dtype="<U9")
    names[requests["failure"] >= 0] = "failed"
    names[requests["overflow"]] = "overflow"
    names[requests["cancelled"]] = "cancelled"
    names[~requests["profiled"]] = "warmup"
    return [str(name) for name in names]


def _lanes(requests: RequestColumns) -> tuple[Array, list[str]]:
    """Lane of every request, and the lanes' names from top to bottom.

    A lane is one replay of one conversation by one agent: two replays of a conversation at a time are two
    lanes. Trees stand in the order of their first request, their root above its sub-agents.
    """
    keys = np.where(requests["session"] >= 0, requests["session"], requests["conversation"])
    found, first_place, inverse = np.unique(keys, return_index=True, return_inverse=True)
    # Requests come in the order of time, so the first place of a lane is its first request.
    roots = [_root(requests, int(place)) for place in first_place]
    begun: dict[str, int] = {}
    for place, root in sorted(zip(first_place.tolist(), roots, strict=True)):
        begun.setdefault(root, place)
    depths = requests["agent_depth"][first_place].tolist()
    order = sorted(
        range(len(found)), key=lambda one: (begun[roots[one]], depths[one] > 0, int(first_place[one]))
    )
    rank = np.empty(len(found), dtype=np.int64)
    rank[order] = np.arange(len(found))
    # A sub-agent's name says which of its tree it is; other trees may have one of the same name.
    trees = [roots[one] if depths[one] > 0 else "" for one in order]
    names = [_name(requests, int(first_place[one]), depths[one]) for one in order]
    return rank[inverse], _numbered(list(zip(trees, names, strict=True)))


def _root(requests: RequestColumns, place: int) -> str:
    """The session tree of a request; older files tell it by the conversation's name alone."""
    root = requests.text("root", place)
    if root is not None:
        return root
    return (requests.text("conversation", place) or "").partition("::")[0]


def _name(requests: RequestColumns, place: int, depth: int) -> str:
    text = requests.text("conversation", place) or requests.text("session", place) or "–"
    if depth > 0:
        text = "└ " + (text.partition("::")[2] or text)
    return text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"


def _numbered(names: list[tuple[str, str]]) -> list[str]:
    """Names that occur twice in their tree get a number: replays of one conversation."""
    total, seen = Counter(names), Counter[tuple[str, str]]()
    labels = []
    for tree, name in names:
        seen[tree, name] += 1
        labels.append(f"{name} #{seen[tree, name]}" if total[tree, name] > 1 else name)
    return labels


def _counts(values: Array) -> list[int | None]:
    return [None if value < 0 else value for value in values.tolist()]
