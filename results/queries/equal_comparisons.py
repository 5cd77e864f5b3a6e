"""A/A history: what comparisons of a recipe with itself found."""

import math

from django.db.models import F

from results.analysis.gains.noise import EqualComparison
from results.documents.verdict import read_verdict
from results.models import Comparison


def equal_comparisons() -> list[EqualComparison]:
    """Every judged quantity of every planned and concluded comparison of equal recipes; one query.

    Runs that were put side by side afterwards say nothing about blocks.
    """
    same = Comparison.objects.filter(
        state=Comparison.State.CONCLUDED, declared_before_running=True, baseline=F("candidate")
    )
    rows = same.select_related("baseline__hardware", "baseline__language_model")
    return [one for comparison in rows for one in _quantities(comparison)]


def _quantities(comparison: Comparison) -> list[EqualComparison]:
    assert comparison.verdict is not None and comparison.concluded_at is not None  # noqa: S101
    verdict, recipe = read_verdict(comparison.verdict), comparison.baseline
    along = [verdict.frontier.verdict] if verdict.frontier is not None else []
    return [
        EqualComparison(
            comparison=str(comparison.id),
            host_class=recipe.hardware.slug,
            model=recipe.language_model.slug,
            metric=one.metric,
            basis=one.basis,
            load=one.load,
            n=one.n,
            at=comparison.concluded_at,
            log_gain=math.log1p(one.gain),
            p=one.p,
        )
        for one in (*verdict.primary, *verdict.exploratory, *along)
        if one.gain is not None and one.p is not None
    ]
