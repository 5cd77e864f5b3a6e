"""What the reading of files leaves: runs, points, sources, quarantine; whatever the order."""

from results.ingest.rows import FormatError, Rejected
from results.models import Point, PointSource, Quarantine, Recipe, Run
from tests.results.ingest.listed import RECIPE, Desk, result


def test_a_row_becomes_a_point_of_a_run_of_a_recipe(listed: Desk) -> None:
    report = listed.send(result(load=4, values=100.0, source_run="r1", published_run="p1"))
    assert (report.format, report.version, report.created, report.unchanged) == ("listed", "1", 1, 0)
    assert report.quarantined == ()
    point = Point.objects.get()
    run = point.run
    assert (run.origin, run.state, run.source_run, run.published_run, run.loads) == (
        "imported", "succeeded", "r1", "p1", [4],
    )  # fmt: skip
    assert run.measured_at == point.measured_at
    assert point.output_throughput_per_gpu == 12.5
    recipe = Recipe.objects.get()
    assert (recipe.hardware.slug, recipe.language_model.slug, recipe.precision, recipe.gpu_count) == (
        "b200", "deepseek-r1-0528", "fp4", 8,
    )  # fmt: skip
    assert PointSource.objects.get().pointer == "/4/1"
