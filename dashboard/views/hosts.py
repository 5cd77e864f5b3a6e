"""Hosts: who executes runs, what each reported about itself, and what it can do at best."""

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dashboard.figures.transfers import transfers_figure
from dashboard.limit_words import CEILINGS
from dashboard.views.csv_files import csv_file
from dashboard.views.errors import checked
from dashboard.views.parameters import BadParameterError, one, refuse_unknown
from results.documents.probe import Probe
from results.queries.hosts import HostDetail, host_detail, host_rows


@require_safe
@checked
def listing(request: HttpRequest) -> HttpResponse:
    refuse_unknown(request.GET, ())
    return render(request, "hosts/listing.html", {"hosts": host_rows()})


@require_safe
@checked
def page(request: HttpRequest, name: str) -> HttpResponse:
    found, probe = _found(request, name)
    context = {
        "detail": found,
        "host": found.row,
        "probe": probe,
        "query": urlencode({"probe": _moment(probe)}) if probe else "",
        "moments": [(_moment(one), one.at) for one in found.probes],
    }
    return render(request, "hosts/page.html", context)


@require_safe
@checked
def figure(request: HttpRequest, name: str) -> HttpResponse:
    _detail, probe = _found(request, name)
    words = {code: str(word) for code, word in CEILINGS.items()}
    drawn = (
        {"data": [], "layout": {}}
        if probe is None
        else transfers_figure(probe, words, _("size of one transfer"), _("rate (GB/s)"))
    )
    return HttpResponse(orjson.dumps(drawn), content_type="application/json")


@require_safe
@checked
def rates_csv(request: HttpRequest, name: str) -> HttpResponse:
    _detail, probe = _found(request, name)
    header = ("rate", "gpu", "bytes", "unit", "median", "lowest", "highest", "repeats", "at")
    rows = [
        (row.name, row.gpu, row.measured.bytes, row.measured.unit, row.measured.median, row.measured.lowest,
         row.measured.highest, row.measured.repeats, probe.at.isoformat())
        for row in probe.rates()
    ] if probe else []  # fmt: skip
    return csv_file("host-rates", header, rows)


def _found(request: HttpRequest, name: str) -> tuple[HostDetail, Probe | None]:
    """The host and the probe that the address names, else its newest."""
    refuse_unknown(request.GET, ("probe",))
    found = host_detail(name)
    if found is None:
        raise Http404
    asked = one(request.GET, "probe")
    chosen = next((probe for probe in found.probes if asked in ("", _moment(probe))), None)
    if asked and chosen is None:
        raise BadParameterError("probe", _("this host has no probe of that time"))
    return found, chosen


def _moment(probe: Probe) -> str:
    return f"{probe.at:%Y-%m-%dT%H:%M:%SZ}"
