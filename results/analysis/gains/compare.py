"""Judge blocks against their plan."""

from collections.abc import Callable, Mapping, Sequence

from results.analysis.gains.blocks import Block, Side, Values, independent, is_interleaved
from results.analysis.gains.conclude import Setting, conclude
from results.analysis.gains.frontiers import (
    FrontierSample,
    area_shift,
    frontier_row,
    frontier_sample,
    marks,
    usual_axes,
)
from results.analysis.gains.guards import Guard, guards_of_runs
from results.analysis.gains.judge import Decision
from results.analysis.gains.noise import Noise
from results.analysis.gains.plan import FrontierAxes, Plan, Purpose
from results.analysis.gains.point_guards import guards_of_points
from results.analysis.gains.rows import Row, across_loads, measured_loads, metric_rows, side_values
from results.analysis.gains.verdicts import (
    ComparisonVerdict,
    Coverage,
    FrontierVerdict,
    MetricVerdict,
    headline,
)
from results.analysis.gains.vocabulary import Family, Method, Reason, Verdict

#: What a second look may settle.
_OPEN = frozenset({Verdict.INCONCLUSIVE, Verdict.UNSTABLE})
#: Warnings after which a comparison shows something, but proves nothing about a pull request.
_DISQUALIFYING = frozenset({Reason.THROTTLED, Reason.CLOCK_DIFFERS})


def compare(blocks: Sequence[Block], plan: Plan, noise: Noise | None = None) -> ComparisonVerdict:
    """Verdicts on every metric that both sides measured, the plan's metrics first.

    Order of blocks, scale of units and names of runs do not matter; swapping the sides mirrors every gain.
    Takes pure values and never fails on them: what cannot be judged says why. A gain along the frontier that
    the plan does not declare is exploratory.
    """
    noise = noise or Noise()
    unique = independent(blocks)
    whole = [block for block in unique.blocks if block.of(Side.BASELINE) and block.of(Side.CANDIDATE)]
    sides = side_values(whole, Side.BASELINE), side_values(whole, Side.CANDIDATE)
    guards = (*guards_of_runs(whole, plan), *guards_of_points(whole, plan, _loads(sides)))
    deviations = _deviations(blocks, whole, plan, repeated=unique.repeated)
    setting = Setting(
        plan,
        noise,
        Method.PAIRED_T,
        stops(blocks, guards),
        caps=(*_caps(deviations), *untrusted(noise)),
        notes=notes_of(deviations, plan),
    )
    rows = metric_rows(*sides, [(key, load) for key in plan.metrics for load in plan.loads])
    rows += across_loads(rows, len(whole))
    axes = plan.frontier or usual_axes(*sides)
    sample = frontier_sample(*sides, axes) if axes else ()
    if axes:
        rows.append(frontier_row(sample, axes))
    verdicts = conclude(rows, setting)
    curve = _frontier(verdicts.pop(), sample, axes, plan.alpha) if axes else None
    return assembled(verdicts, curve, guards, coverage(blocks), (len(whole), deviations, plan))


def assembled(
    verdicts: Sequence[MetricVerdict],
    curve: FrontierVerdict | None,
    guards: tuple[Guard, ...],
    covered: Coverage,
    design: tuple[int, tuple[Reason, ...], Plan],
) -> ComparisonVerdict:
    """Sort verdicts into families and add what concerns them all. ``design``: blocks, deviations, plan."""
    blocks, deviations, plan = design
    primary = [one for one in verdicts if one.family is Family.PRIMARY]
    order = {key: place for place, key in enumerate(plan.metrics)}
    primary.sort(key=lambda one: (order[one.metric], one.load or 0))
    exploratory = tuple(one for one in verdicts if one.family is Family.EXPLORATORY)
    along = [curve.verdict] if curve else []
    declared = [*primary, *(one for one in along if one.family is Family.PRIMARY)]
    others = [*exploratory, *(one for one in along if one.family is Family.EXPLORATORY)]
    return ComparisonVerdict(
        blocks=blocks,
        primary=tuple(primary),
        exploratory=exploratory,
        frontier=curve,
        guards=guards,
        coverage=covered,
        deviations=deviations,
        headline=headline(declared, others),
        needs_extension=plan.extend_once
        and blocks == plan.blocks
        and any(one.verdict in _OPEN for one in declared),
        is_evidence=_is_evidence(guards, declared, plan),
    )


