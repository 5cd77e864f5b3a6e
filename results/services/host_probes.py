"""Keeps what probes say of a host, each with its day."""

from typing import Any

from pydantic import ValidationError

from results.documents.base import one_line
from results.documents.probe import Probe
from results.models import Host, HostProbe


class ProbeError(ValueError):
    """The document is no probe; one line with the field and the rule."""


def read_probe(document: Any) -> Probe:
    try:
        return Probe.model_validate(document)
    except ValidationError as error:
        raise ProbeError(one_line(error)) from None


def record_probe(*, host: Host, probe: Probe) -> bool:
    """Whether it was new: a probe of the same moment is the same probe."""
    document = probe.model_dump(mode="json")
    return HostProbe.objects.get_or_create(host=host, at=probe.at, defaults={"document": document})[1]
