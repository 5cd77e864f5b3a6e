"""Families of History count what their own scenario holds."""

import pytest

from results.queries.history import Series, history
from tests.dashboard.pages.explored import AGENTIC, points, recipe


@pytest.mark.django_db
def test_a_family_counts_its_builds_and_the_runs_of_its_scenario() -> None:
    old, new = (recipe(engine={"name": "vllm", "version": version}) for version in ("1.0", "2.0"))
    points(old, {1: (80, 200)}, day=1)
    points(old, {1: (81, 210)}, day=2)
    points(new, {1: (85, 230)}, day=3)
    points(new, {1: (20, 900)}, day=3, scenario=AGENTIC)
    found = history(Series(scenario="8192/1024", metric="total_throughput_per_gpu", load=1))
    (family,) = found.families
    assert (family.builds, family.runs, family.recipe.version) == (2, 3, "2.0")
    assert [one.value for one in found.observed] == [200, 210, 230]
