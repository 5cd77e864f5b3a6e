"""What a generated corpus is to be like, and how published sizes become its sizes."""

import re
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from workers.traces import published
from workers.traces.errors import TracesError

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
#: Bounds of what a plan may ask for; generous, they keep a typing error from filling a disk.
_BOUNDS = {
    "seed": (0, 2**63 - 1),
    "sessions": (1, 10_000),
    "context_cap": (256, 16_777_216),
    "block_size": (1, 4_096),
    "length_scale": (Fraction(1, 1_000), 1),
    "turn_scale": (Fraction(1, 1_000), 1),
    "time_scale": (Fraction(1, 1_000_000), 1),
    "headroom": (0, Fraction(9, 10)),
    "bursts_per_turn": (0, 1),
}


class PlanError(TracesError):
    """A plan nothing can be generated from; the message names field and rule."""


@dataclass(frozen=True)
class Plan:
    """A corpus to generate. Lengths in tokens and times in seconds, those of the corpus, not of the source.

    ``length_scale``, ``turn_scale`` and ``time_scale`` multiply the published lengths, turns per session and
    times. Idle times and answers are then limited to ``idle`` and ``answer``. ``headroom`` is the share of
    ``context_cap`` that stays free for what a client and a chat template add. ``bursts_per_turn`` is the
    chance that a root turn starts a burst of sub-agents.
    """

    slug: str
    seed: int
    sessions: int
    context_cap: int
    block_size: int
    length_scale: Fraction
    turn_scale: Fraction
    time_scale: Fraction
    headroom: Fraction
    bursts_per_turn: Fraction
    idle: tuple[Fraction, Fraction]
    answer: tuple[int, int]

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(self.slug):
            raise PlanError(f"slug: {self.slug!r} is not lower-case letters, digits and hyphens")
        for field, (low, high) in _BOUNDS.items():
            if not low <= getattr(self, field) <= high:
                raise PlanError(f"{field}: must be from {low} to {high}")
        for field in ("idle", "answer"):
            low, high = getattr(self, field)
            if not 0 <= low <= high:
                raise PlanError(f"{field}: must be two numbers from 0 up, the lower one first")
        if self.room < 2 * self.blocks(published.PREFIX.knots[-1][1]):
            raise PlanError("length_scale: tool and system tokens alone take half of the context")

    @property
    def limit(self) -> int:
        """Largest prompt plus answer, in tokens."""
        return int(self.context_cap * (1 - self.headroom))

    @property
    def room(self) -> int:
        """Blocks of the longest prompt: the limit less the longest answer."""
        return (self.limit - max(1, self.answer[1])) // self.block_size

    def blocks(self, tokens: float) -> int:
        """Blocks that a published number of tokens becomes; at least one."""
        return max(1, round(tokens * float(self.length_scale) / self.block_size))

    def answer_tokens(self, tokens: float) -> int:
        """Answer length that a published one becomes."""
        low, high = self.answer
        return min(high, max(low, round(tokens * float(self.length_scale))))

    def answer_blocks(self, tokens: int) -> int:
        """Blocks an answer takes in the next prompt, as the client rebuilds it."""
        return ceil(tokens / self.block_size)

    def milliseconds(self, seconds: float) -> int:
        """Time that a published one becomes."""
        return round(1000 * seconds * float(self.time_scale))

    def idle_milliseconds(self, seconds: float) -> int:
        """Idle time that a published one becomes."""
        low, high = (round(1000 * bound) for bound in self.idle)
        return min(high, max(low, self.milliseconds(seconds)))

    def turns(self, turns: float) -> int:
        """Turns that a published session length becomes; the published minimum stays."""
        return max(int(published.TURNS.knots[0][1]), round(turns * float(self.turn_scale)))

    def to_json(self) -> dict[str, Any]:
        """Scalars and lists; fractions as text, so that nothing is rounded."""
        return {key: _plain(value) for key, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
