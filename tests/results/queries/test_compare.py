"""Comparisons against a calculation of our own, and what happens where there is nothing to compare."""

import json
import uuid
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from results.analysis.gains.vocabulary import Reason
from results.documents.canonical import fingerprint
from results.models import Engine, Hardware, Point, Recipe, Run, State
from results.queries.compare import Wanted, compare
from results.queries.compare_document import comparison_document
from results.queries.presets import presets
from results.queries.sides import Asked, UnknownSideError
from results.services.publish_curve import publish_curve
from tests.factories import make_point, make_recipe, make_run

pytestmark = pytest.mark.django_db
X, Y = "interactivity_p50", "total_throughput_per_gpu"
FAST = ((1, 90.0, 100.0), (2, 70.0, 180.0), (4, 45.0, 300.0), (8, 20.0, 420.0), (16, 18.0, 300.0))
SLOW = ((1, 80.0, 80.0), (2, 60.0, 150.0), (4, 40.0, 260.0), (8, 15.0, 380.0))


def measured(label: str, places: Sequence[tuple[int, float, float]], **arguments: bool) -> Run:
    run = make_run(state=State.SUCCEEDED, label=label, recipe=make_recipe(**arguments))
    for load, x, y in places:
        make_point(run, load, **{X: x, Y: y, "ttft_p50": 0.5 * load})
    publish_curve(run=run.id)
    return run


def moved(run: Run, hardware: str, engine: str = "llamacpp") -> None:
    """The recipe on other hardware, so that groups have something to tell apart."""
    Hardware.objects.get_or_create(
        slug=hardware, defaults={"name": hardware.upper(), "vendor": "v", "kind": "gpu"}
    )
    Engine.objects.get_or_create(slug=engine, defaults={"name": engine})
    recipe = run.recipe
    document = json.loads(json.dumps(recipe.document).replace('"cpu"', f'"{hardware}"'))
    Recipe.objects.filter(id=recipe.id).update(
        hardware=Hardware.objects.get(slug=hardware),
        engine=Engine.objects.get(slug=engine),
        document=document,
        # A process knows a recipe by its fingerprint.
        fingerprint=fingerprint({"recipe": document, "row": recipe.id}),
    )


def own_line(run: Run) -> PchipInterpolator:
    """Frontier and line from the table alone, with numpy and SciPy."""
    rows = np.array(list(Point.objects.filter(run=run).values_list(X, Y)))
    beaten = [np.any(np.all(rows >= row, axis=1) & np.any(rows > row, axis=1)) for row in rows]
    kept = rows[~np.array(beaten)]
    kept = kept[np.argsort(kept[:, 0])]
    return PchipInterpolator(kept[:, 0], kept[:, 1], extrapolate=False)


def test_ratios_at_equal_interactivity_are_those_of_an_independent_calculation() -> None:
    slow, fast = measured("slow", SLOW, cache_prompt=False), measured("fast", FAST, cache_prompt=True)
    xs = (20.0, 33.3, 50.0, 77.7)
    found = compare(Wanted(Asked(runs=(slow.id, fast.id)), at=xs))
    before, after = own_line(slow)(xs), own_line(fast)(xs)
    got = [[entry.cell.value if entry.cell else None for entry in row.entries] for row in found.iso]
    np.testing.assert_allclose(np.array(got, float), np.stack([before, after], axis=1), rtol=1e-12)
    np.testing.assert_allclose([row.entries[1].ratio or 0 for row in found.iso], after / before, rtol=1e-9)
    assert found.range == (20.0, 80.0)


def test_nothing_is_extrapolated_and_the_end_is_named() -> None:
    slow, fast = measured("slow", SLOW, cache_prompt=False), measured("fast", FAST, cache_prompt=True)
    row = compare(Wanted(Asked(runs=(slow.id, fast.id)), at=(85.0,))).iso[0]
    assert row.entries[0].cell is not None
    assert row.entries[0].cell.value is None
    assert row.entries[0].cell.outside == "above_measured_range"
    assert row.entries[1].ratio is None


def test_identity_lists_only_what_differs() -> None:
    one, other = measured("a", SLOW, cache_prompt=False), measured("b", FAST, cache_prompt=True)
    found = compare(Wanted(Asked(runs=(one.id, other.id))))
    assert found.identity == (("cache_prompt", ("off", "on")),)
    reasons = {one.reason: one for one in found.conditions}
    assert reasons[Reason.MODEL_DIFFERS].checks[0].outcome == "passed"
    assert reasons[Reason.ARGUMENTS_DIFFER].checks[0].outcome == "failed"
    assert not reasons[Reason.ARGUMENTS_DIFFER].stops
    assert reasons[Reason.FEW_BLOCKS].warns


def test_hardware_may_be_compared_and_its_difference_only_warns() -> None:
    moved(measured("a", SLOW, cache_prompt=False), "h100")
    moved(measured("b", FAST, cache_prompt=True), "b200")
    found = compare(Wanted(Asked(hardware=("h100", "b200")), at=(50.0,)))
    assert [side.name for side in found.sides] == ["H100", "B200"]
    hardware = next(one for one in found.conditions if one.reason is Reason.HARDWARE_DIFFERS)
    assert (hardware.stops, hardware.warns) == (False, True)
    cost = found.iso[0].entries[1].costs["cost_per_million_total_tokens"]
    value = found.iso[0].entries[1].cell
    assert value is not None and value.value is not None
    price = found.rates[1]
    assert price is not None and price.dollars_per_hour is not None
    assert cost * value.value * 3600 / 1e6 == pytest.approx(price.dollars_per_hour, rel=1e-12)
    assert [preset.pair for preset in presets() if preset.kind == "hardware"] == ["b200-vs-h100"]


def test_points_of_one_curve_are_of_one_run() -> None:
    """A newer run of the same recipe replaces the curve and is not stitched to it."""
    old, new = measured("a", SLOW, cache_prompt=False), measured("a", FAST, cache_prompt=False)
    other = measured("b", FAST, cache_prompt=True)
    prints = (old.recipe.fingerprint[:12], other.recipe.fingerprint[:12])
    found = compare(Wanted(Asked(recipes=prints)))
    assert {point.run for point in found.sides[0].points} == {new.id}


def test_unknown_sides_are_named() -> None:
    run = measured("a", SLOW)
    with pytest.raises(UnknownSideError, match="run: there is no run"):
        compare(Wanted(Asked(runs=(run.id, uuid.uuid4()))))
    with pytest.raises(UnknownSideError, match="recipe: no recipe"):
        compare(Wanted(Asked(recipes=("0" * 12, run.recipe.fingerprint))))
    with pytest.raises(UnknownSideError, match="hardware: the catalogue"):
        compare(Wanted(Asked(hardware=("cpu", "h999"))))


def test_a_run_without_points_is_shown_as_such() -> None:
    run, empty = measured("a", SLOW), make_run(state=State.SUCCEEDED, label="empty")
    document = comparison_document(compare(Wanted(Asked(runs=(run.id, empty.id)))))
    assert document["sides"][1]["points"] == 0
    assert document["iso"][0]["entries"][1]["outside"] == "no_line"
    assert document["metrics"] == []
    assert document["loads"]["shared"] == []
