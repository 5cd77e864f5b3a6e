"""What a page says about measured evidence, in the reader's language."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import decide_words, words
from dashboard.figures.forest import Forest, Interval, forest
from dashboard.templatetags.pulls import shipped
from dashboard.verdict_words import compared, percent
from results.analysis.gains.guards import Guard, Outcome
from results.analysis.gains.sentences import Sentence, frontier_sentence, render, sentence
from results.analysis.gains.verdicts import ComparisonVerdict, FrontierVerdict, MetricVerdict
from results.analysis.gains.vocabulary import REASON_TEXTS, VERDICT_TEXTS, Family, Verdict
from results.queries.comparison_points import Launch, launches, medians
from results.queries.comparisons import ComparisonRow, EvidenceRow
from results.queries.statements import statements

#: A sign before a colour, by verdict.
SIGNS = {
    Verdict.STRONG_GAIN: "▲", Verdict.GAIN: "▲", Verdict.INDICATIVE_GAIN: "△",
    Verdict.REGRESSION: "▼", Verdict.INDICATIVE_REGRESSION: "▽", Verdict.EQUIVALENT: "=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuantityLine:
    """One judged quantity of a table; ``before`` and ``after`` are medians over launches.

    ``why`` is said where an interval without zero has no verdict, and is empty elsewhere.
    """

    metric: str
    unit: str
    load: int | None
    before: float | None
    after: float | None
    verdict: str
    gain: str
    low: str
    high: str
    n: int
    floor: str
    mde: str
    why: str
    sentence: str


@dataclass(frozen=True, slots=True)
class AlongLine:
    """The gain at equal x, apart from gains at equal load. ``places``: (x, gain, low, high) at fixed x."""

    line: QuantityLine
    x: str
    low: float | None
    high: float | None
    declared: bool
    places: tuple[tuple[float, str, str, str], ...]


@dataclass(frozen=True, slots=True)
class GuardLine:
    text: str
    baseline: str | None
    candidate: str | None


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """``headline`` with its ``sign`` once there is a verdict; guards that passed are only counted.

    ``row`` is None where a comparison is shown that is evidence of nothing. ``summary`` is what the headline
    rests on, ``statements`` are all that a write-up must say. Each text stands once, at however many loads.
    ``rank_floor``: the smallest p that a rank test can reach with so many launches. ``few``: add repeats.
    """

    row: EvidenceRow | None
    comparison: ComparisonRow
    headline: str
    sign: str
    code: str
    summary: str = ""
    lines: tuple[QuantityLine, ...] = ()
    along: AlongLine | None = None
    picture: Forest | None = None
    failed_guards: tuple[GuardLine, ...] = ()
    unknown_guards: tuple[GuardLine, ...] = ()
    passed_guards: int = 0
    deviations: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    rank_floor: float | None = None
    few: bool = False

    @property
    def detectable(self) -> bool:
        """Whether any quantity has a minimum detectable effect."""
        return any(line.mde != percent(None) for line in self.lines)


def topic_evidence(rows: Sequence[EvidenceRow]) -> dict[str, list[EvidenceView]]:
    """Views by the topic that they speak about."""
    found: dict[str, list[EvidenceView]] = {}
    for row in rows:
        if row.topic is not None:
            found.setdefault(row.topic, []).append(comparison_view(row.comparison, row))
    return found


def evidence_views(rows: Sequence[EvidenceRow]) -> list[EvidenceView]:
    """Views with what was measured; one query more than the rows."""
    measured = launches([row.comparison for row in rows])
    return [comparison_view(row.comparison, row, measured[row.comparison.id]) for row in rows]


def comparison_view(
    found: ComparisonRow, row: EvidenceRow | None, measured: Sequence[Launch] = ()
) -> EvidenceView:
    verdict = found.verdict
    if verdict is None:
        return EvidenceView(row, found, _("running"), "▶", "running")
    kind = verdict.headline.verdict
    subject = f"{row.repository}#{row.number}" if row is not None and row.repository else shipped(found.title)
    return EvidenceView(
        row=row,
        comparison=found,
        headline=_headline(verdict),
        sign=SIGNS.get(kind, "~"),
        code=str(kind),
        summary=_summary(verdict),
        lines=tuple(_line(one, measured) for one in verdict.primary),
        along=_along(verdict.frontier),
        picture=forest(_intervals(verdict)),
        failed_guards=_guards(verdict, Outcome.FAILED),
        unknown_guards=_guards(verdict, Outcome.UNKNOWN),
        passed_guards=len(_guards(verdict, Outcome.PASSED)),
        deviations=tuple(_(REASON_TEXTS[reason]) for reason in verdict.deviations),
        statements=tuple(statements(found, verdict, subject, translate=_)),
        rank_floor=next((one.rank_p_floor for one in verdict.primary if one.rank_p_floor), None),
        few=kind is Verdict.INSUFFICIENT,
    )


def _headline(verdict: ComparisonVerdict) -> str:
    """The verdict in words; regressions anywhere are counted beside it, so that no gain hides them."""
    text = _(VERDICT_TEXTS[verdict.headline.verdict])
    count = verdict.headline.regressions
    if not count:
        return text
    regressed = ngettext("%(count)s regression", "%(count)s regressions", count) % {"count": count}
    return text + _(", ") + regressed


def _summary(verdict: ComparisonVerdict) -> str:
    """The first declared quantity that has the verdict of the headline."""
    found = [one for one in verdict.primary if one.verdict == verdict.headline.verdict]
    return render(sentence(found[0]), _) if found else ""


def _intervals(verdict: ComparisonVerdict) -> list[Interval]:
    found = (drawn_interval(one, quantity_label(one)) for one in verdict.primary)
    return [interval for interval in found if interval is not None]


def drawn_interval(one: MetricVerdict, label: str, group: str = "") -> Interval | None:
    """What a forest draws of a judged quantity; None without an interval."""
    if one.gain is None or one.ci_low is None or one.ci_high is None:
        return None
    return Interval(label, one.gain, one.ci_low, one.ci_high, str(one.verdict), group)


def quantity_label(one: MetricVerdict) -> str:
    name = words.metric_label(one.metric)
    return name if one.load is None else f"{name} @\u00a0{one.load}"


def _line(one: MetricVerdict, measured: Sequence[Launch], told: Sentence | None = None) -> QuantityLine:
    before, after = (None, None) if one.load is None else medians(measured, one.metric, one.load)
    return QuantityLine(
        metric=one.metric,
        unit=words.shown_unit(one.metric),
        load=one.load,
        before=before,
        after=after,
        verdict=_(VERDICT_TEXTS[one.verdict]),
        gain=percent(one.gain),
        low=percent(one.ci_low),
        high=percent(one.ci_high),
        n=one.n,
        floor=percent(one.floor, signed=False),
        mde=percent(one.mde, signed=False),
        why=_why(one),
        sentence=render(told or sentence(one), _),
    )


def _why(one: MetricVerdict) -> str:
    if one.verdict is not Verdict.INCONCLUSIVE or one.ci_low is None or one.ci_high is None:
        return ""
    if one.ci_low <= 0 <= one.ci_high or not one.reasons:
        return ""
    return _(REASON_TEXTS[one.reasons[0]])


def _along(found: FrontierVerdict | None) -> AlongLine | None:
    if found is None:
        return None
    places = tuple(
        (mark.x, percent(mark.shift.gain), percent(mark.shift.ci_low), percent(mark.shift.ci_high))
        for mark in found.marks
        if mark.shift is not None
    )
    return AlongLine(
        line=_line(found.verdict, (), frontier_sentence(found)),
        x=found.x,
        low=found.low,
        high=found.high,
        declared=found.verdict.family is Family.PRIMARY,
        places=places,
    )


def _guards(verdict: ComparisonVerdict, outcome: Outcome) -> tuple[GuardLine, ...]:
    chosen = [guard for guard in verdict.guards if guard.outcome is outcome]
    lines = {guard.reason: _guard(guard) for guard in reversed(chosen)}
    return tuple(reversed(lines.values()))


def _guard(guard: Guard) -> GuardLine:
    sides = (compared(guard.reason, side) for side in (guard.baseline, guard.candidate))
    if guard.outcome is Outcome.UNKNOWN:
        # The clauses say what a failed guard found, and here nothing was found.
        return GuardLine(words.word(decide_words.CONDITIONS, guard.reason.value), *sides)
    return GuardLine(_(REASON_TEXTS[guard.reason]), *sides)
