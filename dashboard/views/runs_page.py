"""What the template of the run list needs."""

from typing import Any
from urllib.parse import urlencode

from results.models import LIVE, State
from results.queries.runs import RunFilters, RunPage

#: Seconds between two looks at the list.
_BUSY, _IDLE = 4, 30


def listing_context(filters: RunFilters, after: str, page: RunPage) -> dict[str, Any]:
    state = filters.states[0] if filters.states else ""
    live = sum(page.states.get(name, 0) for name in LIVE)
    return {
        "page": page,
        "filters": filters,
        "state": state,
        "filtered": bool(state or filters.label or filters.host or filters.search),
        "states": [
            (name, page.states.get(name, 0), _query(filters, state=name), name == state)
            for name in State.values
            if page.states.get(name, 0) or name == state
        ],
        "all_states": _query(filters, state=""),
        "labels": _offered(page.labels, filters.label),
        "hosts": _offered(page.hosts, filters.host),
        "next": _query(filters, state=state, after=page.next) if page.next else "",
        "first": _query(filters, state=state) if after else "",
        "query": _query(filters, state=state, after=after),
        "seconds": _BUSY if live else _IDLE,
    }


def _offered(values: tuple[str, ...], chosen: str) -> list[str]:
    """A chosen value stays in its list even when no run has it."""
    return [*values, chosen] if chosen and chosen not in values else list(values)


def _query(filters: RunFilters, **more: str | None) -> str:
    pairs = {"label": filters.label, "host": filters.host, "q": filters.search, **more}
    return urlencode({name: value for name, value in pairs.items() if value})
