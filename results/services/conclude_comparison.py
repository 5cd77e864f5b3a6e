"""Concluding comparisons whose runs are over: a verdict from their blocks, or a second look."""

from django.db import transaction

from results import clock
from results.analysis.gains.compare import compare
from results.analysis.gains.noise import noise
from results.documents.verdict import write_verdict
from results.models import FINAL, Comparison, ComparisonRun
from results.queries.equal_comparisons import equal_comparisons
from results.services.comparison_blocks import comparison_blocks
from results.services.start_comparison import extend_comparison, read_plan


def conclude_ready() -> list[str]:
    """Conclude or extend every comparison whose runs are all over; identifiers of those concluded."""
    running = Comparison.objects.filter(state=Comparison.State.RUNNING)
    waiting = ComparisonRun.objects.exclude(run__state__in=FINAL).values("comparison")
    ready = running.exclude(id__in=waiting).order_by("created_at")
    return [str(found.id) for found in ready if conclude_comparison(comparison=found)]


@transaction.atomic
def conclude_comparison(*, comparison: Comparison) -> bool:
    """Store the verdict; False when the plan's extension was queued instead or another was faster."""
    locked = Comparison.objects.select_for_update(no_key=True).get(id=comparison.id)
    if locked.state != Comparison.State.RUNNING:
        return False
    plan, blocks, recipe = read_plan(locked.plan).analysis(), comparison_blocks(locked), locked.baseline
    known = noise(equal_comparisons(), recipe.hardware.slug, recipe.language_model.slug, len(blocks))
    verdict = compare(blocks, plan, known)
    if verdict.needs_extension and extend_comparison(comparison=locked):
        return False
    Comparison.objects.filter(id=locked.id).update(
        state=Comparison.State.CONCLUDED,
        verdict=write_verdict(verdict),
        algorithm_version=verdict.algorithm_version,
        concluded_at=clock.now(),
    )
    return True
