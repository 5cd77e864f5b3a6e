"""pytest plugin: one PostgreSQL and one broker for the whole test run, started by the controller alone.

Loaded with ``-p`` because pytest-django reads the settings before any conftest.py.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

#: Set by the controller; xdist workers inherit it and start nothing.
_MARK = "NORTHSTAR_TEST_SERVICES"
_stop: list[Callable[[], None]] = []


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    if _MARK in os.environ:
        return
    from dashboard.embedded.testing import start_test_services

    folder = tempfile.TemporaryDirectory(prefix="northstar-test-", ignore_cleanup_errors=True)
    os.environ[_MARK] = folder.name
    os.environ["NORTHSTAR_VAR"] = str(Path(folder.name, "var"))
    # WhiteNoise warns about a folder of static files that is not there, and warnings are errors.
    Path(folder.name, "var", "static").mkdir(parents=True)
    # Compared with production a test has no reader to protect; a fixed key keeps failures repeatable.
    os.environ["SECRET_KEY"] = "test-" + "0123456789abcdef" * 4
    _stop.append(folder.cleanup)
    _stop.append(start_test_services(Path(folder.name)))


def pytest_unconfigure() -> None:
    while _stop:
        _stop.pop()()
