"""Loads measurements that ship with the product: bundles, the facts of their host, comparisons."""

import gzip
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import yaml
from django.db import transaction

from results import clock
from results.documents.comparison import ComparisonPlan
from results.documents.measured import MeasuredComparison, MeasuredSet
from results.ingest.bundle import ingest_bundle
from results.ingest.tarball import unpack_bundle
from results.models import Attempt, Comparison, ComparisonRun, Evidence, Host, Optimization, PullRequest, Run
from results.services.conclude_comparison import conclude_comparison
from results.services.host_probes import read_probe, record_probe
from results.services.upload_bundle import work_folder

SHIPPED = Path(__file__).resolve().parents[1] / "catalog" / "measured"
_NAMESPACE = uuid.UUID("6f2c7e0a-3a7b-5a43-9f0e-0f1d8f6f5a51")


def load_measured(*, folder: Path = SHIPPED) -> int:
    """How many comparisons were new; a set that is loaded already costs a query per comparison."""
    return sum(_load(place) for place in sorted(folder.iterdir()) if (place / "measured.yaml").exists())


def _load(place: Path) -> int:
    wanted = MeasuredSet.model_validate(yaml.safe_load((place / "measured.yaml").read_text(encoding="utf-8")))
    named = {uuid.uuid5(_NAMESPACE, f"{place.name}/{one.title.en}"): one for one in wanted.comparisons}
    new = set(named) - set(Comparison.objects.filter(id__in=named).values_list("id", flat=True))
    if not new:
        return 0
    runs = list(_ingest(place, _host(place, wanted.host)))
    for identifier, one in named.items():
        if identifier in new:
            _compare(identifier, one, runs, wanted.host)
    return len(new)


def _host(place: Path, name: str) -> Host:
    """Retired: it was lent, and nothing can be queued for it."""
    document: dict[str, Any] = json.loads((place / "probe.json").read_text(encoding="utf-8"))
    probe = read_probe(document)
    columns = {
        "state": Host.State.RETIRED,
        "hardware_slugs": document["host"]["hardware"],
        "engines": ["vllm"],
        "facts": probe.host.model_dump(mode="json"),
        "first_seen_at": probe.at,
        "last_seen_at": probe.at,
    }
    host = Host.objects.get_or_create(name=name, defaults=columns)[0]
    record_probe(host=host, probe=probe)
    return host


def _ingest(place: Path, host: Host) -> Iterator[Run]:
    for path in sorted((place / "bundles").glob("*.tar.gz")):
        with work_folder("measured-") as folder, gzip.open(path) as archive:
            ingested = ingest_bundle(unpack_bundle(cast("IO[bytes]", archive), folder))
        Attempt.objects.filter(id=ingested.attempt, host=None).update(host=host)
        ended = Attempt.objects.values_list("ended_at", flat=True).get(id=ingested.attempt)
        Host.objects.filter(id=host.id, last_seen_at__lt=ended).update(last_seen_at=ended)
        yield Run.objects.select_related("recipe", "scenario").get(id=ingested.run)


@transaction.atomic
def _compare(identifier: uuid.UUID, wanted: MeasuredComparison, runs: list[Run], host: str) -> None:
    before = {run.block: run for run in runs if run.label == wanted.baseline}
    after = {run.block: run for run in runs if run.label == wanted.candidate}
    first, other = next(iter(before.values())), next(iter(after.values()))
    comparison = Comparison.objects.create(
        id=identifier,
        title=wanted.title.en,
        baseline=first.recipe,
        candidate=other.recipe,
        scenario=first.scenario,
        plan=_plan(wanted, first, other, host).to_json(),
        declared_before_running=True,
        state=Comparison.State.RUNNING,
        created_at=first.created_at,
    )
    members = [
        (block, arm, run) for arm, side in (("A", before), ("B", after)) for block, run in side.items()
    ]
    ComparisonRun.objects.bulk_create(
        ComparisonRun(comparison=comparison, run=run, block=block or 0, arm=arm, position=place)
        for place, (block, arm, run) in enumerate(sorted(members, key=lambda one: one[2].created_at), start=1)
    )
    conclude_comparison(comparison=comparison)
    if (subject := _subject(wanted)) is not None:
        note = wanted.note.en if wanted.note is not None else ""
        Evidence.objects.create(comparison=comparison, note=note, created_at=clock.now(), **subject)


def _subject(wanted: MeasuredComparison) -> dict[str, Any] | None:
    """What the comparison is evidence for, if anything."""
    if wanted.optimization is not None:
        topics = Optimization.objects.filter(project__slug=wanted.project)
        return {"optimization": topics.get(slug=wanted.optimization)}
    if wanted.pull_request is not None:
        repository, _mark, number = wanted.pull_request.partition("#")
        return {"pull_request": PullRequest.objects.get(repository=repository, number=int(number))}
    return None


def _plan(wanted: MeasuredComparison, first: Run, other: Run, host: str) -> ComparisonPlan:
    assert first.document is not None  # noqa: S101 (a bundle brings one)
    return ComparisonPlan.model_validate({
        "title": wanted.title.en,
        "baseline": first.recipe.document,
        "candidate": other.recipe.document,
        "scenario": first.document["scenario"],
        "loads": wanted.loads,
        "metrics": wanted.metrics,
        "blocks": 3,
        "client": first.document["client"],
        "host": host,
    })  # fmt: skip
