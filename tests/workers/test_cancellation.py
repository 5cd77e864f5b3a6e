"""Signals, on real processes: what wakes a blocking call, and what must not tear a clean-up."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREPARING = """
import sys, time
from workers.cancellation import Stop
from workers.failures import ExecutionFailure
stop = Stop(float(sys.argv[1]))
stop.on_signals()
stop.on_parent_end()
try:
    with stop.interrupting():
        print("blocked", flush=True)
        time.sleep(60)
except ExecutionFailure as failure:
    print(failure.failure, failure.line, sep=": ")
"""
CLEANING_UP = """
import time
from workers.cancellation import Stop
from workers.failures import ExecutionFailure
stop = Stop(60)
stop.on_signals()
print("blocked", flush=True)
begin = time.monotonic()
while time.monotonic() < begin + 1:
    time.sleep(0.1)
print("whole")
try:
    stop.check()
except ExecutionFailure as failure:
    print(failure.line)
"""


def blocked(code: str, limit: str = "60") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", code, limit],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "blocked\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_blocking_call(number: signal.Signals) -> None:
    with blocked(PREPARING) as process:
        process.send_signal(number)
        # Standard input stays open until it has spoken: its end would be a second reason.
        assert process.stdout is not None
        assert process.stdout.readline() == "cancelled: cancelled\n"


def test_the_end_of_the_parent_ends_a_blocking_call() -> None:
    with blocked(PREPARING) as process:
        assert process.communicate(timeout=20)[0] == "worker_lost: the worker went away\n"


def test_the_hard_limit_ends_a_blocking_call() -> None:
    begin = time.monotonic()
    with blocked(PREPARING, "2") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "timeout: the hard limit of 2 s passed\n"
    assert time.monotonic() - begin < 20


def test_elsewhere_a_signal_is_kept_until_it_is_asked_for() -> None:
    with blocked(CLEANING_UP) as process:
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=20)[0] == "whole\ncancelled\n"
