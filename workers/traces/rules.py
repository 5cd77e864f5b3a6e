"""Rules of the weka format that span several fields of a trace."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from workers.traces.errors import Violation, pointer
from workers.traces.summary import totals
from workers.traces.weka import Request, SubAgent, TokenTotals, Trace


def violations(trace: Trace) -> Iterator[Violation]:
    """Every broken rule."""
    yield from _in_order("", trace.requests)
    for index, entry in enumerate(trace.requests):
        place = pointer("requests", index)
        if isinstance(entry, Request):
            yield from _request(place, entry, trace.block_size)
        else:
            yield from _subagent(place, entry, trace.block_size)
    yield from _root(trace)
    yield from _agent_ids(trace)
    yield from _totals(trace)


def _root(trace: Trace) -> Iterator[Violation]:
    first = next((i for i, entry in enumerate(trace.requests) if isinstance(entry, Request)), None)
    if first is None:
        yield Violation("/requests", "the root conversation has no request")
    else:
        yield from _prefix(pointer("requests", first), trace, trace.root[0], trace.block_size)


def _in_order(parent: str, entries: Sequence[Request | SubAgent]) -> Iterator[Violation]:
    for index, (before, after) in enumerate(pairwise(entries), start=1):
        if after.t < before.t:
            rule = f"{after.t} is earlier than the entry before it ({before.t})"
            yield Violation(parent + pointer("requests", index, "t"), rule)


def _request(place: str, request: Request, block_size: int) -> Iterator[Violation]:
    whole, rest = divmod(request.input_tokens, block_size)
    found = len(request.hash_ids)
    # Recorders differ on a last block that is not full: some name it, kv-cache-tester does not.
    if found not in {whole, whole + (rest > 0)}:
        rule = f"{found} ids for {request.input_tokens} tokens in blocks of {block_size}: expected {whole}"
        yield Violation(place + "/hash_ids", rule + (f" or {whole + 1}" if rest else ""))
    if request.ttft is not None and request.type != "s":
        yield Violation(place + "/ttft", "only a streamed request (type s) has a ttft")


def _subagent(place: str, agent: SubAgent, block_size: int) -> Iterator[Violation]:
    yield from _in_order(place, agent.requests)
    for index, request in enumerate(agent.requests):
        yield from _request(place + pointer("requests", index), request, block_size)
    if agent.requests:
        yield from _prefix(place + "/requests/0", agent, agent.requests[0], block_size)


def _prefix(place: str, owner: Trace | SubAgent, first: Request, block_size: int) -> Iterator[Violation]:
    """The first prompt starts with tools and system prompt, so its blocks must hold them."""
    prefix = owner.tool_tokens + owner.system_tokens
    if prefix > len(first.hash_ids) * block_size:
        rule = f"{len(first.hash_ids)} blocks do not hold the {prefix} tool and system tokens"
        yield Violation(place + "/hash_ids", rule)


def _agent_ids(trace: Trace) -> Iterator[Violation]:
    seen: set[str] = set()
    for index, entry in enumerate(trace.requests):
        if isinstance(entry, SubAgent):
            if entry.agent_id in seen:
                yield Violation(pointer("requests", index, "agent_id"), f"{entry.agent_id!r} is used twice")
            seen.add(entry.agent_id)


def _totals(trace: Trace) -> Iterator[Violation]:
    if trace.totals is None:
        return
    sums = totals(trace)
    for field in ("parent_tokens", "subagent_tokens", "combined_tokens"):
        expected: TokenTotals = getattr(sums, field)
        found: TokenTotals | None = getattr(trace.totals, field)
        for side in ("input", "output"):
            if found is not None and getattr(found, side) != getattr(expected, side):
                rule = f"{getattr(found, side)} but the requests add up to {getattr(expected, side)}"
                yield Violation(pointer("totals", field, side), rule)
    count = trace.totals.subagent_count
    if count is not None and count != len(trace.subagents):
        yield Violation("/totals/subagent_count", f"{count} but the trace has {len(trace.subagents)}")
