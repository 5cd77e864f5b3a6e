"""From rows to verdicts: estimates, floors, families, caps, and the numbers a reader sees."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from results.analysis.gains.attainable import rank_sum_floor, signed_rank_floor
from results.analysis.gains.families import benjamini_hochberg, holm
from results.analysis.gains.inference import Estimate, paired, welch
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


def conclude(rows: Sequence[Row], setting: Setting) -> list[MetricVerdict]:
    """One verdict per row, in order. Rows that are stopped or too small take part in no family."""
    stops = [_stop(row, setting) for row in rows]
    estimates = estimate([row for row, stop in zip(rows, stops, strict=True) if stop is None], setting)
    adjusted = _adjusted(estimates, setting.plan)
    verdicts = []
    for row, stop in zip(rows, stops, strict=True):
        if stop is not None:
            verdicts.append(_stopped(row, setting, stop))
        else:
            found = estimates[id(row)][1]
            verdicts.append(_judged(row, setting, found, adjusted.get(id(row), math.nan)))
    return verdicts


def family(row: Row, plan: Plan) -> Family:
    """Declared metrics at declared loads, and a declared frontier, are primary."""
    declared = row.basis is Basis.FRONTIER and plan.frontier is not None
    if row.basis is Basis.FIXED_LOAD:
        declared = row.metric.key in plan.metrics and row.load in plan.loads
    return Family.PRIMARY if declared else Family.EXPLORATORY


def estimate(rows: Iterable[Row], setting: Setting) -> dict[int, tuple[Row, Estimate]]:
    """Estimates by identity of the row; rows of one shape are computed together."""
    shapes: dict[tuple[int, ...], list[Row]] = {}
    for row in rows:
        shapes.setdefault(tuple(len(sample) for sample in row.samples), []).append(row)
    found = {}
    for same in shapes.values():
        matrices = [np.array(samples) for samples in zip(*(row.samples for row in same), strict=True)]
        if len(matrices) == 1:
            floor = np.array([row.resolution for row in same])
            estimates = paired(matrices[0], setting.plan.alpha, floor)
        else:
            estimates = welch(matrices[0], matrices[1], setting.plan.alpha)
        found.update({id(row): (row, one) for row, one in zip(same, estimates.rows(), strict=True)})
    return found


def _stop(row: Row, setting: Setting) -> Decision | None:
    stop = setting.stops(row)
    if stop is not None:
        return stop
    if row.problems:
        return Verdict.NOT_COMPUTABLE, row.problems
    return None if row.n >= MINIMUM_LAUNCHES else (Verdict.INSUFFICIENT, (Reason.TOO_FEW_LAUNCHES,))


def _adjusted(estimates: dict[int, tuple[Row, Estimate]], plan: Plan) -> dict[int, float]:
    """Adjusted p by identity of the row; rows without variation have no p and count in no family."""
    adjusted: dict[int, float] = {}
    for kind, adjust in ((Family.PRIMARY, holm), (Family.EXPLORATORY, benjamini_hochberg)):
        p = {
            key: found.p
            for key, (row, found) in estimates.items()
            if family(row, plan) is kind and not math.isnan(found.p)
        }
        adjusted.update(zip(p, adjust(list(p.values())), strict=True))
    return adjusted


def _stopped(row: Row, setting: Setting, stop: Decision) -> MetricVerdict:
    """Without a verdict; where merely launches are too few, the size of what was seen is still shown."""
    verdict, reasons = stop
    numbers: dict[str, Any] = {}
    if verdict is Verdict.INSUFFICIENT and row.n > 0:
        means = [float(np.mean(np.sort(sample))) for sample in row.samples]
        gain = math.expm1(means[-1] - (means[0] if len(means) > 1 else 0.0))
        numbers = {"gain": gain, "block_gains": _block_gains(row)}
    return _metric_verdict(row, setting, (verdict, reasons), numbers)


def _judged(row: Row, setting: Setting, found: Estimate, adjusted_p: float) -> MetricVerdict:
    plan, kind = setting.plan, family(row, setting.plan)
    smallest = math.log1p(plan.smallest_effect(row.metric.key))
    margin = max(smallest, _aa_floor(row, setting) or 0.0)
    verdict, reasons = judge(found, adjusted_p, Rule(smallest, margin, plan.alpha, kind, setting.caps))
    numbers: dict[str, Any] = {"gain": math.expm1(found.mean), "block_gains": _block_gains(row)}
    if found.deviation > 0:
        numbers |= {
            "ci_low": math.expm1(found.low),
            "ci_high": math.expm1(found.high),
            "p": found.p,
            "adjusted_p": adjusted_p,
            "mde": math.expm1(found.deviation * _effect(row, plan.alpha)),
            "needed_blocks": needed_blocks(_block_deviation(row, found), margin, plan.alpha),
            "robust_gain": None if math.isnan(found.robust) else math.expm1(found.robust),
        }
        if kind is Family.PRIMARY:
            numbers["rank_p"], numbers["rank_p_floor"] = _ranks(row)
    return _metric_verdict(row, setting, (verdict, (*reasons, *row.notes)), numbers)


def _metric_verdict(row: Row, setting: Setting, decision: Decision, numbers: dict[str, Any]) -> MetricVerdict:
    verdict, reasons = decision
    smallest = setting.plan.smallest_effect(row.metric.key)
    floor = _aa_floor(row, setting)
    aa_floor = None if floor is None else math.expm1(floor)
    kind = family(row, setting.plan)
    notes = [*reasons, *setting.notes]
    if floor is None:
        notes.append(Reason.FLOOR_UNKNOWN)
    if kind is Family.EXPLORATORY:
        notes.append(Reason.EXPLORATORY)
    return MetricVerdict(
        metric=row.metric.key,
        unit=row.metric.unit,
        direction=row.metric.direction,
        basis=row.basis,
        load=row.load,
        loads=row.loads,
        family=kind,
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
    return tuple(np.expm1(row.samples[0]).tolist()) if len(row.samples) == 1 else ()


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
