"""The comparability guards of pairs, in a row each: whether both sides were measured alike."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from results.analysis.gains.blocks import Block, Conditions, Observation
from results.analysis.gains.blocks import Side as Arm
from results.analysis.gains.guards import Guard, Outcome, guards_of_runs
from results.analysis.gains.plan import Plan, Purpose
from results.analysis.gains.point_guards import guards_of_points
from results.analysis.gains.vocabulary import Reason
from results.analysis.side_by_side import Side
from results.models import Recipe, Run
from results.queries.conditions import run_conditions
from results.queries.lean_points import LeanPoint
from results.queries.sides import Gathered

#: Metrics that the guards on points read.
GUARD_KEYS = (
    "error_rate", "output_tokens_mean", "client_cache_hit_rate", "overall_cache_hit_rate",
    "requests_successful",
)  # fmt: skip
#: Runs of a side that are looked at; a side of hundreds says the same in fewer.
_RUNS = 200
_WORST = (Outcome.FAILED, Outcome.UNKNOWN, Outcome.PASSED)
_ACCURACY = {Recipe.Accuracy.PASS.value: True, Recipe.Accuracy.FAIL.value: False}


@dataclass(frozen=True, slots=True)
class Check:
    """The first side against another one; ``loads`` are those at which the outcome was found."""

    outcome: Outcome
    stops: bool
    warns: bool
    baseline: str | None
    candidate: str | None
    loads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """One guard over all pairs: ``checks`` holds one for each side after the first."""

    reason: Reason
    checks: tuple[Check, ...]

    @property
    def stops(self) -> bool:
        return any(check.stops for check in self.checks)

    @property
    def warns(self) -> bool:
        return any(check.warns for check in self.checks)

    def document(self) -> dict[str, Any]:
        return {
            "condition": self.reason.value,
            "checks": [
                {
                    "outcome": check.outcome.value,
                    "stops": check.stops,
                    "warns": check.warns,
                    "baseline": check.baseline,
                    "candidate": check.candidate,
                    "loads": list(check.loads),
                }
                for check in self.checks
            ],
        }


def conditions(sides: Sequence[Gathered], planes: Sequence[Side], y: str) -> tuple[Condition, ...]:
    """Every guard whatever its outcome, what differs first. One query."""
    if len(sides) < 2:
        return ()
    known = _known(sides)
    observed = [_observations(side, known) for side in sides]
    pairs = [_pair(observed[0], other, _shared(planes[0], plane), y)
             for other, plane in zip(observed[1:], planes[1:], strict=True)]  # fmt: skip
    reasons = dict.fromkeys(reason for pair in pairs for reason in pair)
    rows = [Condition(reason, tuple(pair.get(reason, _unknown()) for pair in pairs)) for reason in reasons]
    return tuple(sorted(rows, key=lambda row: (not row.stops, not row.warns)))


def _known(sides: Sequence[Gathered]) -> dict[Any, Conditions]:
    """Conditions by run; at most a few hundred runs of a side are read."""
    wanted = {run for side in sides for run in list(_runs_of(side))[:_RUNS]}
    wanted |= {side.key for side in sides if side.kind == "run"}
    rows = Run.objects.select_related("recipe", "scenario").defer("failure_line").in_bulk(list(wanted))
    found: dict[tuple[int, int, str], Conditions] = {}
    result = {}
    for identifier, run in rows.items():
        place = (run.recipe_id, run.scenario_id, str((run.document or {}).get("client")))
        if place not in found:
            passed = _ACCURACY.get(run.recipe.accuracy)
            found[place] = replace(run_conditions(run), accuracy_passed=passed)
        result[identifier] = found[place]
    return result


def _runs_of(side: Gathered) -> dict[Any, list[LeanPoint]]:
    runs: dict[Any, list[LeanPoint]] = {}
    for point in side.points:
        runs.setdefault(point.run, []).append(point)
    return runs


def _observations(side: Gathered, known: Mapping[Any, Conditions]) -> list[Observation]:
    """Of a side of many configurations those that failed their accuracy gate are not shown, nor judged."""
    many = side.kind in ("hardware", "engine")
    return [
        Observation(
            side=Arm.BASELINE,
            launch=str(run),
            values={point.load: dict(point.values) for point in points},
            started_at=min((point.at for point in points if point.at is not None), default=None),
            conditions=known[run],
        )
        for run, points in _runs_of(side).items()
        if run in known and not (many and known[run].accuracy_passed is False)
    ]


def _shared(one: Side, other: Side) -> tuple[int, ...]:
    return tuple(sorted(one.cells.keys() & other.cells.keys()))


def _pair(
    baseline: Sequence[Observation], candidate: Sequence[Observation], loads: tuple[int, ...], y: str
) -> dict[Reason, Check]:
    arms = [*baseline, *(replace(one, side=Arm.CANDIDATE) for one in candidate)]
    blocks = [Block(1, tuple(arms))]
    plan = Plan(metrics=(y,), loads=loads or (1,), purpose=Purpose.COMPARISON)
    found = [*guards_of_runs(blocks, plan), *guards_of_points(blocks, plan, loads)]
    grouped: dict[Reason, list[Guard]] = {}
    for guard in found:
        grouped.setdefault(guard.reason, []).append(guard)
    return {reason: _worst(guards) for reason, guards in grouped.items()}


def _worst(guards: Iterable[Guard]) -> Check:
    """One check for the same guard at several loads: its worst outcome and where that was."""
    members = list(guards)
    outcome = next(one for one in _WORST if any(guard.outcome is one for guard in members))
    chosen = [guard for guard in members if guard.outcome is outcome]
    first = chosen[0]
    return Check(
        outcome=outcome,
        stops=any(guard.stops for guard in chosen),
        warns=any(guard.warns for guard in chosen),
        baseline=first.baseline,
        candidate=first.candidate,
        loads=tuple(guard.load for guard in chosen if guard.load is not None),
    )


def _unknown() -> Check:
    return Check(Outcome.UNKNOWN, False, False, None, None, ())
