"""Verdicts as sentences: a message and its parameters, so that pages and comments can be translated.

``render`` puts a sentence together; pass the translation of the page. Numbers are written here, once, so that
page, comment, badge and API say the same.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from results.analysis.gains.guards import Outcome
from results.analysis.gains.verdicts import ComparisonVerdict, FrontierVerdict, MetricVerdict
from results.analysis.gains.vocabulary import BASIS_TEXTS, REASON_TEXTS, Basis, Reason, Verdict
from results.analysis.percent import PERCENT
from results.metrics import METRICS, STAT_LABELS, gettext_noop


@dataclass(frozen=True, slots=True)
class Message:
    """A translated part; ``suffix`` is the statistic after a name."""

    text: str
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """``template``: message with %(name)s places. Text stays as it is, a tuple is listed."""

    template: str
    parameters: Mapping[str, "str | Message | Sentence | tuple[Message, ...]"]


Part = str | Message | Sentence | tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a claim is about: pull request, commits, host and accuracy suite, as they are to be written."""

    pull_request: str
    candidate: str
    baseline: str
    host: str
    accuracy: str | None = None


_LEAD = gettext_noop("%(pull_request)s (%(candidate)s) against its merge base (%(baseline)s)")
_NUMBERS = gettext_noop(
    "%(metric)s %(gain)s [%(confidence)s CI %(low)s, %(high)s] %(basis)s, n = %(n)s, "
    "adjusted p = %(p)s, floor %(floor)s, MDE %(mde)s"
)
_AT_LOAD = gettext_noop("at load %(load)s")
_OVER_LOADS = gettext_noop("over %(count)s loads")
_ALONG = gettext_noop("along the frontier at equal %(x)s from %(low)s to %(high)s %(unit)s")
_TEMPLATES: Mapping[Verdict, str] = {
    Verdict.STRONG_GAIN: gettext_noop("strong gain: %(numbers)s"),
    Verdict.GAIN: gettext_noop("gain: %(numbers)s"),
    Verdict.REGRESSION: gettext_noop("regression: %(numbers)s"),
    Verdict.INDICATIVE_GAIN: gettext_noop("indicative gain (%(reasons)s): %(numbers)s"),
    Verdict.INDICATIVE_REGRESSION: gettext_noop("indicative regression (%(reasons)s): %(numbers)s"),
    Verdict.EQUIVALENT: gettext_noop("no change within ±%(floor)s: %(numbers)s"),
    Verdict.INCONCLUSIVE: gettext_noop("inconclusive, needs about %(needed)s blocks: %(numbers)s"),
    Verdict.UNSTABLE: gettext_noop("unstable (%(reasons)s): %(numbers)s"),
    Verdict.DEGENERATE: gettext_noop(
        "%(metric)s %(gain)s %(basis)s without an interval (%(reasons)s), n = %(n)s"
    ),
    Verdict.INSUFFICIENT: gettext_noop("%(metric)s %(basis)s: no verdict, n = %(n)s (%(reasons)s)"),
    Verdict.NOT_COMPUTABLE: gettext_noop("%(metric)s %(basis)s: not computable (%(reasons)s)"),
    Verdict.NOT_COMPARABLE: gettext_noop("%(metric)s %(basis)s: not comparable (%(reasons)s)"),
    Verdict.NO_BASELINE: gettext_noop("%(metric)s %(basis)s: no baseline (%(reasons)s)"),
    Verdict.WITHDRAWN: gettext_noop("%(metric)s %(basis)s: withdrawn (%(reasons)s)"),
}
#: The noise is small enough and the effect lies at the floor: more blocks are no promise.
_AT_FLOOR = gettext_noop("inconclusive at this floor: %(numbers)s")
_DESIGN = gettext_noop("%(blocks)s blocks on %(host)s")
_ACCURACY = gettext_noop("accuracy unchanged (%(suite)s)")
_ACCURACY_UNKNOWN = gettext_noop("accuracy not checked")
_REGRESSIONS = gettext_noop("regressions: %(count)s")
_DEVIATIONS = gettext_noop("deviations from plan: %(reasons)s")
_NONE = gettext_noop("none")
_BETWEEN = gettext_noop(", ")
_MANY = gettext_noop("more than 1000")


def claim(comparison: ComparisonVerdict, subject: Subject) -> tuple[Sentence, ...]:
    """Everything a write-up must say, in order; pages join the sentences with semicolons."""
    sentences = [
        Sentence(
            _LEAD,
            {
                "pull_request": subject.pull_request,
                "candidate": subject.candidate,
                "baseline": subject.baseline,
            },
        )
    ]
    sentences += [sentence(one) for one in comparison.primary]
    if comparison.frontier is not None:
        sentences.append(frontier_sentence(comparison.frontier))
    sentences.append(Sentence(_DESIGN, {"blocks": str(comparison.blocks), "host": subject.host}))
    if comparison.headline.regressions:
        sentences.append(Sentence(_REGRESSIONS, {"count": str(comparison.headline.regressions)}))
    sentences.append(
        Sentence(_ACCURACY, {"suite": subject.accuracy})
        if subject.accuracy and _passed(comparison, Reason.ACCURACY)
        else Sentence(_ACCURACY_UNKNOWN, {})
    )
    deviations = comparison.deviations
    listed: Part = _reasons(deviations) if deviations else Message(_NONE)
    sentences.append(Sentence(_DEVIATIONS, {"reasons": listed}))
    return tuple(sentences)


