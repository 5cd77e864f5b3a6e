"""Validity rules of AgentX and of fixed sequences: data with a version, and functions that judge a point."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Validity(StrEnum):
    VALID = "valid"
    DIAGNOSTIC = "diagnostic"
    INVALID = "invalid"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a point is not valid. Names follow the load generator where it has one."""

    NO_SUCCESSFUL_REQUEST = "no_successful_request"
    ERROR_RATE = "error_rate_exceeded"
    CONTEXT_OVERFLOW = "context_overflow_rate_exceeded"
    COVERAGE = "insufficient_profile_metric_coverage"
    TRUNCATED = "truncated"
    CANCELLED = "run_cancelled"
    INCOMPLETE = "client_incomplete"
    CLIENT = "client_rejected"
    SHORT_WINDOW = "window_below_minimum"
    UNSAFE_OVERRIDE = "unsafe_override"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Limits of one version of the rules; windows in seconds, everything else a fraction, inclusive."""

    version: str
    minimum_window_seconds: float
    maximum_error_rate: float
    maximum_overflow_rate: float
    minimum_coverage: float
    minimum_window_share: float


AGENTX_1 = RuleSet(
    version="agentx-1",
    minimum_window_seconds=900,
    maximum_error_rate=0.10,
    maximum_overflow_rate=0.01,
    minimum_coverage=0.98,
    minimum_window_share=0.90,
)
RULE_SETS: Mapping[str, RuleSet] = {AGENTX_1.version: AGENTX_1}

#: Reasons that make a point diagnostic; every other one makes it invalid.
_SOFT = frozenset({Reason.SHORT_WINDOW, Reason.UNSAFE_OVERRIDE})


@dataclass(frozen=True, slots=True)
class Conduct:
    """How the profile of one load went.

    ``planned_seconds`` is None for what had no planned window, a list of requests for example: then only
    the least window applies. ``phase_seconds``: length of the profiling phase as executed.
    ``observed_seconds``: from the first request to the last observation of TTFT and ITL.
    ``coverage_known`` is False for a source that does not tell how far these reach: nothing follows then.
    ``overflows``: requests skipped because the context was too long, which are neither successful nor
    failed. ``client_reasons``: why the load generator itself calls the result invalid.
    """

    planned_seconds: float | None
    phase_seconds: float | None
    observed_seconds: float | None
    successful: int
    failed: int
    overflows: int = 0
    unsafe_override: bool = False
    cancelled: bool = False
    complete: bool = True
    client_reasons: Sequence[str] = ()
    coverage_known: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reasons`` is empty if and only if the point is valid."""

    validity: Validity
    reasons: tuple[Reason, ...]
    rules_version: str


def judge(conduct: Conduct, rules: RuleSet = AGENTX_1) -> Verdict:
    """Failed without a success; invalid by any hard rule; diagnostic by a soft one alone; else valid."""
    reasons = tuple(dict.fromkeys(_reasons(conduct, rules)))
    return Verdict(_validity(reasons), reasons, rules.version)


def _validity(reasons: tuple[Reason, ...]) -> Validity:
    if Reason.NO_SUCCESSFUL_REQUEST in reasons:
        return Validity.FAILED
    if set(reasons) - _SOFT:
        return Validity.INVALID
    return Validity.DIAGNOSTIC if reasons else Validity.VALID


def _reasons(conduct: Conduct, rules: RuleSet) -> Iterator[Reason]:
    if conduct.successful == 0:
        yield Reason.NO_SUCCESSFUL_REQUEST
    yield from _request_reasons(conduct, rules)
    yield from _window_reasons(conduct, rules)
    if conduct.cancelled:
        yield Reason.CANCELLED
    if not conduct.complete:
        yield Reason.INCOMPLETE
    for name in conduct.client_reasons:
        yield _CLIENT_REASONS.get(name, Reason.CLIENT)
    if conduct.unsafe_override:
        yield Reason.UNSAFE_OVERRIDE


_CLIENT_REASONS = {reason.value: reason for reason in Reason}


def _request_reasons(conduct: Conduct, rules: RuleSet) -> Iterator[Reason]:
    # Products, not quotients: 0.1 and 0.01 as doubles lie just above the decimals, so the limit passes.
    answered = conduct.successful + conduct.failed
    if conduct.failed > rules.maximum_error_rate * answered:
        yield Reason.ERROR_RATE
    if conduct.overflows > rules.maximum_overflow_rate * (answered + conduct.overflows):
        yield Reason.CONTEXT_OVERFLOW


def _window_reasons(conduct: Conduct, rules: RuleSet) -> Iterator[Reason]:
    planned = conduct.planned_seconds
    executed = conduct.observed_seconds if conduct.phase_seconds is None else conduct.phase_seconds
    if planned is None:
        if executed is None or executed < rules.minimum_window_seconds:
            yield Reason.SHORT_WINDOW
        return
    if executed is None or executed < rules.minimum_window_share * planned:
        yield Reason.TRUNCATED
    if planned < rules.minimum_window_seconds:
        # One request can outlast two percent of a short window, so coverage says nothing there.
        yield Reason.SHORT_WINDOW
    elif conduct.coverage_known and not _covers(conduct, rules.minimum_coverage * planned):
        yield Reason.COVERAGE


def _covers(conduct: Conduct, least: float) -> bool:
    return conduct.observed_seconds is not None and conduct.observed_seconds >= least


FIXED_RULES = "fixed-1"
#: benchmark_serving of InferenceX exits with an error above this share; the limit itself passes.
FIXED_MAXIMUM_ERROR_RATE = 0.05


def judge_fixed(successful: int | None, failed: int | None = None, *, refused: bool = False) -> Verdict:
    """Verdict of a point with fixed sequence lengths; None where the source does not count requests.

    Failed without a success; invalid above 5 % failed requests, or when the client that measured it
    ``refused`` its own result. There is no least window: the client sends a number of requests.
    """
    reasons: list[Reason] = []
    if successful == 0:
        reasons.append(Reason.NO_SUCCESSFUL_REQUEST)
    elif successful is not None and (failed or 0) > FIXED_MAXIMUM_ERROR_RATE * (successful + (failed or 0)):
        # A product, not a quotient: the limit itself passes.
        reasons.append(Reason.ERROR_RATE)
    if refused:
        reasons.append(Reason.CLIENT)
    return Verdict(_validity(tuple(reasons)), tuple(reasons), FIXED_RULES)
