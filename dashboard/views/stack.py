"""The primer: what each layer of a serving stack does for agent traffic, and which project works on it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from dashboard.views.errors import checked
from dashboard.views.parameters import refuse_unknown
from dashboard.views.projects import layers
from results.queries.projects import project_rows
from results.queries.stack import stack_parts


@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, ())
    language = get_language() or "en"
    rows = project_rows(language)
    context = {
        "parts": stack_parts(language),
        "layers": layers(rows),
        "projects": {row.slug: row for row in rows},
    }
    return render(request, "stack/page.html", context)
