"""One comparison: its verdict, its frontier before and after, and its plan to run again."""

import json
import shlex
from uuid import UUID

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.figures.before_after import before_after
from dashboard.views.errors import checked
from dashboard.views.evidence import comparison_view
from dashboard.views.parameters import refuse_unknown
from results.analysis.gains.plan import FrontierAxes
from results.models import Comparison
from results.queries.comparison_points import launches
from results.queries.comparisons import ComparisonRow, comparison_row, evidence_of

#: How the two kinds of plan are named in a request for evidence.
_KEYS = {"northstar.comparison/1": "plan", "northstar.run-sets/1": "runs"}


@require_safe
@checked
def page(request: HttpRequest, identifier: UUID) -> HttpResponse:
    refuse_unknown(request.GET, ())
    found = _found(identifier)
    evidence = evidence_of(comparison__id=identifier)
    row = evidence[0] if evidence else None
    view = comparison_view(found, row, launches([found])[found.id])
    context = {"item": view, "evidence": evidence, "reproduce": reproduce(request, found)}
    return render(request, "projects/comparison.html", context)


@require_safe
@checked
def figure(request: HttpRequest, identifier: UUID) -> HttpResponse:
    """Frontiers of both arms in the axes of the verdict; empty without a verdict along a frontier."""
    refuse_unknown(request.GET, ())
    found = _found(identifier)
    along = found.verdict.frontier if found.verdict is not None else None
    axes = FrontierAxes(along.x, along.y) if along is not None else None
    hardware = Comparison.objects.values_list("candidate__hardware__vendor", "candidate__hardware__kind")
    drawn = before_after(launches([found])[found.id], axes, *hardware.get(id=identifier))
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")


@require_safe
@checked
def plan(request: HttpRequest, identifier: UUID) -> HttpResponse:
    """The body that asks for the same comparison again."""
    refuse_unknown(request.GET, ())
    found = _found(identifier)
    name = _KEYS.get(str(found.plan.get("schema")), "plan")
    return HttpResponse(json.dumps({name: found.plan}, indent=2), content_type="application/json")


def reproduce(request: HttpRequest, found: ComparisonRow, pull: str = "") -> str:
    """Commands to measure it again: as evidence for ``pull`` (owner/name/number), or a run of each arm."""
    site = settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")
    if pull:
        return (
            f"curl -fsS -o plan.json {shlex.quote(f'{site}/comparisons/{found.id}/plan.json')}\n"
            f"curl -fsS {shlex.quote(f'{site}/api/v1/pull-requests/{pull}/evidence/')} -d @plan.json"
            " -H 'Content-Type: application/json' -H \"Authorization: Bearer $NORTHSTAR_TOKEN\""
        )
    runs = {member.arm: member.run for member in reversed(found.members)}
    commands = (
        f"curl -fsS -o {name}.json {shlex.quote(f'{site}/runs/{runs[arm]}/run.json')}\n"
        f"python -m workers run {name}.json --bundle out/{name}"
        for arm, name in (("A", "baseline"), ("B", "candidate"))
        if arm in runs
    )
    return "\n".join(commands)


def _found(identifier: UUID) -> ComparisonRow:
    found = comparison_row(identifier)
    if found is None:
        raise Http404
    return found
