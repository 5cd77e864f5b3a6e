"""Builds that newer ones replaced as a whole: pages count them without reading them, and lose nothing."""

from datetime import date

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from results.models import Curve
from results.queries.explore import Explored, Selection, explore
from results.services.withdraw_run import withdraw_run
from tests.dashboard.pages.explored import points, recipe

ALL = (1, 2, 4)


def build(version: str, day: int, *loads: int, hardware: str = "b200") -> None:
    engine = {"name": "vllm", "version": version}
    points(recipe(hardware, engine=engine), {load: (90 - load, 100 * load) for load in loads}, day=day)


def site() -> None:
    """Of B200 the first build is replaced as a whole, the second but for a load; of H200 nothing is."""
    build("3.0", 3, *ALL)
    build("1.0", 1, 1, 2)
    build("2.0", 2, *ALL, 8)
    build("1.0", 1, *ALL, hardware="h200")


def superseded() -> dict[str, bool]:
    return {
        f"{curve.recipe.hardware_id} {curve.recipe.engine_version} {curve.points}": curve.superseded
        for curve in Curve.objects.select_related("recipe")
    }


def told(found: Explored) -> object:
    return (
        [point.id for point in found.points], found.validity, found.facets, dict(found.left_out),
        [one.fingerprint for one in found.recipes], found.scope_total, found.older_runs,
    )  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("chosen", [{}, {"hardware": ("h200",)}, {"engine": ("other",)}])
def test_what_is_not_read_is_counted_as_if_it_were(chosen: dict[str, tuple[str, ...]]) -> None:
    site()
    assert sorted(superseded().values()) == [False, False, False, True]
    # As of a day everything is read, and judged there.
    newest, read = (explore(Selection(chosen=chosen, as_of=day), ()) for day in (None, date(2099, 1, 1)))
    assert told(newest) == told(read)
    if not chosen:
        assert newest.left_out == {"older_build": 5}
        assert (len(newest.points), newest.scope_total) == (7, 12)
        assert newest.facets["hardware"] == {"b200": 9, "h200": 3}
        assert newest.facets["label"] == {"imported": 7}
    assert len(explore(Selection(every_build=True), ()).points) == 12


@pytest.mark.django_db
def test_an_older_build_comes_back_when_the_newer_one_is_withdrawn() -> None:
    site()
    newest = Curve.objects.get(recipe__engine_version="3.0").run
    withdraw_run(run_id=newest.id, reason="wrong driver", actor="me")
    (replaced,) = (name for name, gone in superseded().items() if gone)
    assert " 1.0 2" in replaced
    assert {point.of.recipe.engine_version for point in explore(Selection(), ()).points} == {"1.0", "2.0"}


@pytest.mark.django_db(transaction=True)
def test_a_site_with_curves_from_before_is_judged_by_the_migration() -> None:
    site()
    before = list(Curve.objects.order_by("id").values("id", "configuration", "points", "superseded"))
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes("results")
    for target in ([("results", "0013_curve_place")], newest):
        MigrationExecutor(connection).migrate(target)
    assert list(Curve.objects.order_by("id").values("id", "configuration", "points", "superseded")) == before
