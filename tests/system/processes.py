"""What the system tests share: bounded waits, and an environment without the test run's own services."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from dashboard.embedded.process import is_alive

OURS = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "NORTHSTAR_VAR", "NORTHSTAR_TEST_SERVICES",
        "DJANGO_SETTINGS_MODULE")  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]


def eventually(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether the condition comes true in time; looks often, sleeps little."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def outside(**changes: str) -> dict[str, str]:
    """The environment of a stranger's shell, with ``changes``."""
    return {name: value for name, value in os.environ.items() if name not in OURS} | changes


def descendants(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def all_gone(pids: list[int], seconds: float = 20.0) -> bool:
    return eventually(lambda: not any(is_alive(pid) for pid in pids), seconds)
