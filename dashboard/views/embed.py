"""Explore without its controls, for pages of others."""

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from dashboard.views.errors import checked
from dashboard.views.explore import load
from dashboard.views.explore_page import context


@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
@require_safe
@checked
def page(request: HttpRequest) -> HttpResponse:
    """The chart with its title, date and versions, and a link to all controls."""
    shown = context(*load(request))
    address = request.build_absolute_uri(f"{reverse('explore')}?{shown['canonical']}")
    return render(request, "embed/page.html", {**shown, "address": address})
