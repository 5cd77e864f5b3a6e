"""The rule that turns an interval into a verdict."""

import math
from dataclasses import dataclass

from results.analysis.gains.inference import Estimate
from results.analysis.gains.vocabulary import Family, Reason, Verdict


@dataclass(frozen=True, slots=True)
class Rule:
    """``smallest``: ln(1 + smallest effect of interest). ``margin``: the larger of it and the noise floor.

    ``caps``: what allows no more than an indication.
    """

    smallest: float
    margin: float
    alpha: float
    family: Family
    caps: tuple[Reason, ...] = ()


Decision = tuple[Verdict, tuple[Reason, ...]]


def judge(evidence: Estimate, adjusted_p: float, rule: Rule) -> Decision:
    """Gain or regression: the interval excludes 0, the mean exceeds the margin, the adjusted p holds.

    Equivalent: the 1 - 2 alpha interval lies within the margin (two one-sided tests). A loud host widens
    the margin; an effect of interest that it merely cannot prove is not called equal for that.
    """
    if evidence.deviation == 0:
        return Verdict.DEGENERATE, (Reason.NO_VARIATION,)
    excludes = evidence.low > 0 or evidence.high < 0
    exceeds = abs(evidence.mean) > rule.margin
    if excludes and exceeds and adjusted_p < rule.alpha:
        return _directed(evidence, rule)
    within = -rule.margin < evidence.inner_low and evidence.inner_high < rule.margin
    interesting = excludes and abs(evidence.mean) > rule.smallest
    if within and not interesting and not rule.caps:
        return Verdict.EQUIVALENT, ()
    reasons = list(rule.caps)
    if excludes:
        reasons.append(Reason.FAMILY if exceeds else Reason.BELOW_FLOOR)
    return Verdict.INCONCLUSIVE, tuple(reasons)


def _directed(evidence: Estimate, rule: Rule) -> Decision:
    if _ranks_disagree(evidence, rule):
        return Verdict.UNSTABLE, (Reason.RANKS_DISAGREE,)
    better = evidence.mean > 0
    if rule.caps:
        return (Verdict.INDICATIVE_GAIN if better else Verdict.INDICATIVE_REGRESSION), rule.caps
    if not better:
        return Verdict.REGRESSION, ()
    strong = evidence.low > rule.margin and rule.family is Family.PRIMARY
    return (Verdict.STRONG_GAIN if strong else Verdict.GAIN), ()


def _ranks_disagree(evidence: Estimate, rule: Rule) -> bool:
    """A mean that an outlier made: the Hodges-Lehmann estimate has another sign or is of no interest."""
    if math.isnan(evidence.robust):
        return False
    return evidence.robust * evidence.mean <= 0 or abs(evidence.robust) <= rule.smallest
