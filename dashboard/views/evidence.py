"""What a page says about measured evidence, in the reader's language."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dashboard import words
from dashboard.figures.forest import Forest, Interval, forest
from results.analysis.gains.guards import Guard, Outcome
from results.analysis.gains.sentences import percent, render, sentence
from results.analysis.gains.verdicts import ComparisonVerdict, MetricVerdict
from results.analysis.gains.vocabulary import REASON_TEXTS, VERDICT_TEXTS, Verdict
from results.queries.comparisons import EvidenceRow

#: A sign before a colour, by verdict.
_SIGNS = {
    Verdict.STRONG_GAIN: "▲", Verdict.GAIN: "▲", Verdict.INDICATIVE_GAIN: "△",
    Verdict.REGRESSION: "▼", Verdict.INDICATIVE_REGRESSION: "▽", Verdict.EQUIVALENT: "=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuantityLine:
    """One judged quantity of a table."""

    metric: str
    load: int | None
    verdict: str
    gain: str
    low: str
    high: str
    n: int
    floor: str
    mde: str
    sentence: str


@dataclass(frozen=True, slots=True)
class GuardLine:
    text: str
    baseline: str | None
    candidate: str | None


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """``headline`` with its ``sign`` once there is a verdict; guards that passed are only counted.

    Each text stands once, at however many loads it holds.
    """

    row: EvidenceRow
    headline: str
    sign: str
    code: str
    lines: tuple[QuantityLine, ...]
    picture: Forest | None
    failed_guards: tuple[GuardLine, ...]
    unknown_guards: tuple[GuardLine, ...]
    passed_guards: int
    deviations: tuple[str, ...]


def topic_evidence(rows: Sequence[EvidenceRow]) -> dict[str, list[EvidenceView]]:
    """Views by the topic that they speak about."""
    found: dict[str, list[EvidenceView]] = {}
    for row in rows:
        if row.topic is not None:
            found.setdefault(row.topic, []).append(evidence_view(row))
    return found


def evidence_view(row: EvidenceRow) -> EvidenceView:
    verdict = row.comparison.verdict
    if verdict is None:
        return EvidenceView(row, _("running"), "▶", "running", (), None, (), (), 0, ())
    kind = verdict.headline.verdict
    return EvidenceView(
        row=row,
        headline=_(VERDICT_TEXTS[kind]),
        sign=_SIGNS.get(kind, "~"),
        code=str(kind),
        lines=tuple(_line(one) for one in verdict.primary),
        picture=forest(_intervals(verdict)),
        failed_guards=_guards(verdict, Outcome.FAILED),
        unknown_guards=_guards(verdict, Outcome.UNKNOWN),
        passed_guards=len(_guards(verdict, Outcome.PASSED)),
        deviations=tuple(_(REASON_TEXTS[reason]) for reason in verdict.deviations),
    )


def _intervals(verdict: ComparisonVerdict) -> list[Interval]:
    return [
        Interval(_label(one), one.gain, one.ci_low, one.ci_high, str(one.verdict))
        for one in verdict.primary
        if one.gain is not None and one.ci_low is not None and one.ci_high is not None
    ]


def _label(one: MetricVerdict) -> str:
    name = words.metric_label(one.metric)
    return name if one.load is None else f"{name} @ {one.load}"


def _line(one: MetricVerdict) -> QuantityLine:
    return QuantityLine(
        metric=one.metric,
        load=one.load,
        verdict=_(VERDICT_TEXTS[one.verdict]),
        gain=percent(one.gain),
        low=percent(one.ci_low),
        high=percent(one.ci_high),
        n=one.n,
        floor=percent(one.floor, signed=False),
        mde=percent(one.mde, signed=False),
        sentence=render(sentence(one), _),
    )


def _guards(verdict: ComparisonVerdict, outcome: Outcome) -> tuple[GuardLine, ...]:
    chosen = [guard for guard in verdict.guards if guard.outcome is outcome]
    lines = {guard.reason: _guard(guard) for guard in reversed(chosen)}
    return tuple(reversed(lines.values()))


def _guard(guard: Guard) -> GuardLine:
    return GuardLine(_(REASON_TEXTS[guard.reason]), guard.baseline, guard.candidate)


def badge_words(standing: Sequence[EvidenceRow]) -> str:
    """The newest verdict in English, because a badge stands on pages of others."""
    concluded = [row.comparison.verdict for row in standing if row.comparison.verdict is not None]
    if not concluded:
        return "being measured" if standing else "not measured"
    verdict = concluded[0]
    text = VERDICT_TEXTS[verdict.headline.verdict]
    first = next((one for one in verdict.primary if one.verdict == verdict.headline.verdict), None)
    if first is None or first.gain is None or first.ci_low is None:
        return text
    return f"{text} {percent(first.gain)} [{percent(first.ci_low)}, {percent(first.ci_high)}]"
