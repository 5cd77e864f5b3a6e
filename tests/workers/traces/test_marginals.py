"""A corpus of full size has the published quantiles.

What is sampled directly must agree closely; what follows from several draws (prompt lengths, new tokens, hit
rates) within a tolerance that is written here. The sample has a fixed seed, so nothing is left to luck.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import pytest

from workers.traces import published
from workers.traces.plan import Plan
from workers.traces.published import Quantiles
from workers.traces.shipped import CPU_8K, CPU_32K, FULL_SIZE
from workers.traces.summary import all_requests, hit_blocks, summarize
from workers.traces.synthetic import generate
from workers.traces.weka import Request, Trace


@dataclass
class Sample:
    """Root requests of 200 sessions; lengths in tokens, times in seconds."""

    turns: list[float] = field(default_factory=list)
    inputs: list[float] = field(default_factory=list)
    outputs: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    api: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)
    hit_rates: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, trace: Trace) -> None:
        root, summary = trace.root, summarize(trace)
        self.turns.append(summary.turns)
        self.first.append(summary.first_input)
        self.last.append(summary.last_input)
        self.hit_rates.append(summary.prefix_hit_rate or 0.0)
        self.inputs += [request.input_tokens for request in root]
        self.outputs += [request.output_tokens for request in root]
        self.api += [request.api_time or 0.0 for request in root]
        self.idle += [request.think_time or 0.0 for request in root[1:]]
        hits = list(hit_blocks(root))
        self.new += [64 * (len(request.hash_ids) - hit) for request, hit in zip(root, hits, strict=True)]
        self.counts["blocks"] += summary.blocks
        self.counts["hit blocks"] += summary.hit_blocks
        self._count(root)

    def _count(self, root: list[Request]) -> None:
        self.counts["requests"] += len(root)
        self.counts["transitions"] += len(root) - 1
        for request in root:
            self.counts[f"stop {request.stop}"] += 1
            self.counts["streamed"] += request.type == "s"
        for before, after in pairwise(root):
            self.counts["shorter"] += after.input_tokens < before.input_tokens
            self.counts["broken"] += after.hash_ids[: len(before.hash_ids)] != before.hash_ids

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / self.counts[whole]


@pytest.fixture(scope="module")
def sample() -> Iterator[Sample]:
    found = Sample()
    for trace in generate(replace(FULL_SIZE, sessions=200, bursts_per_turn=Fraction(0))):
        found.add(trace)
    yield found


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[round(share * (len(values) - 1))]


@pytest.mark.parametrize(
    ("name", "table", "shares", "tolerance"),
    [
        ("turns", published.TURNS, (0.10, 0.25, 0.50, 0.75, 0.90, 0.95), 0.06),
        ("outputs", published.OUTPUT, (0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99), 0.06),
        ("idle", published.THINK, (0.25, 0.50, 0.75, 0.90, 0.95, 0.99), 0.10),
        ("api", published.API_TIME, (0.50, 0.90, 0.99), 0.05),
        ("new", published.NEW_TOKENS, (0.50, 0.75, 0.90, 0.95), 0.15),
        ("inputs", published.INPUT, (0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99), 0.30),
        ("hit_rates", published.HIT_RATE_PER_SESSION, (0.10, 0.25, 0.50, 0.75, 0.90), 0.07),
    ],
)
def test_quantiles(
    sample: Sample, name: str, table: Quantiles, shares: tuple[float, ...], tolerance: float
) -> None:
    for share in shares:
        found = quantile(getattr(sample, name), share)
        assert found == pytest.approx(table.at(share), rel=tolerance), f"{name} at {share}"


def test_medians_and_rates(sample: Sample) -> None:
    assert quantile(sample.first, 0.5) == pytest.approx(published.FIRST_INPUT_MEDIAN, rel=0.15)
    # Low by nature here: a pace that does not know how long the session will be.
    assert quantile(sample.last, 0.5) == pytest.approx(published.LAST_INPUT_MEDIAN, rel=0.35)
    assert sample.share("hit blocks", "blocks") == pytest.approx(published.HIT_RATE, abs=0.01)
    assert sample.share("shorter", "transitions") == pytest.approx(published.SHORTER, rel=0.25)
    assert sample.share("broken", "transitions") == pytest.approx(published.BROKEN, rel=0.15)
    assert sample.share("streamed", "requests") == pytest.approx(published.STREAMED, rel=0.05)
    assert sample.share("stop tool_use", "requests") == pytest.approx(published.STOPS["tool_use"], rel=0.03)
    assert sum(sample.inputs) / sum(sample.outputs) == pytest.approx(281, rel=0.15)


def test_subagents_have_the_published_medians() -> None:
    plan = replace(FULL_SIZE, sessions=12, turn_scale=Fraction(1, 4), bursts_per_turn=Fraction(1, 2))
    agents = [agent for trace in generate(plan) for agent in trace.subagents]
    requests = [request for agent in agents for request in agent.requests]
    assert len(agents) > 100
    counts = [float(len(agent.requests)) for agent in agents]
    assert quantile(counts, 0.5) == pytest.approx(11, abs=1)
    assert (min(counts), max(counts)) == (2, 24)
    inputs = [float(request.input_tokens) for request in requests]
    assert quantile(inputs, 0.5) == pytest.approx(published.SUBAGENT_INPUT_MEDIAN, rel=0.15)
    outputs = [float(request.output_tokens) for request in requests]
    assert quantile(outputs, 0.5) == pytest.approx(published.SUBAGENT_OUTPUT_MEDIAN, rel=0.15)


@pytest.mark.parametrize("plan", [CPU_8K, CPU_32K], ids=lambda plan: plan.slug)
def test_scaled_corpora_keep_reuse_and_the_share_of_subagents(plan: Plan) -> None:
    traces = list(generate(plan))
    summaries = [summarize(trace) for trace in traces]
    hit = sum(summary.hit_blocks for summary in summaries) / sum(summary.blocks for summary in summaries)
    assert 0.85 < hit < published.HIT_RATE
    turns, requests = sum(s.turns for s in summaries), sum(len(all_requests(t)) for t in traces)
    share = 1 - published.AGENTX_TURNS / published.AGENTX_REQUESTS
    assert 1 - turns / requests == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.77, 0.99, 1.0])
def test_interpolation_rises_and_meets_its_knots(share: float) -> None:
    table = published.OUTPUT
    assert table.at(0.0) == 1 and table.at(0.5) == pytest.approx(216) and table.at(1.0) == 18_195
    assert table.at(max(0.0, share - 0.01)) <= table.at(share)


def test_interpolation_from_zero_is_linear() -> None:
    assert Quantiles(((0, 0), (1, 10))).at(0.25) == 2.5
