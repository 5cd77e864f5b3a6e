"""Upstream work: the impact page, one project, one pull request, its badge, a project's feed."""

from collections import Counter
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from dashboard import words
from dashboard.figures.badge import badge_svg
from dashboard.verdict_words import badge_words
from dashboard.views.comparison_page import reproduce
from dashboard.views.errors import checked
from dashboard.views.evidence import evidence_views, topic_evidence
from dashboard.views.impact import by_status, claimings, impact
from dashboard.views.parameters import refuse_unknown
from dashboard.writeup import writeup
from results.models import Layer
from results.queries.claim_lines import claims
from results.queries.comparisons import evidence_of, of_project, of_pull, standing_comparisons
from results.queries.evidence_lines import evidence_lines
from results.queries.projects import (
    NOT_PERFORMANCE,
    ProjectRow,
    project_detail,
    project_rows,
    pull_detail,
    pull_rows,
)
from results.queries.pull_runs import pull_runs

#: How a request meets the layers; kernels lie under the engine.
_ORDER = (Layer.ROUTER, Layer.ENGINE, Layer.KERNELS, Layer.KV_CACHE, Layer.TRANSFER)


@require_safe
@checked
def listing(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, ())
    rows = project_rows(_language())
    context = {
        "projects": rows,
        "layers": layers(rows),
        "totals": _totals(rows),
        "right": pull_rows(_language(), kind__in=NOT_PERFORMANCE),
    }
    return render(request, "projects/listing.html", context)


@require_safe
@checked
def page(request: HttpRequest, slug: str) -> HttpResponse:
    refuse_unknown(request.GET, ())
    found = project_detail(slug, _language())
    if found is None:
        raise Http404
    evidence = evidence_of(of_project(slug))
    lines, pulls = evidence_lines(evidence), [pull for topic in found.topics for pull in topic.pulls]
    context = {
        "detail": found,
        "project": found.row,
        "layers": layers(project_rows(_language())),
        "measured": topic_evidence(evidence),
        "topic_names": {topic.slug: topic.name for topic in found.topics},
        "statuses": by_status(pulls),
        "impact": impact(lines),
        "claims": claimings(claims(pulls, lines)),
        "article": writeup(found.writeup),
    }
    return render(request, "projects/page.html", context)


@require_safe
@checked
def pull(request: HttpRequest, owner: str, name: str, number: int) -> HttpResponse:
    refuse_unknown(request.GET, ())
    found = pull_detail(f"{owner}/{name}", number, _language())
    if found is None:
        raise Http404
    address = request.build_absolute_uri(request.path)
    markdown = f"[![Northstar]({address}badge.svg)]({address})"
    rows = evidence_of(of_pull(found.id))
    views = evidence_views([row for row in rows if row.topic is None])
    again = f"{found.row.repository}/{found.row.number}"
    evidence = [(view, reproduce(request, view.comparison, again)) for view in views]
    context = {"detail": found, "pull": found.row, "markdown": markdown, "evidence": evidence,
               "of_topic": topic_evidence(rows).get(found.topic.slug, []),
               "runs": pull_runs(pull_request=found.id)}  # fmt: skip
    return render(request, "projects/pull.html", context)


@require_safe
def badge(request: HttpRequest, owner: str, name: str, number: int) -> HttpResponse:  # noqa: ARG001
    found = pull_detail(f"{owner}/{name}", number, "en")
    if found is None:
        raise Http404
    standing = evidence_of(pull_request__id=found.id, withdrawn_at__isnull=True)
    response = HttpResponse(badge_svg("northstar", badge_words(standing)), "image/svg+xml")
    response["Cache-Control"] = "max-age=300"
    return response


def layers(rows: tuple[ProjectRow, ...]) -> list[tuple[str, list[ProjectRow]]]:
    """Each layer of the stack with its projects, from the request down."""
    return [(layer.value, [row for row in rows if row.layer == layer]) for layer in _ORDER]


def _totals(rows: tuple[ProjectRow, ...]) -> dict[str, Any]:
    statuses = sum((Counter(row.statuses) for row in rows), Counter[str]())
    return {
        "pulls": sum(row.pulls for row in rows),
        "projects": len(rows),
        "layers": len({row.layer for row in rows}),
        "claimed": sum(row.claimed for row in rows),
        "measured": sum(row.measured for row in rows),
        "statuses": {status: statuses[status] for status in words.PULL_STATUSES if statuses[status]},
        "comparisons": standing_comparisons(),
    }


def _language() -> str:
    return get_language() or "en"
