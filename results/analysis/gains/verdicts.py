"""What a comparison returns: a verdict per metric, and the whole with its headline."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from results.analysis.gains import ALGORITHM_VERSION
from results.analysis.gains.guards import Guard
from results.analysis.gains.vocabulary import Basis, Family, Method, Reason, Verdict
from results.metrics import Direction

REGRESSIONS = frozenset({Verdict.REGRESSION, Verdict.INDICATIVE_REGRESSION})
GAINS = frozenset({Verdict.STRONG_GAIN, Verdict.GAIN, Verdict.INDICATIVE_GAIN})


@dataclass(frozen=True, slots=True)
class MetricVerdict:
    """One judged quantity. Fractions throughout: ``gain`` 0.04 is 4 % better, whatever the direction.

    ``n``: independent launches per side (the smaller side where they differ). ``ci_low`` and ``ci_high``
    bound the gain with ``confidence``. ``p`` is two-sided, ``adjusted_p`` within ``family``. ``sesoi`` is the
    declared smallest effect, ``aa_floor`` the measured noise floor of the host (None if not known), and
    ``floor`` the larger of both, which a gain must exceed. ``mde``: smallest true effect found with power
    0.8 at this noise and n; ``needed_blocks``: blocks after which an effect like the floor is found so.
    ``robust_gain``: Hodges-Lehmann, from 6 launches; ``rank_p`` for primary metrics, and ``rank_p_floor`` the
    smallest value it can take at this n. ``block_gains`` are the single blocks for a strip plot.
    None means not computed; ``reasons`` say why.
    """

    metric: str
    unit: str
    direction: Direction
    basis: Basis
    load: int | None
    loads: tuple[int, ...]
    family: Family
    method: Method
    n: int
    verdict: Verdict
    reasons: tuple[Reason, ...]
    sesoi: float
    aa_floor: float | None
    floor: float
    confidence: float
    gain: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    adjusted_p: float | None = None
    mde: float | None = None
    needed_blocks: int | None = None
    robust_gain: float | None = None
    rank_p: float | None = None
    rank_p_floor: float | None = None
    block_gains: tuple[float, ...] = ()
    algorithm_version: str = ALGORITHM_VERSION


@dataclass(frozen=True, slots=True)
class Shift:
    """A gain with its interval beside a verdict; marginal, and no verdict of its own."""

    n: int
    gain: float
    ci_low: float
    ci_high: float
    p: float


@dataclass(frozen=True, slots=True)
class FrontierMark:
    """The gain at one fixed place of the x axis; None outside the range that all curves share."""

    x: float
    shift: Shift | None


@dataclass(frozen=True, slots=True)
class FrontierVerdict:
    """Gain along the frontier at equal ``x``, from ``low`` to ``high``, the range common to all blocks.

    ``verdict`` is about the mean log-ratio over that range, ``area`` about the area under the curve, and
    ``marks`` about fixed places. None of them is a gain at equal load.
    """

    x: str
    y: str
    low: float | None
    high: float | None
    verdict: MetricVerdict
    area: Shift | None = None
    marks: tuple[FrontierMark, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Loads that both sides measured, and those of one side alone; only the common ones are compared."""

    common: tuple[int, ...]
    baseline_only: tuple[int, ...]
    candidate_only: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Headline:
    """``verdict`` is about the primary metrics; ``mixed`` when some gain and some regress.

    ``counts`` are over all rows, so that regressions outside the plan cannot hide.
    """

    verdict: Verdict
    mixed: bool
    counts: Mapping[Verdict, int]

    @property
    def regressions(self) -> int:
        return sum(self.counts.get(verdict, 0) for verdict in REGRESSIONS)


@dataclass(frozen=True, slots=True)
class ComparisonVerdict:
    """``blocks``: complete independent blocks. ``deviations``: how the data differ from the plan.

    ``needs_extension``: the plan allows a second look and the first one left a primary metric open.
    ``is_evidence``: may be attached to a pull request.
    """

    blocks: int
    primary: tuple[MetricVerdict, ...]
    exploratory: tuple[MetricVerdict, ...]
    frontier: FrontierVerdict | None
    guards: tuple[Guard, ...]
    coverage: Coverage
    deviations: tuple[Reason, ...]
    headline: Headline
    needs_extension: bool
    is_evidence: bool
    algorithm_version: str = ALGORITHM_VERSION


#: The first of these that any primary metric has is the headline's; gains only if nothing stands before.
_ORDER = (
    Verdict.WITHDRAWN,
    Verdict.NO_BASELINE,
    Verdict.NOT_COMPARABLE,
    Verdict.INSUFFICIENT,
    Verdict.REGRESSION,
    Verdict.INDICATIVE_REGRESSION,
    Verdict.STRONG_GAIN,
    Verdict.GAIN,
    Verdict.INDICATIVE_GAIN,
    Verdict.UNSTABLE,
    Verdict.INCONCLUSIVE,
    Verdict.DEGENERATE,
    Verdict.NOT_COMPUTABLE,
    Verdict.EQUIVALENT,
)


def headline(primary: Iterable[MetricVerdict], others: Iterable[MetricVerdict]) -> Headline:
    """The primary metrics in one word; a regression is never outvoted by gains."""
    declared = list(primary)
    found = {one.verdict for one in declared}
    verdict = next((verdict for verdict in _ORDER if verdict in found), Verdict.INSUFFICIENT)
    mixed = bool(found & GAINS and found & REGRESSIONS)
    return Headline(verdict, mixed, dict(Counter(one.verdict for one in (*declared, *others))))
