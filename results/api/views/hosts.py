"""Hosts that execute runs, and what they can do at best."""

from dataclasses import asdict
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from results.api.query import StrictViewSet
from results.api.serializers.hosts import HostDetailRead, HostList
from results.documents.probe import Probe
from results.queries.hosts import host_detail, host_rows


class HostCollection(StrictViewSet):
    @extend_schema(operation_id="list_hosts", responses=HostList)
    def list(self, request: Request) -> Response:
        """Every host by name."""
        return Response(HostList({"results": host_rows()}).data)


class HostItem(StrictViewSet):
    @extend_schema(operation_id="read_host", responses=HostDetailRead)
    def retrieve(self, request: Request, name: str) -> Response:
        """One host: what it reported, and its probes with every measured rate."""
        found = host_detail(name)
        if found is None:
            raise Http404
        shown = asdict(found.row) | {
            "facts": found.facts.model_dump(),
            "probe_reports": [_report(probe) for probe in found.probes],
        }
        return Response(HostDetailRead(shown).data)


def _report(probe: Probe) -> dict[str, Any]:
    return {
        "at": probe.at,
        "devices": [device.model_dump() for device in probe.gpus],
        "numa": [node.model_dump() for node in probe.numa],
        "torch": None if probe.torch is None else probe.torch.model_dump(),
        "rates": list(probe.rates()),
    }
