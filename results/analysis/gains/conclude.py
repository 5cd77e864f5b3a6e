"""From rows to verdicts: estimates, floors, families, caps, and the numbers a reader sees."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from results.analysis.gains.attainable import rank_sum_floor, signed_rank_floor
from results.analysis.gains.families import benjamini_hochberg, holm
from results.analysis.gains.inference import Estimate, fraction, paired, welch
from results.analysis.gains.judge import Decision, Rule, judge
from results.analysis.gains.noise import Noise
from results.analysis.gains.plan import MINIMUM_LAUNCHES, Plan
from results.analysis.gains.power import needed_blocks, paired_effect, unpaired_effect
from results.analysis.gains.ranks import MINIMUM_PAIRS, rank_shift, signed_rank_p
from results.analysis.gains.rows import Row
from results.analysis.gains.verdicts import MetricVerdict
from results.analysis.gains.vocabulary import Basis, Family, Method, Reason, Verdict


@dataclass(frozen=True, slots=True)
class Setting:
    """What holds for all rows. ``stops`` says why a row may have no verdict, before any number is seen."""

    plan: Plan
    noise: Noise
    method: Method
    stops: Callable[[Row], Decision | None]
    caps: tuple[Reason, ...] = ()
    notes: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A row on trial. ``stop`` is its verdict where the numbers do not matter."""

    row: Row
    family: Family
    stop: Decision | None


def conclude(rows: Sequence[Row], setting: Setting) -> list[MetricVerdict]:
    """One verdict per row, in order. Rows that are stopped or too small take part in no family."""
    cases = [Case(row, family(row, setting.plan), _stop(row, setting)) for row in rows]
    tested = [case for case in cases if case.stop is None]
    estimates = dict(zip(map(id, tested), estimate([case.row for case in tested], setting.plan), strict=True))
    adjusted = _adjusted(tested, estimates)
    return [
        _judged(case, setting, estimates[id(case)], adjusted.get(id(case), math.nan))
        if case.stop is None
        else _stopped(case, setting, case.stop)
        for case in cases
    ]


def family(row: Row, plan: Plan) -> Family:
    """Declared metrics at declared loads, and a declared frontier, are primary."""
    declared = row.basis is Basis.FRONTIER and plan.frontier is not None
    if row.basis is Basis.FIXED_LOAD:
        declared = row.metric.key in plan.metrics and row.load in plan.loads
    return Family.PRIMARY if declared else Family.EXPLORATORY


def estimate(rows: Sequence[Row], plan: Plan) -> list[Estimate]:
    """Estimates in the order of the rows; rows of one shape are computed together."""
    shapes: dict[tuple[int, ...], list[int]] = {}
    for index, row in enumerate(rows):
        shapes.setdefault(tuple(len(sample) for sample in row.samples), []).append(index)
    found: dict[int, Estimate] = {}
    for places in shapes.values():
        same = [rows[index] for index in places]
        matrices = [np.array(samples) for samples in zip(*(row.samples for row in same), strict=True)]
        if len(matrices) == 1:
            estimates = paired(matrices[0], plan.alpha, np.array([row.resolution for row in same]))
        else:
            estimates = welch(matrices[0], matrices[1], plan.alpha)
        found.update(zip(places, estimates.rows(), strict=True))
    return [found[index] for index in range(len(rows))]


def _stop(row: Row, setting: Setting) -> Decision | None:
    stop = setting.stops(row)
    if stop is not None:
        return stop
    if row.problems:
        return Verdict.NOT_COMPUTABLE, row.problems
    return None if row.n >= MINIMUM_LAUNCHES else (Verdict.INSUFFICIENT, (Reason.TOO_FEW_LAUNCHES,))


def _adjusted(cases: Sequence[Case], estimates: Mapping[int, Estimate]) -> dict[int, float]:
    """Adjusted p by identity of the case; cases without variation have no p and count in no family."""
    adjusted: dict[int, float] = {}
    for kind, adjust in ((Family.PRIMARY, holm), (Family.EXPLORATORY, benjamini_hochberg)):
        p = {id(case): estimates[id(case)].p for case in cases if case.family is kind}
        known = {key: value for key, value in p.items() if not math.isnan(value)}
        adjusted.update(zip(known, adjust(list(known.values())), strict=True))
    return adjusted


