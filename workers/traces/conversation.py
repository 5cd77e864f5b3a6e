"""One conversation, root or sub-agent: how its prompt grows, shrinks and loses its prefix."""

from random import Random

from workers.traces import published
from workers.traces.plan import Plan
from workers.traces.published import Quantiles

#: Growth of an ordinary root turn, calibrated: with first prompts, broken prefixes and the pace below it
#: gives the published NEW_TOKENS and INPUT (``tests/workers/traces/test_marginals.py`` compares).
ROOT_GROWTH = Quantiles(
    ((0, 6), (0.20, 300), (0.52, 650), (0.78, 1_650), (0.94, 4_704), (0.99, 10_830), (1, 120_000))
)
#: Prompts grow fast while they are short: times (PACE_AT / length) ** PACE_POWER, within PACE_LIMITS.
PACE_AT, PACE_POWER, PACE_LIMITS = 80_000, 0.6, (0.3, 3.0)
#: First user message; its median is the published first prompt less the published prefix, the ends are those
#: of 29 sessions.
FIRST_MESSAGE = Quantiles(
    ((0, 370), (0.10, 860), (0.25, 2_500), (0.50, 9_500), (0.75, 30_000), (0.90, 80_000), (1, 240_000))
)
#: Most of the part after the prefix that survives a compaction, or lies before the break of a prefix.
#: Calibrated against the published HIT_RATE.
KEPT_BY_COMPACTION, KEPT_BY_BREAK = 0.4, 0.3


class BlockIds:
    """Block ids of one session, numbered in order of appearance."""

    def __init__(self) -> None:
        self._next = 1

    def fresh(self, count: int) -> list[int]:
        """``count`` ids that the session has not used."""
        first, self._next = self._next, self._next + count
        return list(range(first, self._next))


class Conversation:
    """A prompt that changes from turn to turn; it never grows beyond ``plan.room`` blocks."""

    def __init__(self, plan: Plan, random: Random, ids: BlockIds, prefix: list[int]) -> None:
        self._plan = plan
        self._random = random
        self._ids = ids
        self._prefix = len(prefix)
        self.prompt = prefix

    @property
    def published_length(self) -> float:
        """Length of the prompt before scaling, in tokens."""
        return len(self.prompt) * self._plan.block_size / float(self._plan.length_scale)

    def open(self, tokens: float) -> list[int]:
        """The first prompt: the prefix and a message of so many published tokens."""
        most = max(1, (self._plan.room - self._prefix) // 2)
        self.prompt = self.prompt + self._ids.fresh(min(most, self._plan.blocks(tokens)))
        return self.prompt

    def grow(self, tokens: float, answer: int) -> list[int]:
        """The next prompt: the one before, its answer and what a tool returned."""
        # The client gives the answer whole blocks and needs another one for the message after it.
        added = max(self._plan.blocks(tokens), self._plan.answer_blocks(answer) + 1)
        if len(self.prompt) + added > self._plan.room:
            return self.compact(tokens)
        self.prompt = self.prompt + self._ids.fresh(added)
        return self.prompt

    def compact(self, tokens: float) -> list[int]:
        """The next prompt after a compaction: prefix, some of the start, a summary; shorter than before."""
        kept = self._keep(KEPT_BY_COMPACTION)
        most = max(1, (len(self.prompt) - kept) // 2)
        self.prompt = self.prompt[:kept] + self._ids.fresh(min(most, self._plan.blocks(tokens)))
        return self.prompt

    def rewrite(self, tokens: float, answer: int) -> list[int]:
        """The next prompt after an edit near its start: longer, with most of it new to a cache."""
        kept, length = self._keep(KEPT_BY_BREAK), len(self.prompt)
        self.prompt = self.prompt[:kept] + self._ids.fresh(length - kept)
        return self.grow(tokens, answer)

    def _keep(self, most: float) -> int:
        return self._prefix + int((len(self.prompt) - self._prefix) * most * self._random.random())


def first_prompt(conversation: Conversation, random: Random) -> list[int]:
    """First prompt of a root conversation."""
    return conversation.open(FIRST_MESSAGE.at(random.random()))


def next_prompt(conversation: Conversation, random: Random, answer: int) -> list[int]:
    """Next prompt of a root conversation, with compactions and broken prefixes at the published rates."""
    event = random.random()
    tokens = ROOT_GROWTH.at(random.random()) * _pace(conversation.published_length)
    if event < published.SHORTER:
        return conversation.compact(tokens)
    if event < published.BROKEN:
        return conversation.rewrite(tokens, answer)
    return conversation.grow(tokens, answer)


def _pace(length: float) -> float:
    low, high = PACE_LIMITS
    return float(min(high, max(low, (PACE_AT / length) ** PACE_POWER)))
