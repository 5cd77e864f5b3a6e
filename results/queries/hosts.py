"""Hosts as pages and API show them. What a host reported passes through an allow-list."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, F, Max, When
from pydantic import ValidationError

from results.documents.probe import HostFacts, Probe
from results.models import Host, HostProbe, Run

#: Probes and runs that a page lists, the newest.
PROBES, RUNS = 20, 6


@dataclass(frozen=True, slots=True)
class HostRow:
    """``probed_at`` is the day of the newest probe, None without one."""

    name: str
    state: str
    hardware: tuple[str, ...]
    engines: tuple[str, ...]
    first_seen_at: datetime
    last_seen_at: datetime
    probes: int
    probed_at: datetime | None


@dataclass(frozen=True, slots=True)
class HostRun:
    """The newest runs of a host by their label and scenario."""

    id: Any
    label: str
    block: int | None
    state: str
    model: str
    scenario: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class HostDetail:
    """``probes`` newest first."""

    row: HostRow
    facts: HostFacts
    probes: tuple[Probe, ...]
    runs: tuple[HostRun, ...]


def host_rows() -> tuple[HostRow, ...]:
    """Every host by name; one query."""
    return tuple(_row(host) for host in _hosts())


def host_detail(name: str) -> HostDetail | None:
    """One host with its probes and newest runs, None when there is none of this name; three queries."""
    host = _hosts().filter(name=name).first()
    if host is None:
        return None
    kept = (_probe(probe.document) for probe in host.probes.order_by("-at")[:PROBES])
    return HostDetail(
        row=_row(host),
        facts=_facts(host.facts),
        probes=tuple(probe for probe in kept if probe is not None),
        runs=_runs(host),
    )


def probe_at(host: int | None, moment: datetime) -> Mapping[str, Any]:
    """The document of the last probe before ``moment``, of the first one after it where there is none.

    Empty without a probe. One query, none without a host.
    """
    if host is None:
        return {}
    before = Case(When(at__lte=moment, then=F("at")))
    rows = HostProbe.objects.filter(host=host).order_by(before.desc(nulls_last=True), "at")
    return next(iter(rows.values_list("document", flat=True)[:1]), {})


def _hosts() -> Any:
    return Host.objects.annotate(count=Count("probes"), probed_at=Max("probes__at")).order_by("name")


def _row(host: Any) -> HostRow:
    return HostRow(
        name=host.name,
        state=host.state,
        hardware=tuple(map(str, host.hardware_slugs)),
        engines=tuple(map(str, host.engines)),
        first_seen_at=host.first_seen_at,
        last_seen_at=host.last_seen_at,
        probes=host.count,
        probed_at=host.probed_at,
    )


def _facts(reported: Mapping[str, Any]) -> HostFacts:
    """Field by field: one odd fact hides itself, not the others."""
    known = {name: reported[name] for name in HostFacts.model_fields if _fits(name, reported)}
    return HostFacts.model_validate(known)


def _fits(name: str, reported: Mapping[str, Any]) -> bool:
    try:
        HostFacts.model_validate({name: reported[name]})
    except (KeyError, ValidationError):
        return False
    return True


def _probe(document: Mapping[str, Any]) -> Probe | None:
    try:
        return Probe.model_validate(document)
    except ValidationError:
        return None


def _runs(host: Host) -> tuple[HostRun, ...]:
    found = Run.objects.filter(attempts__host=host).distinct().order_by("-created_at", "-id")
    rows = found.select_related("recipe__language_model", "scenario")[:RUNS]
    return tuple(
        HostRun(
            id=run.id,
            label=run.label,
            block=run.block,
            state=run.state,
            model=run.recipe.language_model.slug,
            scenario=str(run.scenario),
            created_at=run.created_at,
        )
        for run in rows
    )
