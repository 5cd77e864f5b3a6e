"""Why a point is not valid, in sentences with its own numbers and the limit of the rules."""

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

from dashboard.figures.numbers import duration, percent, short
from dashboard.words import REASONS, word
from results.analysis.validity import AGENTX_1, FIXED_MAXIMUM_ERROR_RATE, FIXED_RULES, RULE_SETS
from results.queries.points import PointRow


def reason_sentences(row: PointRow) -> list[str]:
    """One sentence per reason; a reason we have no sentence for keeps its short words."""
    return [_SENTENCES[code](row) if code in _SENTENCES else word(REASONS, code) for code in row.reasons]


def _percent(share: float) -> str:
    return percent(short(100 * share))


def _errors(row: PointRow) -> str:
    rules = RULE_SETS.get(row.rules_version, AGENTX_1)
    limit = FIXED_MAXIMUM_ERROR_RATE if row.rules_version == FIXED_RULES else rules.maximum_error_rate
    rate = row.values.get("error_rate")
    if rate is None:
        return _("More than %(limit)s of the answered requests failed.") % {"limit": _percent(limit)}
    return _("%(rate)s of the answered requests failed; the rules allow %(limit)s.") % {
        "rate": _percent(rate), "limit": _percent(limit),
    }  # fmt: skip


def _short_window(row: PointRow) -> str:
    least = duration(RULE_SETS.get(row.rules_version, AGENTX_1).minimum_window_seconds)
    if row.planned_window_seconds is None:
        return _("The measurement is shorter than %(least)s, which the rules ask for.") % {"least": least}
    return _("The window was %(window)s long; the rules ask for at least %(least)s.") % {
        "window": duration(row.planned_window_seconds), "least": least,
    }  # fmt: skip


def _truncated(row: PointRow) -> str:
    rules = RULE_SETS.get(row.rules_version, AGENTX_1)
    return _("It ended before %(share)s of its window of %(window)s had passed.") % {
        "share": _percent(rules.minimum_window_share),
        "window": duration(row.planned_window_seconds or 0),
    }


def _overflow(row: PointRow) -> str:
    limit = RULE_SETS.get(row.rules_version, AGENTX_1).maximum_overflow_rate
    return _("More than %(limit)s of the requests were longer than the context.") % {"limit": _percent(limit)}


def _coverage(row: PointRow) -> str:
    limit = RULE_SETS.get(row.rules_version, AGENTX_1).minimum_coverage
    return _("The requests with all metrics reach over less than %(limit)s of the window.") % {
        "limit": _percent(limit)
    }


def _client(row: PointRow) -> str:
    stated = row.extra.get("submission_invalid_reasons")
    names = ", ".join(str(name) for name in stated) if isinstance(stated, list) else ""
    if not names:
        return _("The load generator calls its own result invalid.")
    return _("The load generator calls its own result invalid: %(names)s.") % {"names": names}


_SENTENCES: Mapping[str, Callable[[PointRow], str]] = {
    "no_successful_request": lambda _row: _("No request succeeded, so there is nothing to measure."),
    "error_rate_exceeded": _errors,
    "context_overflow_rate_exceeded": _overflow,
    "insufficient_profile_metric_coverage": _coverage,
    "truncated": _truncated,
    "run_cancelled": lambda _row: _("The run was cancelled while this load was measured."),
    "client_incomplete": lambda _row: _("The load generator did not finish."),
    "client_rejected": _client,
    "window_below_minimum": _short_window,
    "unsafe_override": lambda _row: _("The run asked to override the rules of the benchmark."),
}
