"""The canonical frontier of AgentX beside that of the chosen axes.

AgentX counts a point as a winner on any agentic chart only if it also wins on P90 end-to-end normalised
interactivity, X = 1 / percentile_90 of (end-to-end latency / output tokens) over requests: tokens that a
user receives per second, waiting included. A chart with another x then shows the intersection of two
frontiers, which can withhold real trade-offs, so both and their difference are stated here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from results.analysis.frontier import Candidate, Frontier, frontier
from results.metrics import Direction

#: Registry key of the canonical x.
CANONICAL_X = "e2e_norm_interactivity_p90"


@dataclass(frozen=True, slots=True)
class AgenticCandidate:
    """One point with the canonical x beside the x of the chart."""

    id: int
    load: int
    canonical_x: float | None
    x: float | None
    y: float | None
    validity: str = "valid"


@dataclass(frozen=True, slots=True)
class AgenticFrontiers:
    """``canonical`` is in the plane (P90 end-to-end normalised interactivity, y), ``local`` in (x, y)."""

    canonical: Frontier
    local: Frontier

    @property
    def both(self) -> frozenset[int]:
        """Ids that win on both: the points that the AgentX rule draws on the chart."""
        return self.canonical.ids & self.local.ids

    @property
    def only_local(self) -> frozenset[int]:
        """Ids that win on the chart's axes and are withheld by the rule."""
        return self.local.ids - self.canonical.ids

    @property
    def only_canonical(self) -> frozenset[int]:
        """Ids that win canonically and are beaten, or have no x, on the chart's axes."""
        return self.canonical.ids - self.local.ids


def agentic_frontiers(
    candidates: Iterable[AgenticCandidate], *, x: Direction, y: Direction
) -> AgenticFrontiers:
    """Both frontiers over the same candidates, each in its own coordinates and over all eligible ones.

    ValueError for a neutral direction.
    """
    everything = list(candidates)
    canonical = (Candidate(c.id, c.load, c.canonical_x, c.y, c.validity) for c in everything)
    local = (Candidate(c.id, c.load, c.x, c.y, c.validity) for c in everything)
    return AgenticFrontiers(
        frontier(canonical, x=Direction.HIGHER, y=y, positive_x=True),
        frontier(local, x=x, y=y, positive_x=True),
    )
