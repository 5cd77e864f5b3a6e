from typing import Any

from django.db import migrations, models

from results.analysis.families import configuration_family

#: What ``publish_curve`` keeps up to date from now on, for the curves that there are.
_JUDGE = """
WITH seen AS (
  SELECT curve.id, rank() OVER (
    PARTITION BY curve.configuration, curve.scenario_id, point.load, point.validity
    ORDER BY (COALESCE(CASE WHEN run.origin = 'executed' THEN COALESCE(run.started_at, run.created_at)
      ELSE run.measured_at END, '-infinity') AT TIME ZONE 'UTC')::date DESC,
      recipe.engine_version <> '' DESC) AS place
  FROM results_curve curve
  JOIN results_run run ON run.id = curve.run_id
  JOIN results_recipe recipe ON recipe.id = curve.recipe_id
  JOIN results_point point ON point.run_id = run.id AND point.current
  LEFT JOIN results_attempt attempt ON attempt.id = point.attempt_id
  WHERE attempt.id IS NULL OR attempt.state NOT IN ('failed', 'cancelled')
), judged AS (
  SELECT id, count(*) AS points, bool_and(place > 1) AS superseded FROM seen GROUP BY id
)
UPDATE results_curve curve SET points = judged.points, superseded = judged.superseded
FROM judged WHERE judged.id = curve.id
"""


def fill(apps: Any, schema_editor: Any) -> None:
    curves = apps.get_model("results", "Curve").objects
    recipes = apps.get_model("results", "Recipe").objects.filter(curves__isnull=False).distinct()
    for recipe, document in recipes.values_list("id", "document").iterator():
        curves.filter(recipe=recipe).update(configuration=configuration_family(document))
    schema_editor.execute(_JUDGE)
    # Foreign keys of changed rows are checked now: a table with checks to come takes no index.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ('results', '0013_curve_place'),
    ]

    operations = [
        migrations.AddField(
            model_name='curve',
            name='configuration',
            field=models.CharField(default='', max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='curve',
            name='points',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='curve',
            name='superseded',
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='curve',
            index=models.Index(fields=['configuration', 'scenario'], name='curve_configuration'),
        ),
        migrations.AddConstraint(
            model_name='curve',
            constraint=models.CheckConstraint(condition=models.Q(('configuration__regex', '^[0-9a-f]{64}$')), name='curve_configuration_sha256'),
        ),
        migrations.AddConstraint(
            model_name='curve',
            constraint=models.CheckConstraint(condition=models.Q(('superseded', False), ('points__gte', 1), _connector='OR'), name='curve_superseded_has_points'),
        ),
    ]
