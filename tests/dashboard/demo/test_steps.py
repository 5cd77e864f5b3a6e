"""Commands of the worker package as steps."""

import io
from pathlib import Path

import pytest

from dashboard.demo import steps
from dashboard.demo.screen import Screen
from dashboard.demo.steps import StepError


def test_progress_becomes_a_bar_with_time() -> None:
    line = steps.progress_line("aiperf: numpy (50%)", 61.0)
    assert line == "[############            ]  50%  1:01  aiperf: numpy"
    assert steps.progress_line("waiting", 2.0) == "waiting, 0:02"


def test_a_step_returns_what_the_command_printed(tmp_path: Path) -> None:
    step = steps.workers(["labels"], var=tmp_path, screen=Screen(io.StringIO()), name="labels")
    with pytest.raises(StopIteration) as done:
        while True:
            next(step)
    assert done.value.value.split() == ["no-prefix-cache", "prefix-cache", "prefix-cache-host-tier"]


def test_a_failed_step_says_why_in_one_line(tmp_path: Path) -> None:
    arguments = ["example", "--label", "nothing"]
    with pytest.raises(StepError, match=r"--label: one of .* \(.*example\.log\)") as caught:
        list(steps.workers(arguments, var=tmp_path, screen=Screen(io.StringIO()), name="example"))
    assert "\n" not in str(caught.value)


def test_only_an_object_is_a_document() -> None:
    assert steps.parsed('{"label": "x"}') == {"label": "x"}
    for text in ("[]", "{", ""):
        with pytest.raises(StepError, match="not "):
            steps.parsed(text)
