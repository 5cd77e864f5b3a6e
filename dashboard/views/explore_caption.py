"""What a picture of the chart says about itself when nothing stands around it any more."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures.arrange import Arranged
from dashboard.figures.escaping import escape
from dashboard.views.explore_state import ExploreState
from results.documents.known_issues import KnownIssue
from results.queries.known_issues import Noted, noted


def caption(state: ExploreState, arranged: Arranged) -> dict[str, Any]:
    """Title and lines, in the reader's language and as Plotly shows them literally."""
    return {
        "title": escape(_title(arranged)),
        "lines": [escape(line) for line in (*_lines(state, arranged), *_notes(notes_of(state, arranged)))],
    }


def layer_name(state: ExploreState, over: Arranged) -> str:
    """What lies over the first layer: by what it differs from it."""
    place = over.plane.explored.places[0] if over.plane.explored.places else None
    parts = [
        (place.model_name if place else state.over_model) if state.over_model else "",
        state.over_scenario,
        _("as of %(day)s") % {"day": state.over_as_of} if state.over_as_of else "",
    ]
    return " · ".join(part for part in parts if part)


def notes_of(state: ExploreState, arranged: Arranged) -> tuple[Noted, ...]:
    """Known issues of what is shown."""
    points = [row.point for layer in arranged.layers for row in layer.rows]
    prices = arranged.plane.versions["prices"]
    return noted(points, (state.x_metric.key, state.y_metric.key), str(prices) if prices else None)


def note_text(issue: KnownIssue) -> str:
    return issue.zh if (get_language() or "").startswith("zh") else issue.en


def _title(arranged: Arranged) -> str:
    place = arranged.plane.explored.places[0] if arranged.plane.explored.places else None
    return "Northstar" if place is None else f"{place.model_name} · {place.scenario}"


def _lines(state: ExploreState, arranged: Arranged) -> Iterator[str]:
    axes = {"y": words.metric_label(state.y_metric.key), "x": words.metric_label(state.x_metric.key)}
    yield _("%(y)s against %(x)s") % axes
    count = len(arranged.rows)
    parts = [ngettext("%(count)d point", "%(count)d points", count) % {"count": count}]
    hidden = sum(arranged.left_out.values())
    parts += [_("%(count)d left out") % {"count": hidden}] if hidden else []
    if arranged.rows:
        newest = max(row.measured_at for row in arranged.rows)
        parts.append(_("newest measured %(day)s UTC") % {"day": f"{newest:%Y-%m-%d}"})
    parts += [_("as of %(day)s") % {"day": state.as_of}] if state.as_of else []
    versions = arranged.plane.versions
    if versions["prices"]:
        tier = words.word(words.TIERS, str(versions["tier"]))
        parts.append(_("prices %(version)s, %(tier)s") % {"version": versions["prices"], "tier": tier})
    if arranged.plane.explored.validity == "diagnostic" and arranged.rows:
        parts.append(_("diagnostic points only"))
    if arranged.over is not None:
        parts.append(_("over it, thin: %(name)s") % {"name": layer_name(state, arranged.over)})
    yield " · ".join([*parts, "Northstar"])


def _notes(found: tuple[Noted, ...]) -> Iterator[str]:
    for one in found:
        yield f"[{one.number}] {note_text(one.issue)} ({one.issue.source}, {one.issue.day})"