def sentence(verdict: MetricVerdict) -> Sentence:
    """One metric: effect, interval, n, floor and detectable effect, or why there are none."""
    basis: Part = Message(BASIS_TEXTS[verdict.basis])
    if verdict.basis is Basis.FIXED_LOAD:
        basis = Sentence(_AT_LOAD, {"load": str(verdict.load)})
    elif verdict.basis is Basis.ACROSS_LOADS:
        basis = Sentence(_OVER_LOADS, {"count": str(len(verdict.loads))})
    return _sentence(verdict, basis)


def frontier_sentence(found: FrontierVerdict) -> Sentence:
    """The frontier with its range, so that nobody takes it for a gain at equal load."""
    if found.low is None or found.high is None:
        return _sentence(found.verdict, Message(BASIS_TEXTS[Basis.FRONTIER]))
    parameters: dict[str, Part] = {
        "x": _metric(found.x),
        "low": f"{found.low:.4g}",
        "high": f"{found.high:.4g}",
        "unit": METRICS[found.x].unit,
    }
    return _sentence(found.verdict, Sentence(_ALONG, parameters))


def render(part: Part, translate: Callable[[str], str] = str) -> str:
    """The text of a sentence in the language of ``translate``."""
    if isinstance(part, str):
        return part
    if isinstance(part, tuple):
        return translate(_BETWEEN).join(render(one, translate) for one in part)
    if isinstance(part, Message):
        name = translate(part.text)
        # A bracket of Chinese text brings its own space.
        gap = "" if name.endswith("）") else " "
        return f"{name}{gap}{translate(part.suffix)}" if part.suffix else name
    filled = {name: render(value, translate) for name, value in part.parameters.items()}
    return translate(part.template) % filled


def percent(fraction: float | None, *, signed: bool = True) -> Part:
    """A fraction as percent: one decimal, two below 1 %, and 0 is a number like any other."""
    if fraction is None:
        return "–"
    value = 100 * fraction
    digits = 1 if abs(value) >= 0.995 else 2
    # No minus sign in front of what is shown as zero.
    rounded = round(value, digits) + 0.0
    return Sentence(PERCENT, {"number": f"{rounded:{'+' if signed and rounded else ''}.{digits}f}"})


def p_value(p: float | None) -> str:
    if p is None:
        return "–"
    return "<0.0001" if p < 0.0001 else f"{p:.2g}"


def _sentence(verdict: MetricVerdict, basis: Part) -> Sentence:
    needed = Message(_MANY) if verdict.needed_blocks is None else str(verdict.needed_blocks)
    template = _TEMPLATES[verdict.verdict]
    if verdict.verdict is Verdict.INCONCLUSIVE and (verdict.needed_blocks or verdict.n + 1) <= verdict.n:
        template = _AT_FLOOR
    parameters: dict[str, Part] = {
        "metric": _metric(verdict.metric),
        "gain": percent(verdict.gain),
        "basis": basis,
        "n": str(verdict.n),
        "reasons": _reasons(verdict.reasons),
        "floor": percent(verdict.floor, signed=False),
        "needed": needed,
        "numbers": _numbers(verdict, basis),
    }
    return Sentence(template, parameters)


def _numbers(verdict: MetricVerdict, basis: Part) -> Sentence:
    parameters: dict[str, Part] = {
        "metric": _metric(verdict.metric),
        "gain": percent(verdict.gain),
        "confidence": Sentence(PERCENT, {"number": f"{100 * verdict.confidence:.3g}"}),
        "low": percent(verdict.ci_low),
        "high": percent(verdict.ci_high),
        "basis": basis,
        "n": str(verdict.n),
        "p": p_value(verdict.adjusted_p),
        "floor": percent(verdict.floor, signed=False),
        "mde": percent(verdict.mde, signed=False),
    }
    return Sentence(_NUMBERS, parameters)


def _metric(key: str) -> Message:
    metric = METRICS[key]
    return Message(metric.name, "" if metric.stat is None else STAT_LABELS[metric.stat])


def _reasons(reasons: Iterable[Reason]) -> tuple[Message, ...]:
    return tuple(Message(REASON_TEXTS[reason]) for reason in reasons)


def _passed(comparison: ComparisonVerdict, reason: Reason) -> bool:
    return any(guard.reason is reason and guard.outcome is Outcome.PASSED for guard in comparison.guards)
