"""Which earlier runs a run of a pull request is compared with, or why with none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from results.metrics import gettext_noop


@dataclass(frozen=True, slots=True)
class Origin:
    """What decides whether two runs belong together.

    ``recipe``: fingerprint of the recipe without its engine commit, for it is the commit that differs.
    ``measurement``: fingerprint of scenario, loads and client. ``usable``: finished, and not withdrawn.
    """

    run: str
    commit: str | None
    recipe: str
    measurement: str
    host: str
    usable: bool = True

    def alike(self, other: "Origin") -> bool:
        """The same thing measured in the same way on the same host."""
        mine = (self.commit, self.recipe, self.measurement, self.host)
        return mine == (other.commit, other.recipe, other.measurement, other.host)


class NoBaseline(StrEnum):
    """Why there is none: the first condition that no run meets together with those before it."""

    MERGE_BASE_UNKNOWN = "merge_base_unknown"
    NEVER_MEASURED = "merge_base_never_measured"
    OTHER_RECIPE = "merge_base_with_another_recipe"
    OTHER_MEASUREMENT = "merge_base_with_other_scenario_or_loads"
    OTHER_HOST = "merge_base_on_another_host"
    NOT_USABLE = "merge_base_run_failed_or_withdrawn"


NO_BASELINE_TEXTS: dict[NoBaseline, str] = {
    NoBaseline.MERGE_BASE_UNKNOWN: gettext_noop("the merge base of the pull request is not known"),
    NoBaseline.NEVER_MEASURED: gettext_noop("the merge base was never measured"),
    NoBaseline.OTHER_RECIPE: gettext_noop("the merge base was measured with another recipe only"),
    NoBaseline.OTHER_MEASUREMENT: gettext_noop(
        "the merge base was measured with another scenario or other loads only"
    ),
    NoBaseline.OTHER_HOST: gettext_noop("the merge base was measured on another host only"),
    NoBaseline.NOT_USABLE: gettext_noop("the runs of the merge base failed or were withdrawn"),
}


class NotCompared(StrEnum):
    """Why a run of a pull request is not even looked for a baseline, or is not judged with it."""

    RUN_FAILED = "run_failed"
    RUN_CANCELLED = "run_cancelled"
    WITHDRAWN = "run_withdrawn"
    IN_BASE = "commit_in_base"
    IS_THE_MERGE = "commit_is_the_merge"
    REFUSED = "not_judged"


NOT_COMPARED_TEXTS: dict[NotCompared, str] = {
    NotCompared.RUN_FAILED: gettext_noop("the run failed"),
    NotCompared.RUN_CANCELLED: gettext_noop("the run was cancelled"),
    NotCompared.WITHDRAWN: gettext_noop("the run was withdrawn"),
    NotCompared.IN_BASE: gettext_noop("the commit is part of the base branch, so it is no change of it"),
    NotCompared.IS_THE_MERGE: gettext_noop(
        "the commit is the merge itself; measure the head of the pull request, or state the merge base"
    ),
    NotCompared.REFUSED: gettext_noop("the runs cannot be judged together"),
}


@dataclass(frozen=True, slots=True)
class Baseline:
    """``runs`` are empty if and only if ``missing`` says why."""

    runs: tuple[str, ...]
    missing: NoBaseline | None = None


def choose_baseline(candidate: Origin, merge_base: str | None, runs: Sequence[Origin]) -> Baseline:
    """Runs of the merge base with the same recipe otherwise, the same measurement and the same host.

    Neither the commit before nor the last push is a baseline: both may contain half of the change.
    """
    if merge_base is None:
        return Baseline((), NoBaseline.MERGE_BASE_UNKNOWN)
    conditions: tuple[tuple[NoBaseline, Callable[[Origin], bool]], ...] = (
        (NoBaseline.NEVER_MEASURED, lambda run: run.commit == merge_base and run.run != candidate.run),
        (NoBaseline.OTHER_RECIPE, lambda run: run.recipe == candidate.recipe),
        (NoBaseline.OTHER_MEASUREMENT, lambda run: run.measurement == candidate.measurement),
        (NoBaseline.OTHER_HOST, lambda run: run.host == candidate.host),
        (NoBaseline.NOT_USABLE, lambda run: run.usable),
    )
    left = list(runs)
    for missing, holds in conditions:
        left = [run for run in left if holds(run)]
        if not left:
            return Baseline((), missing)
    return Baseline(tuple(run.run for run in left))
