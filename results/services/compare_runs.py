"""Judging runs that exist already, without a plan."""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from results import clock
from results.analysis.gains.blocks import Side
from results.analysis.gains.plan import Plan
from results.analysis.gains.unpaired import compare_sets
from results.documents.comparison import RunSets
from results.documents.refusal import DocumentError, Problem
from results.documents.verdict import write_verdict
from results.models import ApiToken, Comparison, ComparisonRun, Run, State
from results.services.comparison_blocks import observations


@transaction.atomic
def compare_runs(*, sets: RunSets, token: ApiToken | None) -> Comparison:
    """Judge runs that exist, at once; nothing was declared, so the verdict is at most indicative.

    DocumentError for an unknown, unfinished or repeated run, and for a set of several recipes.
    """
    before = _runs(sets.baseline_runs, "/baseline_runs")
    after = _runs(sets.candidate_runs, "/candidate_runs")
    _check_sides(before, after)
    plan, now = _plan(sets, before, after), clock.now()
    sides = [(run, Side.BASELINE) for run in before] + [(run, Side.CANDIDATE) for run in after]
    verdict = compare_sets(observations(sides), plan)
    comparison = Comparison.objects.create(
        title=sets.title,
        baseline=before[0].recipe,
        candidate=after[0].recipe,
        scenario=before[0].scenario,
        plan=sets.to_json(),
        declared_before_running=False,
        state=Comparison.State.CONCLUDED,
        verdict=write_verdict(verdict),
        algorithm_version=verdict.algorithm_version,
        submitted_by=token,
        created_at=now,
        concluded_at=now,
    )
    ComparisonRun.objects.bulk_create(
        ComparisonRun(comparison=comparison, run=run, block=place, arm=arm, position=place)
        for arm, runs in (("A", before), ("B", after))
        for place, run in enumerate(runs, start=1)
    )
    return comparison


def _check_sides(before: Sequence[Run], after: Sequence[Run]) -> None:
    if {run.id for run in before} & {run.id for run in after}:
        raise _refused("/candidate_runs", "distinct", "a run stands in both sets")
    if len({run.scenario_id for run in (*before, *after)}) > 1:
        raise _refused("/candidate_runs", "one_scenario", "all runs must have the same scenario")


def _plan(sets: RunSets, before: Sequence[Run], after: Sequence[Run]) -> Plan:
    loads = set(before[0].loads).intersection(*(run.loads for run in (*before, *after)))
    if not loads:
        raise _refused("/candidate_runs", "common_load", "the runs have no load in common")
    old, new = before[0].recipe.document["arguments"], after[0].recipe.document["arguments"]
    changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    try:
        return Plan(
            metrics=tuple(sets.metrics),
            loads=tuple(sorted(loads)),
            blocks=max(3, min(len(before), len(after))),
            sesoi=sets.sesoi,
            declared_changes=frozenset(changed),
        )
    except ValueError as error:
        name, _colon, rule = str(error).partition(": ")
        raise _refused(f"/{name}", "invalid", rule) from None


def _runs(identifiers: Sequence[str], pointer: str) -> list[Run]:
    """The runs in the order given, all succeeded and of one recipe."""
    rows = Run.objects.select_related("recipe", "scenario")
    found: list[Run] = []
    for place, text in enumerate(identifiers):
        here = f"{pointer}/{place}"
        run = rows.filter(id=_uuid(text, here)).first()
        if run is None:
            raise _refused(here, "unknown_run", f"there is no run {text}")
        if run.state != State.SUCCEEDED:
            raise _refused(here, "unfinished", f"run {text} did not succeed")
        if run in found:
            raise _refused(here, "distinct", f"run {text} stands twice in the set")
        if found and run.recipe_id != found[0].recipe_id:
            raise _refused(here, "one_recipe", "every run of a set has one recipe")
        found.append(run)
    return found


def _uuid(text: str, pointer: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise _refused(pointer, "uuid", "a run is named by its identifier") from None


def _refused(pointer: str, rule: str, message: str) -> DocumentError:
    return DocumentError([Problem(pointer=pointer, rule=rule, message=message)])
