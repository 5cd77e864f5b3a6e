"""All evidence of a project in one picture, and its claims beside what was measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures.forest import Forest, Interval, forest
from dashboard.templatetags.pulls import shipped
from dashboard.verdict_words import percent
from dashboard.views.evidence import SIGNS, drawn_interval, quantity_label
from results.analysis.claimed import OFF_SCALE_TEXTS
from results.analysis.gains.verdicts import MetricVerdict
from results.analysis.gains.vocabulary import VERDICT_TEXTS
from results.queries.claim_lines import ClaimLine, Claims, Funnel
from results.queries.evidence_lines import RUNNING, WITHDRAWN, EvidenceLine
from results.queries.projects import PullRow


@dataclass(frozen=True, slots=True)
class GainRow:
    """One line of the table; ``gain`` never stands without its interval, or says that there is none."""

    line: EvidenceLine
    quantity: str
    verdict: str
    sign: str
    gain: str
    interval: str
    n: int


@dataclass(frozen=True, slots=True)
class Impact:
    """``undrawn``: quantities without an interval; ``running`` and ``withdrawn`` count evidence."""

    picture: Forest | None
    rows: tuple[GainRow, ...]
    undrawn: int
    running: int
    withdrawn: int

    @property
    def any(self) -> bool:
        return bool(self.rows or self.running or self.withdrawn)


@dataclass(frozen=True, slots=True)
class ClaimView:
    line: ClaimLine
    claimed: str
    reason: str
    measured: tuple[GainRow, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the funnel; ``share`` of all pull requests in percent."""

    text: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class Claimings:
    """``left_out``: claims that are no ratio, which the table holds and the picture does not."""

    steps: tuple[Step, ...]
    picture: Forest | None
    rows: tuple[ClaimView, ...]
    left_out: int
    unmeasured: int


def impact(lines: Sequence[EvidenceLine]) -> Impact:
    rows = _rows(lines)
    drawn = [interval for line in lines if (interval := _interval(line, _heading(line))) is not None]
    return Impact(
        picture=forest(drawn),
        rows=rows,
        undrawn=len(rows) - len(drawn),
        running=sum(line.status == RUNNING for line in lines),
        withdrawn=sum(line.status == WITHDRAWN for line in lines),
    )


def claimings(found: Claims) -> Claimings:
    views = tuple(_claim(line) for line in found.results)
    return Claimings(
        steps=tuple(_steps(found.funnel)),
        picture=forest([interval for line in found.results for interval in _pair(line)]),
        rows=views,
        left_out=sum(line.gain is None for line in found.results),
        unmeasured=found.funnel.unmeasured,
    )


def by_status(pulls: Iterable[PullRow]) -> list[tuple[str, list[PullRow]]]:
    """Pull requests by what became of them, in the order of the statuses."""
    found: dict[str, list[PullRow]] = {status: [] for status in words.PULL_STATUSES}
    for pull in pulls:
        found[pull.status].append(pull)
    return [(status, members) for status, members in found.items() if members]


def _rows(lines: Iterable[EvidenceLine]) -> tuple[GainRow, ...]:
    """Those that stand: neither running nor withdrawn evidence has a verdict."""
    return tuple(_row(line, line.verdict) for line in lines if line.verdict is not None)


def _row(line: EvidenceLine, verdict: MetricVerdict) -> GainRow:
    low, high = percent(verdict.ci_low), percent(verdict.ci_high)
    return GainRow(
        line=line,
        quantity=_quantity(line, verdict),
        verdict=_(VERDICT_TEXTS[verdict.verdict]),
        sign=SIGNS.get(verdict.verdict, "~"),
        gain=percent(verdict.gain),
        interval=_("no interval") if verdict.ci_low is None else f"[{low}, {high}]",
        n=verdict.n,
    )


def _quantity(line: EvidenceLine, verdict: MetricVerdict) -> str:
    if line.x is None:
        return quantity_label(verdict)
    names = {"y": words.metric_label(verdict.metric), "x": words.metric_label(line.x)}
    return _("%(y)s at equal %(x)s") % names


def _heading(line: EvidenceLine) -> str:
    title = shipped(line.title)
    return f"{line.subject}: {title}" if line.repository else title


def _interval(line: EvidenceLine, group: str) -> Interval | None:
    if line.verdict is None:
        return None
    label = quantity_label(line.verdict) if line.x is None else _("Along the frontier")
    return drawn_interval(line.verdict, label, group)


def _pair(line: ClaimLine) -> Iterable[Interval]:
    """The claim, then what was measured of it."""
    if line.gain is None:
        return
    name = f"#{line.pull.number} {line.claim.metric}"
    # A heading only over a claim that something stands below.
    label, group = (_("claimed by its author"), name) if line.measured else (name, "")
    yield Interval(label, line.gain, line.gain, line.gain, "claimed", group)
    for one in line.measured:
        found = _interval(one, group)
        if found is not None:
            yield found


def _claim(line: ClaimLine) -> ClaimView:
    reason = _(OFF_SCALE_TEXTS[line.off]) if line.off is not None else ""
    return ClaimView(line, percent(line.gain), reason, _rows(line.measured))


def _steps(found: Funnel) -> Iterable[Step]:
    texts = {
        _("pull requests"): found.pulls,
        _("with a claim of the author"): found.claimed,
        _("whose claim is a ratio"): found.on_scale,
        _("with a claim, and measured here"): found.measured,
        _("whose claimed metric was measured here"): found.same_metric,
    }
    for text, count in texts.items():
        yield Step(text, count, round(100 * count / found.pulls, 1) if found.pulls else 0.0)
