"""The text that a comment at a pull request would have, for people who paste it themselves."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.views.errors import checked
from dashboard.views.parameters import refuse_unknown
from results.github.comment import comment
from results.queries.comparisons import evidence_of
from results.queries.projects import pull_detail


@require_safe
@checked
def preview(request: HttpRequest, owner: str, name: str, number: int) -> HttpResponse:
    refuse_unknown(request.GET, ())
    found = pull_detail(f"{owner}/{name}", number, "en")
    if found is None:
        raise Http404
    site = settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")
    text = comment(found.row.repository, number, evidence_of(pull_request__id=found.id), site)
    return HttpResponse(text, "text/markdown; charset=utf-8")
