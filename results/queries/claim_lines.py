"""Claims of authors against what was measured here: figure, table, CSV and API read the same lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from results.analysis.claimed import OffScale
from results.queries.evidence_lines import STANDING, EvidenceLine, evidence_lines_of
from results.queries.projects import ClaimRow, PullRow, pull_rows


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One claim. ``gain`` is on the scale of measured gains (0.04 is 4 % better); None says why in ``off``.

    ``measured`` are gains at equal load of the metric that the claim is about, measured for its pull
    request; ``others`` counts judged quantities of that pull request on other metrics. The setups differ.
    """

    pull: PullRow
    claim: ClaimRow
    gain: float | None
    off: OffScale | None
    measured: tuple[EvidenceLine, ...]
    others: int


@dataclass(frozen=True, slots=True)
class Funnel:
    """Pull requests, from all of them to those whose claim was measured on its own metric."""

    pulls: int
    claimed: int
    on_scale: int
    measured: int
    same_metric: int
    unmeasured: int


@dataclass(frozen=True, slots=True)
class Claims:
    funnel: Funnel
    results: tuple[ClaimLine, ...]


def claims_of(language: str, project: str | None) -> Claims:
    """Claims of a project, or of all of them; six queries."""
    about = {} if project is None else {"optimization__project__slug": project}
    return claims(pull_rows(language, **about), evidence_lines_of(project))


def claims(pulls: Sequence[PullRow], evidence: Iterable[EvidenceLine]) -> Claims:
    lines = claim_lines(pulls, evidence)
    return Claims(funnel(pulls, lines), lines)


def claim_lines(pulls: Iterable[PullRow], evidence: Iterable[EvidenceLine]) -> tuple[ClaimLine, ...]:
    """In the order of the catalogue; nothing is sorted by what is claimed or measured."""
    found = _by_pull(evidence)
    return tuple(
        _line(pull, claim, found.get((pull.repository, pull.number), ()))
        for pull in pulls
        for claim in pull.claims
    )


def funnel(pulls: Sequence[PullRow], lines: Iterable[ClaimLine]) -> Funnel:
    """``unmeasured``: pull requests with a claim and no evidence that stands."""
    on_scale, same = set(), set()
    for line in lines:
        name = (line.pull.repository, line.pull.number)
        on_scale |= {name} if line.gain is not None else set()
        same |= {name} if line.gain is not None and line.measured else set()
    claimed = [pull for pull in pulls if pull.claims]
    return Funnel(
        pulls=len(pulls),
        claimed=len(claimed),
        on_scale=len(on_scale),
        measured=sum(bool(pull.measured) for pull in claimed),
        same_metric=len(same),
        unmeasured=sum(not pull.measured for pull in claimed),
    )


def _by_pull(evidence: Iterable[EvidenceLine]) -> Mapping[tuple[str, int], tuple[EvidenceLine, ...]]:
    found: dict[tuple[str, int], list[EvidenceLine]] = {}
    for line in evidence:
        if line.repository is not None and line.number is not None and line.status == STANDING:
            found.setdefault((line.repository, line.number), []).append(line)
    return {name: tuple(lines) for name, lines in found.items()}


def _line(pull: PullRow, claim: ClaimRow, lines: tuple[EvidenceLine, ...]) -> ClaimLine:
    at_load = tuple(
        line for line in lines
        if line.x is None and line.verdict is not None and line.verdict.metric == claim.metric_key
    )  # fmt: skip
    return ClaimLine(pull, claim, claim.gain, claim.off, at_load, len(lines) - len(at_load))
