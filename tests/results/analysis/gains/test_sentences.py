import re
import subprocess
import sys
from dataclasses import replace

import pytest

from results.analysis.gains import sentences
from results.analysis.gains.blocks import Side
from results.analysis.gains.compare import compare
from results.analysis.gains.plan import FrontierAxes, Plan
from results.analysis.gains.sentences import Subject, claim, p_value, percent, render, sentence
from results.analysis.gains.vocabulary import Basis, Verdict
from tests.results.analysis.gains.samples import FIVE, THROUGHPUT, block, plan, ratio_blocks

UP = [1.041 * (1 + one) for one in FIVE]
SUBJECT = Subject("PR #12", "c0ffee", "badc0de", "host-1 (8 x GPU)", "gsm8k, n = 1319")


def marked(text: str) -> str:
    """A translation that leaves places alone and shows what was translated."""
    return f"<{text}>"


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.041, "+4.1\u00a0%"), (-0.0312, "-3.1\u00a0%"), (0.0, "0.00\u00a0%"), (-1e-9, "0.00\u00a0%"),
        (0.00949, "+0.95\u00a0%"),
        (0.00996, "+1.0\u00a0%"), (12.5, "+1250.0\u00a0%"), (None, "–"),
    ],
)  # fmt: skip
def test_percent(fraction: float | None, text: str) -> None:
    assert render(percent(fraction)) == text


def test_p_values_are_never_zero() -> None:
    assert [p_value(p) for p in (1e-9, 0.0004, 0.0312, 1.0, None)] == ["<0.0001", "0.0004", "0.031", "1", "–"]


def test_a_claim_says_everything_a_reader_must_know() -> None:
    axes = FrontierAxes("interactivity_p50", THROUGHPUT)
    blocks = [
        block(
            number,
            {load: {THROUGHPUT: 100.0 * load, axes.x: 100.0 / load} for load in (1, 2, 4)},
            {load: {THROUGHPUT: 104.0 * load * (1 + one), axes.x: 100.0 / load} for load in (1, 2, 4)},
        )
        for number, one in enumerate(FIVE, start=1)
    ]
    found = compare(blocks, Plan((THROUGHPUT,), (2,), frontier=axes))
    text = "; ".join(render(one) for one in claim(found, SUBJECT))
    for part in (
        "PR #12 (c0ffee) against its merge base (badc0de)",
        "+4.0\u00a0% [95\u00a0% CI +",
        "at load 2, n = 5",
        "floor 1.0\u00a0%, MDE",
        "along the frontier at equal Interactivity P50 from 25 to 100 tok/s/user",
        "5 blocks on host-1 (8 x GPU)",
        "deviations from plan: none",
    ):
        assert part in text
    assert "accuracy unchanged (gsm8k, n = 1319)" in text


def test_regressions_and_deviations_are_said() -> None:
    found = compare(ratio_blocks([0.9 * (1 + one) for one in FIVE][:4]), plan())
    text = "; ".join(render(one) for one in claim(found, Subject("PR", "a", "b", "h")))
    assert "regressions: 1" in text
    assert "deviations from plan: fewer blocks than planned" in text
    assert "accuracy not checked" in text


def test_every_verdict_has_a_sentence_that_can_be_translated() -> None:
    (one,) = compare(ratio_blocks(UP), plan()).primary
    for verdict in Verdict:
        for basis in Basis:
            said = render(sentence(replace(one, verdict=verdict, basis=basis)), marked)
            assert said.startswith("<") and "%(" not in said and "<Output throughput per GPU>" in said
            assert "None" not in said


def test_what_is_inconclusive_at_the_floor_promises_nothing_from_more_blocks() -> None:
    (at_floor,) = compare(ratio_blocks([1.0099 * (1 + one / 20) for one in FIVE]), plan()).primary
    assert at_floor.verdict is Verdict.INCONCLUSIVE
    assert "blocks" not in render(sentence(at_floor)).partition(":")[0]
    (wide,) = compare(ratio_blocks([1.0 + 2 * one for one in FIVE]), plan()).primary
    assert re.match(r"inconclusive, needs about \d+ blocks: ", render(sentence(wide)))
    (hopeless,) = compare(ratio_blocks([1.0 + 50 * one for one in FIVE]), plan()).primary
    assert render(sentence(hopeless)).startswith("inconclusive, needs about more than 1000 blocks")


def test_gains_and_regressions_together_are_mixed() -> None:
    blocks = [
        block(number, {2: {THROUGHPUT: 100.0, "ttft_p50": 1.0}},
              {2: {THROUGHPUT: 110.0 * (1 + one), "ttft_p50": 1.3 * (1 + one)}})
        for number, one in enumerate(FIVE, start=1)
    ]  # fmt: skip
    found = compare(blocks, Plan((THROUGHPUT, "ttft_p50"), (2,))).headline
    assert (found.verdict, found.mixed, found.regressions) == (Verdict.REGRESSION, True, 1)


def test_pages_need_no_numerical_library_for_stored_verdicts() -> None:
    code = f"import {sentences.__name__}, sys; print({{'numpy', 'scipy', 'django'}} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
    assert Side.BASELINE.value == "baseline"