def stops(blocks: Sequence[Block], guards: Sequence[Guard]) -> Callable[[Row], Decision | None]:
    """Why a row may have no verdict whatever its numbers are."""
    everyone = [one for block in blocks for one in block.observations]
    general: Decision | None = None
    if any(one.withdrawn for one in everyone):
        general = Verdict.WITHDRAWN, (Reason.RUN_WITHDRAWN,)
    elif not any(one.side is Side.BASELINE for one in everyone):
        general = Verdict.NO_BASELINE, (Reason.BASELINE_MISSING,)
    elif not any(one.side is Side.CANDIDATE for one in everyone):
        general = Verdict.INSUFFICIENT, (Reason.CANDIDATE_MISSING,)
    failed = [(guard.reason, guard.load) for guard in guards if guard.stops]

    def stop(row: Row) -> Decision | None:
        reasons = [reason for reason, load in failed if load is None or load in row.loads]
        if general is None and reasons:
            return Verdict.NOT_COMPARABLE, tuple(dict.fromkeys(reasons))
        return general

    return stop


def coverage(blocks: Sequence[Block]) -> Coverage:
    before, after = (measured_loads(side_values(blocks, side)) for side in Side)
    return Coverage(*(tuple(sorted(loads)) for loads in (before & after, before - after, after - before)))


def untrusted(noise: Noise) -> tuple[Reason, ...]:
    """A host that sees differences between equal recipes can only hint at others."""
    found = noise.false_positives
    return () if found is None or found.is_trusted else (Reason.FALSE_POSITIVES,)


def notes_of(deviations: Sequence[Reason], plan: Plan) -> tuple[Reason, ...]:
    kept = [reason for reason in deviations if reason is Reason.REPEATED_LAUNCH]
    return (*kept, *([Reason.NOT_A_PR_GAIN] if plan.purpose is Purpose.COMPARISON else []))


def _loads(sides: Sequence[Sequence[Values]]) -> list[int]:
    return sorted(measured_loads(values for side in sides for values in side))


def _deviations(
    blocks: Sequence[Block], whole: Sequence[Block], plan: Plan, *, repeated: bool
) -> tuple[Reason, ...]:
    """How the data differ from the plan. Looking before the planned number of blocks is peeking."""
    looks = (plan.blocks, 2 * plan.blocks) if plan.extend_once else (plan.blocks,)
    checks: Mapping[Reason, bool] = {
        Reason.REPEATED_LAUNCH: repeated,
        Reason.BLOCKS_INCOMPLETE: any(not (block.of(Side.BASELINE) and block.of(Side.CANDIDATE))
                                      for block in blocks),
        Reason.NOT_INTERLEAVED: not is_interleaved(whole),
        Reason.PLAN_UNFINISHED: len(whole) < looks[-1] and len(whole) not in looks,
        Reason.LOADS_UNFINISHED: any(set(plan.loads) - measured_loads([values])
                                     for side in Side for values in side_values(whole, side)),
        Reason.MORE_BLOCKS_THAN_PLANNED: len(whole) > looks[-1],
    }  # fmt: skip
    return tuple(reason for reason, holds in checks.items() if holds)


def _caps(deviations: Sequence[Reason]) -> tuple[Reason, ...]:
    capping = {Reason.NOT_INTERLEAVED, Reason.PLAN_UNFINISHED, Reason.MORE_BLOCKS_THAN_PLANNED}
    return tuple(reason for reason in deviations if reason in capping)


def _frontier(
    verdict: MetricVerdict, sample: FrontierSample | tuple[Reason, ...], axes: FrontierAxes, alpha: float
) -> FrontierVerdict:
    if isinstance(sample, tuple) or verdict.gain is None:
        return FrontierVerdict(axes.x, axes.y, None, None, verdict)
    area, places = area_shift(sample, alpha), marks(sample, alpha)
    return FrontierVerdict(axes.x, axes.y, sample.low, sample.high, verdict, area, places)


def _is_evidence(guards: Sequence[Guard], declared: Sequence[MetricVerdict], plan: Plan) -> bool:
    if plan.purpose is not Purpose.PULL_REQUEST:
        return False
    if any(guard.warns and guard.reason in _DISQUALIFYING for guard in guards):
        return False
    return any(one.p is not None for one in declared)
