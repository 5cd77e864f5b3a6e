"""Numbers of verdicts and of guards in the reader's language, and a verdict in the few words of a badge."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from results.analysis.gains import sentences
from results.analysis.gains.vocabulary import VERDICT_TEXTS, Reason
from results.analysis.percent import in_percent
from results.queries.comparisons import EvidenceRow

#: Guards that compare shares of one.
_SHARES = (Reason.SUCCESS_RATE, Reason.PREFIX_HITS)


def percent(fraction: float | None, *, signed: bool = True) -> str:
    """A gain, its bounds or a floor, as sentences of verdicts write them."""
    return sentences.render(sentences.percent(fraction, signed=signed), _)


def compared(reason: Reason, text: str | None) -> str | None:
    """What a guard compared; None where nothing is known."""
    return text if text is None or reason not in _SHARES else in_percent(f"{100 * float(text):.1f}", _)


def badge_words(standing: Sequence[EvidenceRow]) -> str:
    """The newest verdict in English, because a badge stands on pages of others; regressions are counted.

    A recipe against itself says nothing about the change.
    """
    standing = [row for row in standing if row.comparison.differences]
    concluded = [row.comparison.verdict for row in standing if row.comparison.verdict is not None]
    if not concluded:
        return "being measured" if standing else "not measured"
    verdict = concluded[0]
    text = VERDICT_TEXTS[verdict.headline.verdict]
    first = next((one for one in verdict.primary if one.verdict == verdict.headline.verdict), None)
    if first is not None and first.gain is not None and first.ci_low is not None:
        numbers = (first.gain, first.ci_low, first.ci_high)
        gain, low, high = (sentences.render(sentences.percent(one)) for one in numbers)
        text = f"{text} {gain} [{low}, {high}]"
    regressions = verdict.headline.regressions
    return f"{text}, {regressions} regressed" if regressions else text
