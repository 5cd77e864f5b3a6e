from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.analysis.validity import AGENTX_1, RULE_SETS, Conduct, Reason, Validity, judge, judge_fixed

CANONICAL = Conduct(planned_seconds=3600, phase_seconds=3630, observed_seconds=3590, successful=900, failed=0)
SHORT = replace(
    CANONICAL, planned_seconds=40, phase_seconds=41, observed_seconds=38, successful=80, unsafe_override=True
)
V, D, X, F = Validity.VALID, Validity.DIAGNOSTIC, Validity.INVALID, Validity.FAILED


def test_the_rules_are_data_with_a_version() -> None:
    assert RULE_SETS == {"agentx-1": AGENTX_1}
    assert AGENTX_1.minimum_window_seconds == 900
    assert judge(CANONICAL).rules_version == "agentx-1"


@pytest.mark.parametrize(
    ("base", "change", "validity", "reasons"),
    [
        (CANONICAL, {}, V, []),
        # Ten percent of completed requests is still allowed; one more is not.
        (CANONICAL, {"failed": 100}, V, []),
        (CANONICAL, {"failed": 101}, X, [Reason.ERROR_RATE]),
        (CANONICAL, {"successful": 99, "overflows": 1}, V, []),
        (CANONICAL, {"successful": 98, "overflows": 1}, X, [Reason.CONTEXT_OVERFLOW]),
        (CANONICAL, {"observed_seconds": 3528}, V, []),
        (CANONICAL, {"observed_seconds": 3527.9}, X, [Reason.COVERAGE]),
        (CANONICAL, {"observed_seconds": None}, X, [Reason.COVERAGE]),
        (CANONICAL, {"observed_seconds": 3300, "coverage_known": False}, V, []),
        (CANONICAL, {"planned_seconds": None, "observed_seconds": None}, V, []),
        (CANONICAL, {"planned_seconds": None, "phase_seconds": 899}, D, [Reason.SHORT_WINDOW]),
        (CANONICAL, {"planned_seconds": None, "phase_seconds": None, "observed_seconds": None}, D,
         [Reason.SHORT_WINDOW]),
        (CANONICAL, {"phase_seconds": 3240, "observed_seconds": 3530}, V, []),
        (CANONICAL, {"phase_seconds": 3239}, X, [Reason.TRUNCATED]),
        (CANONICAL, {"phase_seconds": None}, V, []),
        (CANONICAL, {"phase_seconds": None, "observed_seconds": 3000}, X,
         [Reason.TRUNCATED, Reason.COVERAGE]),
        (CANONICAL, {"cancelled": True}, X, [Reason.CANCELLED]),
        (CANONICAL, {"complete": False}, X, [Reason.INCOMPLETE]),
        (CANONICAL, {"client_reasons": ["run_cancelled", "a rule"]}, X, [Reason.CANCELLED, Reason.CLIENT]),
        (CANONICAL, {"unsafe_override": True}, D, [Reason.UNSAFE_OVERRIDE]),
        (CANONICAL, {"client_reasons": ["unsafe_override"]}, D, [Reason.UNSAFE_OVERRIDE]),
        (CANONICAL, {"planned_seconds": 900, "phase_seconds": 901, "observed_seconds": 890}, V, []),
        (CANONICAL, {"planned_seconds": 899, "phase_seconds": 901}, D, [Reason.SHORT_WINDOW]),
        (SHORT, {}, D, [Reason.SHORT_WINDOW, Reason.UNSAFE_OVERRIDE]),
        (SHORT, {"phase_seconds": 30}, X, [Reason.TRUNCATED, Reason.SHORT_WINDOW, Reason.UNSAFE_OVERRIDE]),
        (SHORT, {"failed": 9}, X, [Reason.ERROR_RATE, Reason.SHORT_WINDOW, Reason.UNSAFE_OVERRIDE]),
        (CANONICAL, {"successful": 0}, F, [Reason.NO_SUCCESSFUL_REQUEST]),
        (CANONICAL, {"successful": 0, "failed": 3}, F, [Reason.NO_SUCCESSFUL_REQUEST, Reason.ERROR_RATE]),
    ],
)  # fmt: skip
def test_verdicts(base: Conduct, change: dict[str, Any], validity: Validity, reasons: list[Reason]) -> None:
    verdict = judge(replace(base, **change))
    assert verdict.validity is validity
    assert list(verdict.reasons) == reasons


@given(st.integers(1, 10**7))
def test_the_limits_themselves_pass(thousands: int) -> None:
    done, failed = 9 * thousands, thousands
    assert judge(replace(CANONICAL, successful=done, failed=failed)).validity is V
    assert judge(replace(CANONICAL, successful=done, failed=failed + 1)).validity is X
    assert judge(replace(CANONICAL, successful=99 * thousands, overflows=thousands)).validity is V
    assert judge(replace(CANONICAL, successful=99 * thousands - 1, overflows=thousands)).validity is X


seconds = st.none() | st.floats(0, 8000)
conducts = st.builds(
    Conduct,
    planned_seconds=st.floats(1, 7200),
    phase_seconds=seconds,
    observed_seconds=seconds,
    successful=st.integers(0, 500),
    failed=st.integers(0, 500),
    overflows=st.integers(0, 50),
    unsafe_override=st.booleans(),
    cancelled=st.booleans(),
    complete=st.booleans(),
    client_reasons=st.lists(st.text(max_size=12) | st.sampled_from([reason.value for reason in Reason])),
)


@given(conducts)
def test_a_verdict_explains_itself(conduct: Conduct) -> None:
    verdict = judge(conduct)
    assert (verdict.validity is V) == (not verdict.reasons)
    assert len(set(verdict.reasons)) == len(verdict.reasons)
    if conduct.successful == 0:
        assert verdict.validity is F
    if verdict.validity is V:
        assert conduct.planned_seconds is None or conduct.planned_seconds >= 900


@given(conducts, st.integers(0, 100))
def test_more_errors_never_make_a_point_better(conduct: Conduct, more: int) -> None:
    ranks = [V, D, X, F]
    worse = replace(conduct, failed=conduct.failed + more)
    assert ranks.index(judge(worse).validity) >= ranks.index(judge(conduct).validity)


@pytest.mark.parametrize(
    ("successful", "failed", "refused", "validity", "reasons"),
    [
        (None, None, False, Validity.VALID, ()),
        (40, None, False, Validity.VALID, ()),
        (0, None, False, Validity.FAILED, (Reason.NO_SUCCESSFUL_REQUEST,)),
        (0, 0, False, Validity.FAILED, (Reason.NO_SUCCESSFUL_REQUEST,)),
        (95, 5, False, Validity.VALID, ()),
        (94, 6, False, Validity.INVALID, (Reason.ERROR_RATE,)),
        (40, 0, True, Validity.INVALID, (Reason.CLIENT,)),
        (0, 40, True, Validity.FAILED, (Reason.NO_SUCCESSFUL_REQUEST, Reason.CLIENT)),
    ],
)
def test_fixed_sequences(
    successful: int | None, failed: int | None, refused: bool, validity: Validity, reasons: tuple[Reason, ...]
) -> None:
    found = judge_fixed(successful, failed, refused=refused)
    assert (found.validity, found.reasons, found.rules_version) == (validity, reasons, "fixed-1")
