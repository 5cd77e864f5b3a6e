"""What a trace asks of a server: lengths, growth, reuse."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from workers.traces.weka import Request, SubAgent, TokenTotals, Totals, Trace


@dataclass(frozen=True)
class TraceSummary:
    """Counts and tokens of one trace; ``hit_blocks`` of ``blocks`` are served by an infinite cache."""

    id: str
    turns: int
    subagents: int
    requests: int
    first_input: int
    last_input: int
    input_tokens: int
    output_tokens: int
    peak_context: int
    seconds: float
    blocks: int
    hit_blocks: int

    @property
    def prefix_hit_rate(self) -> float | None:
        """Share of prompt blocks whose whole prefix was sent before; absent without blocks."""
        return self.hit_blocks / self.blocks if self.blocks else None


def all_requests(trace: Trace) -> list[Request]:
    """Requests of root and sub-agents in recorded order of time, ties in file order."""
    timed: list[tuple[float, Request]] = []
    for entry in trace.requests:
        if isinstance(entry, SubAgent):
            offset = entry.t if entry.relative else 0.0
            timed += [(offset + request.t, request) for request in entry.requests]
        else:
            timed.append((entry.t, entry))
    return [request for _, request in sorted(timed, key=lambda pair: pair[0])]


def hit_blocks(requests: Iterable[Request]) -> Iterator[int]:
    """Leading blocks of each prompt that earlier prompts already held: a prefix cache without a limit.

    A block counts only while every block before it was seen too, as in the theoretical hit rate of AIPerf.
    """
    seen: set[int] = set()
    for request in requests:
        yield sum(1 for _ in takewhile(seen.__contains__, request.hash_ids))
        seen.update(request.hash_ids)


def growth(requests: Sequence[Request]) -> list[int]:
    """Input tokens that each request of a conversation has more than the one before it."""
    return [after.input_tokens - before.input_tokens for before, after in pairwise(requests)]


def summarize(trace: Trace) -> TraceSummary:
    """Summary of one trace."""
    requests = all_requests(trace)
    root = trace.root
    return TraceSummary(
        id=trace.id,
        turns=len(root),
        subagents=len(trace.subagents),
        requests=len(requests),
        first_input=root[0].input_tokens,
        last_input=root[-1].input_tokens,
        input_tokens=sum(request.input_tokens for request in requests),
        output_tokens=sum(request.output_tokens for request in requests),
        peak_context=max(request.context for request in requests),
        seconds=max(request.end for request in root),
        blocks=sum(len(request.hash_ids) for request in requests),
        hit_blocks=sum(hit_blocks(requests)),
    )


def prefix_hit_rate(traces: Iterable[Trace]) -> float | None:
    """Share of all prompt blocks that an infinite cache per trace serves; absent without blocks."""
    summaries = [summarize(trace) for trace in traces]
    blocks = sum(summary.blocks for summary in summaries)
    return sum(summary.hit_blocks for summary in summaries) / blocks if blocks else None


def totals(trace: Trace) -> Totals:
    """The sums of the trace's requests."""
    nested = [request for agent in trace.subagents for request in agent.requests]
    return Totals(
        parent_tokens=token_totals(trace.root),
        subagent_tokens=token_totals(nested),
        combined_tokens=token_totals([*trace.root, *nested]),
        subagent_count=len(trace.subagents),
    )


def token_totals(requests: Sequence[Request]) -> TokenTotals:
    """Sums over requests."""
    return TokenTotals(
        input=sum(request.input_tokens for request in requests),
        output=sum(request.output_tokens for request in requests),
    )
