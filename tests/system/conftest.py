"""System tests share the machine's cores with each other: all of them run in one worker, one by one."""

from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.system)
            item.add_marker(pytest.mark.xdist_group("system"))
