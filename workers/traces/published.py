"""Published distributions of real coding-agent sessions, as data.

Source, unless a line says otherwise: statistics over 710 of the 739 sessions (48,658 root requests) of
callanjfox/kv-cache-tester, commit 94f6046, Apache-2.0. The 29 largest sessions are missing there, so upper
tails are low. Lengths in tokens, times in seconds. Where only a median is published, the ends of a table
are those of the 29 smallest sessions of the set (12 sub-agents), and a comment says so.
"""

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Quantiles:
    """A distribution given by some of its quantiles: ``(probability, value)``, both rising, from 0 to 1."""

    knots: tuple[tuple[float, float], ...]

    def at(self, probability: float) -> float:
        """Value at a probability in [0, 1]: geometric between knots, as the tails are long; linear from 0."""
        for (below, low), (above, high) in pairwise(self.knots):
            if probability <= above:
                share = (probability - below) / (above - below)
                return low + (high - low) * share if low <= 0 else low * (high / low) ** share
        return self.knots[-1][1]


#: Root requests per session; the smallest session has 3.
TURNS = Quantiles(
    ((0, 3), (0.10, 7), (0.25, 18), (0.50, 45), (0.75, 94), (0.90, 155), (0.95, 232), (0.99, 329), (1, 514))
)

#: Prompt length of a root request. Not sampled from: it follows from the growth, and is compared with this.
INPUT = Quantiles(
    (
        (0, 8_000),  # the smallest first prompt seen
        (0.10, 43_308),
        (0.25, 67_717),
        (0.50, 104_644),
        (0.75, 139_213),
        (0.90, 235_882),
        (0.95, 302_272),
        (0.99, 499_848),
        (1, 894_371),
    )
)

#: Answer length of a root request.
OUTPUT = Quantiles(
    (
        (0, 1),  # 27 of 48,658 are 0, the mark of an aborted call
        (0.10, 105),
        (0.25, 137),
        (0.50, 216),
        (0.75, 429),
        (0.90, 899),
        (0.95, 1_543),
        (0.99, 3_663),
        (1, 18_195),
    )
)

#: Prompt tokens of a request that no request before it in the session had; first prompts and broken prefixes
#: count whole.
NEW_TOKENS = Quantiles(((0, 6), (0.50, 720), (0.75, 1_744), (0.90, 4_704), (0.95, 10_830), (1, 600_000)))

#: Idle time before a root request.
THINK = Quantiles(
    (
        (0, 0.5),  # the clock of the recorder has whole seconds here
        (0.25, 6),
        (0.50, 10),
        (0.75, 34),
        (0.90, 166),
        (0.95, 464),
        (0.99, 3_028),
        (1, 77_589),
    )
)

#: Server time of a request.
API_TIME = Quantiles(((0, 1), (0.50, 6.1), (0.90, 18.4), (0.99, 60.7), (1, 300)))

#: Tool and system tokens at the start of every root prompt; median published, ends from 29 sessions.
PREFIX = Quantiles(((0, 8_500), (0.50, 14_948), (1, 17_500)))

#: Median first and last prompt of a session.
FIRST_INPUT_MEDIAN = 24_454
LAST_INPUT_MEDIAN = 134_196

#: Transitions from one root request to the next, of 47,948: the prompt got shorter (compaction), or it does
#: not start with the whole prompt before it (which the shorter ones are part of).
SHORTER = 422 / 47_948
BROKEN = 1_346 / 47_948

#: Share of root requests that were streamed, and of each reason to stop.
STREAMED = 8_466 / 48_658
STOPS = {"tool_use": 41_597 / 48_658, "": 4_330 / 48_658, "end_turn": 2_731 / 48_658}

#: Blocks served by an infinite cache that all requests of a session share: over all blocks, and per session.
HIT_RATE = 0.9634
HIT_RATE_PER_SESSION = Quantiles(
    ((0, 0), (0.10, 0.829), (0.25, 0.919), (0.50, 0.955), (0.75, 0.972), (0.90, 0.979), (1, 0.993))
)

#: 63 sub-agents in 17 sessions; requests of each.
SUBAGENTS_PER_TURN = 63 / 48_658
SUBAGENT_REQUESTS = Quantiles(((0, 2), (0.50, 11), (1, 24)))
SUBAGENT_INPUT_MEDIAN = 45_137
SUBAGENT_OUTPUT_MEDIAN = 235

#: Seen in the 12 sub-agents of the 29 smallest sessions: how many start together, tool and system tokens, the
#: task after them, growth from request to request, idle time between requests, time between two spawns.
BURST_SIZES = (1, 2, 3, 3, 3)
SUBAGENT_PREFIX = Quantiles(((0, 8_423), (0.50, 9_400), (1, 10_075)))
SUBAGENT_TASK = Quantiles(((0, 504), (0.50, 3_234), (1, 3_747)))
SUBAGENT_GROWTH = Quantiles(
    (
        (0, 190),
        (0.10, 488),
        (0.25, 926),
        (0.50, 2_632),
        (0.75, 5_509),
        (0.90, 9_434),
        (0.95, 15_739),
        (1, 50_687),
    )
)
SUBAGENT_THINK = Quantiles(
    ((0, 1), (0.10, 2), (0.25, 3), (0.50, 4), (0.75, 5), (0.90, 24), (0.95, 41), (1, 65))
)
SPAWN_GAP = Quantiles(((0, 1), (0.50, 12), (1, 30)))

#: Root turns and all requests of the AgentX corpus of June 2026, variant of 256k context, rounded
#: (documentation of SemiAnalysisAI/InferenceX).
AGENTX_TURNS, AGENTX_REQUESTS = 28_000, 68_000
