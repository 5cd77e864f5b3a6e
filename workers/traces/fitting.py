"""Make a recorded session fit a smaller context: cut it where it grows too long, or shrink every prompt.

Both keep what makes a session a session, the order of requests and the reuse of prefixes. A fitted session is
not the recorded one any more, so its id says what was done to it.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from workers.traces.errors import FitError
from workers.traces.summary import all_requests, totals
from workers.traces.weka import Request, SubAgent, Trace

#: The shortest session of the published set has three turns; less than that is no session.
FEWEST_TURNS = 3


def fit_to_context(trace: Trace, cap: int) -> Trace:
    """The session within ``cap`` tokens (prompt and answer): unchanged, cut, or scaled if too short then.

    Times of sub-agents become absolute. Raises FitError when no request can be made to fit.
    """
    if max(request.context for request in all_requests(trace)) <= cap:
        return absolute(trace)
    turns = [request.context <= cap for request in trace.root]
    fitting = turns.index(False) if False in turns else len(turns)
    return truncate(trace, cap) if fitting >= FEWEST_TURNS else scale(trace, cap)


def absolute(trace: Trace) -> Trace:
    """The trace with the times of all sub-agent requests counted from its start.

    AIPerf guesses the clock per request, and takes a relative time later than the marker for an absolute one.
    """
    return trace.model_copy(update={"requests": [_absolute(entry) for entry in trace.requests]})


def _absolute(entry: Request | SubAgent) -> Request | SubAgent:
    if isinstance(entry, Request) or not entry.relative:
        return entry
    moved = [request.model_copy(update={"t": entry.t + request.t}) for request in entry.requests]
    return entry.model_copy(update={"requests": moved})


def truncate(trace: Trace, cap: int) -> Trace:
    """The session up to the first root turn over ``cap``; each sub-agent up to its own first request over it.

    Raises FitError when the first turn is over it already.
    """
    kept: list[Request | SubAgent] = []
    for entry in absolute(trace).requests:
        if isinstance(entry, Request):
            if entry.context > cap:
                break
            kept.append(entry)
        elif requests := _within(entry.requests, cap):
            shortened = len(requests) < len(entry.requests)
            kept.append(_with_requests(entry, requests) if shortened else entry)
    if not any(isinstance(entry, Request) for entry in kept):
        raise FitError(f"{trace.id}: the first turn needs more than {cap} tokens")
    return _with_entries(trace, f"{trace.id}-cut", kept)


def _within(requests: Sequence[Request], cap: int) -> list[Request]:
    fits = [request.context <= cap for request in requests]
    return list(requests[: fits.index(False) if False in fits else len(requests)])


def scale(trace: Trace, cap: int) -> Trace:
    """Every prompt and answer times the factor that brings the longest request under ``cap``.

    A prompt keeps the first ``ceil(blocks * factor)`` of its blocks, so the hit rate stays about the same.
    Raises FitError when a context of ``cap`` cannot hold a block and a token for every request.
    """
    largest = max(request.context for request in all_requests(trace))
    # A last block that is rounded up and an answer of one token need room of their own.
    factor = min(Fraction(1), Fraction(max(0, cap - trace.block_size - 1), largest))
    if not factor:
        raise FitError(f"{trace.id}: {cap} tokens cannot hold a block of {trace.block_size} and an answer")
    entries = [
        _scaled(entry, min(Fraction(1), factor), trace.block_size) for entry in absolute(trace).requests
    ]
    scaled = _with_entries(trace, f"{trace.id}-scaled", entries)
    return scaled.model_copy(update=_prefixes(trace, factor))


def _scaled(entry: Request | SubAgent, factor: Fraction, block_size: int) -> Request | SubAgent:
    if isinstance(entry, SubAgent):
        requests = [_scaled_request(request, factor, block_size) for request in entry.requests]
        return _with_requests(entry, requests).model_copy(update=_prefixes(entry, factor))
    return _scaled_request(entry, factor, block_size)


def _scaled_request(request: Request, factor: Fraction, block_size: int) -> Request:
    ids = request.hash_ids[: ceil(len(request.hash_ids) * factor)]
    output = ceil(request.output_tokens * factor)
    return request.model_copy(
        update={"hash_ids": ids, "input_tokens": len(ids) * block_size, "output_tokens": output}
    )


def _prefixes(owner: Trace | SubAgent, factor: Fraction) -> dict[str, int]:
    return {
        "tool_tokens": floor(owner.tool_tokens * factor),
        "system_tokens": floor(owner.system_tokens * factor),
    }


def _with_requests(agent: SubAgent, requests: list[Request]) -> SubAgent:
    """The sub-agent with other requests and without the recorded sums that no longer hold."""
    return agent.model_copy(
        update={
            "requests": requests,
            "duration_ms": round(1000 * (max(request.end for request in requests) - agent.t)),
            "total_tokens": None,
            "tool_use_count": None,
        }
        if requests
        else {"requests": requests}
    )


def _with_entries(trace: Trace, name: str, entries: list[Request | SubAgent]) -> Trace:
    fitted = trace.model_copy(update={"id": name, "requests": entries})
    return fitted.model_copy(update={"totals": totals(fitted)})
