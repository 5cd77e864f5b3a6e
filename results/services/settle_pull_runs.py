"""Runs of a pull request that are over: each finds its baseline by rule, or says why there is none."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from results import clock
from results.analysis.gains.baselines import Baseline, NotCompared, choose_baseline
from results.documents.comparison import RunSets
from results.documents.refusal import DocumentError
from results.github.trouble import OUTAGE, Trouble
from results.models import FINAL, Evidence, PullRequestRun, State
from results.queries.run_origins import Measured, runs_of_commit
from results.services.compare_runs import compare_runs
from results.services.link_evidence import attach_comparison, withdraw_evidence

#: Judged where nobody declared metrics.
METRICS = ["output_throughput_per_gpu", "ttft_p50", "interactivity_p50"]
#: How long a run that is over waits for GitHub to say the merge base.
PATIENCE = timedelta(days=1)
#: Runs of a side that are compared, the newest.
_MOST = 64
#: GitHub may say tomorrow what it did not say today.
_PASSING = (*OUTAGE, Trouble.RATE_LIMITED, Trouble.UNAUTHORIZED)


def settle_pull_runs(*, now: datetime) -> list[str]:
    """Compare what can be compared and store why the rest cannot; identifiers of the runs settled."""
    rows = list(_due(now).values_list("id", flat=True))
    return [run for run in map(_settle, rows) if run is not None]


def _due(now: datetime) -> QuerySet[PullRequestRun]:
    """Over and undecided; without a merge base only if GitHub will not say it."""
    over = Q(outcome=PullRequestRun.Outcome.WAITING, run__state__in=FINAL)
    if settings.GITHUB_SYNC:
        said_no = Q(asked_at__isnull=False) & ~Q(trouble__in=["", *_PASSING])
        late = Q(run__ended_at__lt=now - PATIENCE)
        over &= ~Q(merge_base="") | ~Q(run__state=State.SUCCEEDED) | said_no | late
    return PullRequestRun.objects.filter(over).order_by("id")


@transaction.atomic
def _settle(identifier: int) -> str | None:
    """The run that was settled; None when another process was faster or is at it."""
    rows = PullRequestRun.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    waiting = rows.filter(id=identifier, outcome=PullRequestRun.Outcome.WAITING)
    row = waiting.select_related("run__submitted_by", "pull_request").first()
    if row is None:
        return None
    reason, evidence = _decision(row)
    row.outcome = PullRequestRun.Outcome.COMPARED if evidence else PullRequestRun.Outcome.ALONE
    row.reason, row.evidence, row.decided_at = reason, evidence, clock.now()
    row.save(update_fields=["outcome", "reason", "evidence", "decided_at"])
    return str(row.run_id)


def _decision(row: PullRequestRun) -> tuple[str, Evidence | None]:
    """Why it stands alone, or else the evidence."""
    stated = row.merge_base_source == PullRequestRun.Source.STATED
    if row.run.state != State.SUCCEEDED:
        return NotCompared.RUN_CANCELLED if row.run.state == State.CANCELLED else NotCompared.RUN_FAILED, None
    if not stated and row.commit == row.pull_request.github_merge_sha:
        return NotCompared.IS_THE_MERGE, None
    if row.merge_base == row.commit:
        return NotCompared.IN_BASE, None
    candidates = runs_of_commit(row.commit)
    mine = next(one.origin for one in candidates if one.run.id == row.run_id)
    if not mine.usable:
        return NotCompared.WITHDRAWN, None
    others = runs_of_commit(row.merge_base) if row.merge_base else []
    found = choose_baseline(mine, row.merge_base or None, [one.origin for one in others])
    if found.missing is not None:
        return found.missing, None
    alike = [one for one in candidates if one.origin.alike(mine) and one.origin.usable]
    return _judged(row, found, alike)


def _judged(row: PullRequestRun, found: Baseline, alike: Sequence[Measured]) -> tuple[str, Evidence | None]:
    """All runs of the commit against all of the merge base; the verdict is at most an indication."""
    sets = RunSets(
        title=f"{row.commit[:12]} against its merge base {row.merge_base[:12]}",
        baseline_runs=list(found.runs[-_MOST:]),
        candidate_runs=[one.origin.run for one in alike[-_MOST:]],
        metrics=METRICS,
    )
    earlier = _standing(row, sets)
    same = next((one for one in earlier if one.comparison.plan == sets.to_json()), None)
    return ("", same) if same is not None else _replaced(row, sets, earlier)


def _standing(row: PullRequestRun, sets: RunSets) -> list[Evidence]:
    """What was said before about some of these runs by this rule."""
    rows = Evidence.objects.filter(
        pull_request=row.pull_request,
        withdrawn_at=None,
        comparison__declared_before_running=False,
        comparison__title=sets.title,
    )
    wanted = set(sets.candidate_runs)
    found = rows.select_related("comparison", "pull_request")
    return [one for one in found if wanted & set(one.comparison.plan["candidate_runs"])]


def _replaced(row: PullRequestRun, sets: RunSets, earlier: Sequence[Evidence]) -> tuple[str, Evidence | None]:
    """One comparison stands; those of fewer runs stay readable as withdrawn, so that no look is hidden."""
    token = row.run.submitted_by
    try:
        with transaction.atomic():
            comparison = compare_runs(sets=sets, token=token)
    except DocumentError:
        return NotCompared.REFUSED, None
    evidence = attach_comparison(pull_request=row.pull_request, comparison=comparison, token=token)
    sides = f"{len(sets.baseline_runs)} and {len(sets.candidate_runs)}"
    for one in earlier:
        withdraw_evidence(evidence=one, reason=f"superseded by a comparison of {sides} runs", actor="rule")
    PullRequestRun.objects.filter(evidence__in=earlier).update(evidence=evidence)
    return "", evidence
