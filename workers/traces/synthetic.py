"""Seeded generator of weka traces that follow the published distributions.

Only ``random.Random.random()`` is drawn from: it alone gives the same numbers in every Python version.
"""

from collections.abc import Iterator
from hashlib import sha256
from random import Random

from workers.traces import published
from workers.traces.calls import Calls
from workers.traces.conversation import BlockIds, Conversation, first_prompt, next_prompt
from workers.traces.plan import Plan
from workers.traces.summary import totals
from workers.traces.weka import Request, SubAgent, Trace

#: Changes whenever the same plan gives other bytes.
GENERATOR_VERSION = 1

#: Names are free: a client sends every request to the model under test.
ROOT_MODEL, SUBAGENT_MODEL = "synthetic-root", "synthetic-subagent"
#: About four fifths of the first prompt's fixed part are tools in the published sessions.
_TOOL_SHARE = 0.81


def generate(plan: Plan) -> Iterator[Trace]:
    """The sessions of a plan, in order.

    Session lengths are drawn one from each of ``plan.sessions`` equal parts of their distribution, in random
    order, so that a corpus of few sessions has short and long ones in proportion.
    """
    random = _random(plan.seed, "order")
    drawn = [random.random() for _ in range(plan.sessions)]
    for index, rank in enumerate(sorted(range(plan.sessions), key=drawn.__getitem__)):
        length = published.TURNS.at((rank + random.random()) / plan.sessions)
        yield _Session(plan, index).trace(plan.turns(length))


def _random(seed: int, part: int | str) -> Random:
    digest = sha256(f"{GENERATOR_VERSION}/{seed}/{part}".encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))  # noqa: S311 - a simulation, no secret


class _Session:
    """Builds one trace."""

    def __init__(self, plan: Plan, index: int) -> None:
        self._plan = plan
        self._name = f"{plan.slug}-{index + 1:04d}"
        self._random = _random(plan.seed, index)
        self._ids = BlockIds()
        #: Sub-agents of a session share their tools and system prompt; ids on first use.
        self._subagent_prefix: list[int] = []
        self._subagents = 0

    def trace(self, turns: int) -> Trace:
        prefix = self._ids.fresh(self._plan.blocks(self._draw(published.PREFIX)))
        tool_tokens, system_tokens = self._split(prefix)
        trace = Trace(
            id=self._name,
            models=[ROOT_MODEL],
            block_size=self._plan.block_size,
            hash_id_scope="local",
            tool_tokens=tool_tokens,
            system_tokens=system_tokens,
            requests=list(self._root(prefix, turns)),
        )
        return trace.model_copy(update={"totals": totals(trace)})

    def _root(self, prefix: list[int], turns: int) -> Iterator[Request | SubAgent]:
        conversation = Conversation(self._plan, self._random, self._ids, prefix)
        calls = Calls(self._plan, self._random, ROOT_MODEL, published.THINK, start=0)
        request = calls.call(first_prompt(conversation, self._random), 0, last=False)
        yield request
        for turn in range(1, turns):
            ends = [calls.end]
            for agent, end in self._burst(calls.end):
                yield agent
                ends.append(end)
            idle = max(ends) - calls.end + calls.idle()
            prompt = next_prompt(conversation, self._random, request.output_tokens)
            request = calls.call(prompt, idle, last=turn == turns - 1)
            yield request

    def _burst(self, at: int) -> Iterator[tuple[SubAgent, int]]:
        """Sub-agents that start side by side after a root turn, each with its end; often none."""
        if self._random.random() >= self._plan.bursts_per_turn:
            return
        sizes = published.BURST_SIZES
        for _ in range(sizes[int(self._random.random() * len(sizes))]):
            at += self._plan.milliseconds(self._draw(published.SPAWN_GAP))
            yield self._subagent(at)

    def _subagent(self, start: int) -> tuple[SubAgent, int]:
        self._subagents += 1
        self._subagent_prefix = self._subagent_prefix or self._ids.fresh(
            self._plan.blocks(self._draw(published.SUBAGENT_PREFIX))
        )
        calls = Calls(self._plan, self._random, SUBAGENT_MODEL, published.SUBAGENT_THINK, start)
        requests = list(self._subagent_requests(calls))
        tool_tokens, system_tokens = self._split(self._subagent_prefix)
        agent = SubAgent(
            t=start / 1000,
            type="subagent",
            agent_id=f"agent_{self._subagents:03d}",
            subagent_type="Explore",
            duration_ms=calls.end - start,
            total_tokens=requests[-1].context,
            tool_use_count=len(requests) - 1,
            status="completed",
            requests=requests,
            models=[SUBAGENT_MODEL],
            tool_tokens=tool_tokens,
            system_tokens=system_tokens,
        )
        return agent, calls.end

    def _subagent_requests(self, calls: Calls) -> Iterator[Request]:
        conversation = Conversation(self._plan, self._random, self._ids, self._subagent_prefix)
        count = round(self._draw(published.SUBAGENT_REQUESTS))
        request = calls.call(conversation.open(self._draw(published.SUBAGENT_TASK)), 0, last=False)
        yield request
        for index in range(1, count):
            prompt = conversation.grow(self._draw(published.SUBAGENT_GROWTH), request.output_tokens)
            request = calls.call(prompt, calls.idle(), last=index == count - 1)
            yield request

    def _draw(self, quantiles: published.Quantiles) -> float:
        return quantiles.at(self._random.random())

    def _split(self, prefix: list[int]) -> tuple[int, int]:
        tokens = len(prefix) * self._plan.block_size
        tools = round(tokens * _TOOL_SHARE)
        return tools, tokens - tools
