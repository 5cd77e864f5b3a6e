"""Pages that compare and decide need the same number of queries for few points and for many."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from results.models import Run
from tests.results.api.test_query_counts import compare
from tests.results.queries.test_compare import measured, moved

pytestmark = pytest.mark.django_db


def filled(runs: int) -> list[Run]:
    """Runs of two recipes on two kinds of hardware, each with as many points as there are runs."""
    found = []
    for flag, hardware in ((False, "h100"), (True, "b200")):
        places = [(load, 90.0 / load, 100.0 + load) for load in range(1, runs + 1)]
        run = measured(hardware, places, cache_prompt=flag)
        moved(run, hardware)
        for _repeat in range(runs - 1):
            measured(hardware, places[:1], cache_prompt=flag)
        found.append(run)
    return found


@pytest.mark.parametrize("name", ["compare", "compare-pair", "compare-pick", "slo", "cache", "history"])
def test_queries_do_not_grow(client: Client, name: str) -> None:
    counts = []
    for size in (1, 12):
        one, other = filled(size)
        address = {
            "compare": f"/compare/?run={one.id}&run={other.id}",
            "compare-pair": "/compare/h100-vs-b200/",
            "compare-pick": "/compare/",
            "slo": "/slo/?ttft=2",
            "cache": "/cache/",
            "history": "/history/",
        }[name]
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        counts.append(len(captured))
    compare(f"page-{name}", counts)
