"""State of the house, and how often comparisons of equal recipes err."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.views.errors import checked
from dashboard.views.parameters import refuse_unknown
from results.queries.aa_history import aa_history
from results.queries.house import house


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, ())
    aa = aa_history()
    context = {
        "house": house(),
        "aa": aa,
        "overall": [row for row in aa.rates if row.metric is None],
        "by_metric": [row for row in aa.rates if row.metric is not None],
    }
    response = render(request, "status/page.html", context)
    response["Cache-Control"] = "no-store"
    return response
