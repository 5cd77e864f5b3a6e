"""Blocks of a comparison as the statistics see them, from its runs and their points."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from results.analysis.gains.blocks import Block, Conditions, Observation, Side
from results.documents.recipe import Recipe as RecipeDocument
from results.models import Comparison, ComparisonRun, Point, State
from results.queries.points import point_values

_SIDES = {"A": Side.BASELINE, "B": Side.CANDIDATE}
#: A point that is invalid or failed is no measurement; a diagnostic one is, and its page says so.
_MEASURED = (Point.Validity.VALID, Point.Validity.DIAGNOSTIC)
_PARALLELISM = ("tp", "pp", "ep", "dcp", "pcp", "dp_attention", "workers")


def comparison_blocks(comparison: Comparison) -> list[Block]:
    """Blocks of the runs that succeeded; a run that failed leaves its block incomplete. Two queries."""
    members = list(comparison.members.select_related("run__recipe", "run__scenario").order_by("position"))
    points = _points(member.run_id for member in members)
    found: dict[int, list[Observation]] = {member.block: [] for member in members}
    for member in members:
        if member.run.state == State.SUCCEEDED:
            found[member.block].append(_observation(member, points.get(member.run_id, [])))
    return [Block(number, tuple(observations)) for number, observations in found.items()]


def _points(runs: Iterable[Any]) -> dict[Any, list[Point]]:
    result: dict[Any, list[Point]] = {}
    chosen = Point.objects.filter(run__in=list(runs), attempt__state=State.SUCCEEDED, validity__in=_MEASURED)
    for point in chosen.select_related("attempt__host").order_by("load"):
        result.setdefault(point.run_id, []).append(point)
    return result


def _observation(member: ComparisonRun, points: list[Point]) -> Observation:
    hosts = [point.attempt.host for point in points if point.attempt is not None]
    host = next((host for host in hosts if host is not None), None)
    return Observation(
        side=_SIDES[member.arm],
        launch=str(member.run_id),
        values={point.load: point_values(point) for point in points},
        started_at=_earliest(point.started_at for point in points) or member.run.started_at,
        host=host.name if host is not None else None,
        conditions=_conditions(member),
    )


def _earliest(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _conditions(member: ComparisonRun) -> Conditions:
    run, recipe = member.run, RecipeDocument.model_validate(member.run.recipe.document)
    client, build = (run.document or {}).get("client", {}), recipe.engine
    roles = {name: _split(role.model_dump()) for name, role in sorted(recipe.roles.items())}
    return Conditions(
        engine=f"{build.name} {build.version or build.image or build.commit}",
        model=f"{recipe.model.name} {recipe.model.revision}",
        precision=f"{recipe.precision}, KV {recipe.kv_dtype}",
        dataset=f"{run.scenario} {run.scenario.version}",
        # Traces state every input and output length, and the client forces the output lengths.
        lengths=f"traces, context up to {run.scenario.context_cap}",
        request_seed=str(client.get("seed")),
        hardware=" + ".join(sorted(role.hardware for role in recipe.roles.values())),
        gpus=recipe.total_gpus,
        parallelism=str(roles),
        arguments=recipe.arguments,
        client=f"{client.get('name')} {client.get('version')}",
        fixed_output=True,
    )


def _split(role: Mapping[str, Any]) -> dict[str, Any]:
    return {name: role[name] for name in _PARALLELISM}
