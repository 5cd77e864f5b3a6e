"""Plans of the corpora that come with the product, and of a corpus of full size."""

from fractions import Fraction

from workers.traces import published
from workers.traces.plan import Plan
from workers.traces.weka import REPLAYED_BLOCK_SIZE

_MEAN_BURST = Fraction(sum(published.BURST_SIZES), len(published.BURST_SIZES))
#: Bursts per root turn with which sub-agents, of 11 requests in the median, send their share of the requests
#: of the AgentX corpus.
_PER_TURN = Fraction(published.AGENTX_REQUESTS - published.AGENTX_TURNS, published.AGENTX_TURNS)
_AGENTX_BURSTS = _PER_TURN / (_MEAN_BURST * 11)

#: The published sizes as they are; nothing is shipped at this size.
FULL_SIZE = Plan(
    slug="full-size",
    seed=1,
    sessions=100,
    context_cap=1_048_576,
    block_size=REPLAYED_BLOCK_SIZE,
    length_scale=Fraction(1),
    turn_scale=Fraction(1),
    time_scale=Fraction(1),
    headroom=Fraction(0),
    bursts_per_turn=Fraction(63, 48_658) / _MEAN_BURST,
    idle=(Fraction(0), Fraction(86_400)),
    answer=(1, 20_000),
)

#: For a 2-core CPU and a model of a few million parameters: 8k context is 128k of the source. Sessions have a
#: third of the turns and go 20 times as fast, so that some end within a window of 40 s and others follow.
#: The seed is one of 30 that were looked at, taken because a window of 40 s at two session trees holds quiet
#: phases and bursts wherever it starts: a corpus that shows every tier of a cache, not a sample of the field.
CPU_8K = Plan(
    slug="cpu-8k",
    seed=6,
    sessions=24,
    context_cap=8_192,
    block_size=REPLAYED_BLOCK_SIZE,
    length_scale=Fraction(1, 16),
    turn_scale=Fraction(1, 3),
    time_scale=Fraction(1, 20),
    headroom=Fraction(1, 8),
    bursts_per_turn=_AGENTX_BURSTS,
    idle=(Fraction(1, 10), Fraction(2)),
    answer=(8, 60),
)

#: The same for a larger CPU host: 32k context is 128k of the source, sessions half as long.
CPU_32K = Plan(
    slug="cpu-32k",
    seed=15,
    sessions=10,
    context_cap=32_768,
    block_size=REPLAYED_BLOCK_SIZE,
    length_scale=Fraction(1, 4),
    turn_scale=Fraction(1, 2),
    time_scale=Fraction(1, 10),
    headroom=Fraction(1, 8),
    bursts_per_turn=_AGENTX_BURSTS,
    idle=(Fraction(1, 10), Fraction(5)),
    answer=(8, 240),
)

PLANS = {plan.slug: plan for plan in (CPU_8K, CPU_32K)}
