"""Accuracy: which recipes a score belongs to, and whether a recipe passes its gates."""

from collections.abc import Iterable

from django.db import connection

#: A score names a part of a recipe; it belongs to every recipe that contains this part.
_ATTACH = """
INSERT INTO results_evaluation_recipes (evaluation_id, recipe_id)
SELECT evaluation.id, recipe.id
FROM results_evaluation evaluation JOIN results_recipe recipe ON recipe.document @> evaluation.config
WHERE {chosen} ON CONFLICT DO NOTHING RETURNING recipe_id
"""

#: Of each task and metric the newest score counts, of several newest the lowest. The gate that names model
#: and precision comes before the one that names the model, before the one that names neither. One failed
#: gate fails the recipe; without any gate its accuracy is unknown.
_JUDGE = """
WITH newest AS (
  SELECT DISTINCT ON (link.recipe_id, evaluation.task, evaluation.metric)
    link.recipe_id, evaluation.task, evaluation.metric, evaluation.score
  FROM results_evaluation_recipes link
  JOIN results_evaluation evaluation ON evaluation.id = link.evaluation_id
  WHERE link.recipe_id = ANY(%(recipes)s)
  ORDER BY link.recipe_id, evaluation.task, evaluation.metric, evaluation.measured_at DESC NULLS LAST,
    evaluation.score
), judged AS (
  SELECT newest.recipe_id, bool_and(newest.score >= gate.minimum) AS passed
  FROM newest
  JOIN results_recipe recipe ON recipe.id = newest.recipe_id
  JOIN results_languagemodel model ON model.id = recipe.language_model_id
  JOIN LATERAL (
    SELECT minimum FROM results_accuracygate gate
    WHERE gate.task = newest.task AND gate.metric = newest.metric
      AND gate.model IN ('', model.slug) AND gate.precision IN ('', recipe.precision)
    ORDER BY gate.model <> '' DESC, gate.precision <> '' DESC LIMIT 1
  ) gate ON true
  GROUP BY newest.recipe_id
)
UPDATE results_recipe recipe SET accuracy = found.accuracy
FROM (
  SELECT asked.id,
    CASE judged.passed WHEN true THEN 'pass' WHEN false THEN 'fail' ELSE 'unknown' END AS accuracy
  FROM unnest(%(recipes)s::bigint[]) AS asked(id) LEFT JOIN judged ON judged.recipe_id = asked.id
) found
WHERE found.id = recipe.id AND recipe.accuracy <> found.accuracy
"""


def attach_evaluations(*, evaluations: Iterable[int] = (), recipes: Iterable[int] = ()) -> set[int]:
    """Link new scores and new recipes to what was there; the recipes that got a score."""
    attached: set[int] = set()
    for chosen, ids in (("evaluation.id", list(evaluations)), ("recipe.id", list(recipes))):
        if ids:
            with connection.cursor() as cursor:
                cursor.execute(_ATTACH.format(chosen=f"{chosen} = ANY(%s)"), [ids])
                attached.update(row[0] for row in cursor.fetchall())
    return attached


def judge_recipes(recipes: Iterable[int]) -> None:
    """Bring ``Recipe.accuracy`` of these recipes in line with scores and gates."""
    ids = sorted(set(recipes))
    if ids:
        with connection.cursor() as cursor:
            cursor.execute(_JUDGE, {"recipes": ids})


def judge_all() -> None:
    """The same for every recipe that has a score; after gates have changed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT recipe_id FROM results_evaluation_recipes")
        scored = [row[0] for row in cursor.fetchall()]
    judge_recipes(scored)
