"""Judge two sets of runs that were not measured in blocks. Never more than an indication."""

from collections.abc import Iterable, Sequence

from results.analysis.gains.blocks import Block, Observation, Side, launches
from results.analysis.gains.compare import assembled, coverage, notes_of, stops, untrusted
from results.analysis.gains.conclude import Setting, conclude
from results.analysis.gains.guards import guards_of_runs
from results.analysis.gains.noise import Noise
from results.analysis.gains.plan import Plan
from results.analysis.gains.point_guards import guards_of_points
from results.analysis.gains.rows import combined, unpaired_rows
from results.analysis.gains.verdicts import ComparisonVerdict
from results.analysis.gains.vocabulary import Method, Reason

#: Guards that mean nothing without blocks.
_OF_BLOCKS = frozenset({Reason.NOT_INTERLEAVED, Reason.ORDER_UNBALANCED, Reason.FEW_BLOCKS})


def compare_sets(
    observations: Iterable[Observation], plan: Plan, noise: Noise | None = None
) -> ComparisonVerdict:
    """Welch's interval over launches of both sides, whenever they were measured.

    What differs between the two times (clocks, neighbours, drivers) counts as an effect, so no verdict
    is stronger than "indicative", equality is never concluded, and there is no gain along a frontier.
    """
    noise = noise or Noise()
    everyone = list(observations)
    shared = _shared(everyone)
    together = Block(1, tuple(one for one in everyone if one.launch not in shared))
    sides = [[combined(passes) for passes in launches(together.of(side)).values()] for side in Side]
    covered = coverage([together])
    guards = (
        *(guard for guard in guards_of_runs([together], plan) if guard.reason not in _OF_BLOCKS),
        *guards_of_points([together], plan, covered.common),
    )
    deviations = (Reason.UNPAIRED, *([Reason.REPEATED_LAUNCH] if shared else []))
    setting = Setting(
        plan,
        noise,
        Method.WELCH_T,
        stops([together], guards),
        caps=(Reason.UNPAIRED, *untrusted(noise)),
        notes=notes_of(deviations, plan),
    )
    rows = unpaired_rows(sides[0], sides[1], [(key, load) for key in plan.metrics for load in plan.loads])
    design = (min(len(side) for side in sides), deviations, plan)
    return assembled(conclude(rows, setting), None, guards, covered, design)


def _shared(runs: Sequence[Observation]) -> set[str]:
    """Launches that stand on both sides; they say nothing about a difference."""
    before, after = ({one.launch for one in runs if one.side is side} for side in Side)
    return before & after