def _stopped(case: Case, setting: Setting, stop: Decision) -> MetricVerdict:
    """Without a verdict; where merely launches are too few, the size of what was seen is still shown."""
    row = case.row
    numbers: dict[str, Any] = {}
    if stop[0] is Verdict.INSUFFICIENT and row.n > 0:
        means = [float(np.mean(np.sort(sample))) for sample in row.samples]
        gain = fraction(means[-1] - (means[0] if len(means) > 1 else 0.0))
        numbers = {"gain": gain, "block_gains": _block_gains(row)}
    return _metric_verdict(case, setting, stop, numbers)


def _judged(case: Case, setting: Setting, found: Estimate, adjusted_p: float) -> MetricVerdict:
    row, plan = case.row, setting.plan
    smallest = math.log1p(plan.smallest_effect(row.metric.key))
    margin = max(smallest, _aa_floor(row, setting) or 0.0)
    verdict, reasons = judge(found, adjusted_p, Rule(smallest, margin, plan.alpha, case.family, setting.caps))
    numbers: dict[str, Any] = {"gain": fraction(found.mean), "block_gains": _block_gains(row)}
    if found.deviation > 0:
        numbers |= {
            "ci_low": fraction(found.low),
            "ci_high": fraction(found.high),
            "p": found.p,
            "adjusted_p": adjusted_p,
            "mde": fraction(found.deviation * _effect(row, plan.alpha)),
            "needed_blocks": needed_blocks(_block_deviation(row, found), margin, plan.alpha),
            "robust_gain": None if math.isnan(found.robust) else fraction(found.robust),
        }
        if case.family is Family.PRIMARY:
            numbers["rank_p"], numbers["rank_p_floor"] = _ranks(row)
    return _metric_verdict(case, setting, (verdict, (*reasons, *row.notes)), numbers)


def _metric_verdict(
    case: Case, setting: Setting, decision: Decision, numbers: dict[str, Any]
) -> MetricVerdict:
    row, (verdict, reasons) = case.row, decision
    smallest = setting.plan.smallest_effect(row.metric.key)
    floor = _aa_floor(row, setting)
    aa_floor = None if floor is None else fraction(floor)
    notes = [*reasons, *setting.notes]
    if floor is None:
        notes.append(Reason.FLOOR_UNKNOWN)
    if case.family is Family.EXPLORATORY:
        notes.append(Reason.EXPLORATORY)
    return MetricVerdict(
        metric=row.metric.key,
        unit=row.metric.unit,
        direction=row.metric.direction,
        basis=row.basis,
        load=row.load,
        loads=row.loads,
        family=case.family,
        method=setting.method,
        n=row.n,
        verdict=verdict,
        reasons=tuple(dict.fromkeys(notes)),
        sesoi=smallest,
        aa_floor=aa_floor,
        floor=max(smallest, aa_floor or 0.0),
        confidence=1 - setting.plan.alpha,
        **numbers,
    )


def _aa_floor(row: Row, setting: Setting) -> float | None:
    return setting.noise.floors.get((row.metric.key, row.basis, row.load))


def _block_gains(row: Row) -> tuple[float, ...]:
    return tuple(map(fraction, row.samples[0].tolist())) if len(row.samples) == 1 else ()


def _effect(row: Row, alpha: float) -> float:
    if len(row.samples) == 1:
        return paired_effect(row.n, alpha)
    return unpaired_effect(len(row.samples[0]), len(row.samples[1]), alpha)


def _block_deviation(row: Row, found: Estimate) -> float:
    """Two independent runs differ by sqrt(2) times the deviation of one."""
    return found.deviation if len(row.samples) == 1 else math.sqrt(2) * found.deviation


def _ranks(row: Row) -> tuple[float | None, float | None]:
    """Two-sided p of the rank test and the smallest it could be; the p from six launches per side only."""
    if len(row.samples) == 1:
        floor = signed_rank_floor(row.n)
        return (signed_rank_p(row.samples[0]) if row.n >= MINIMUM_PAIRS else None), floor
    before, after = row.samples
    floor = rank_sum_floor(len(before), len(after))
    return (rank_shift(before, after).p if row.n >= MINIMUM_PAIRS else None), floor
