"""More models for a synthetic site: what one model measured, once more under another name.

Reading a million rows takes the product minutes; here the database copies rows that the product has read.
Recipes get the documents and fingerprints of the other model, runs and points identities of their own; the
numbers are the same.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction

from results.analysis.families import configuration_family
from results.documents.recipe import Recipe as RecipeDocument
from results.models import Curve, LanguageModel, Point, PointSource, Recipe, Run


@transaction.atomic
def copy_model(source: str, target: str, without: Sequence[str]) -> int:
    """How many points were copied; runs whose ``source_run`` is one of ``without`` are not."""
    model = LanguageModel.objects.get(slug=target)
    twins = [(recipe.id, _recipe(recipe, model)) for recipe in _recipes(source)]
    rows = [(old, new.id, configuration_family(new.document)) for old, new in twins]
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE twin_recipe (old bigint, new bigint, family text) ON COMMIT DROP")
        cursor.executemany("INSERT INTO twin_recipe VALUES (%s, %s, %s)", rows)
        cursor.execute(
            "CREATE TEMP TABLE twin_run ON COMMIT DROP AS"
            " SELECT run.id AS old, twin.new AS recipe, twin.family,"
            " md5(run.id::text || %s)::uuid AS new FROM results_run run"
            " JOIN twin_recipe twin ON twin.old = run.recipe_id WHERE run.source_run <> ALL(%s)",
            [target, list(without)],
        )
        cursor.execute("ANALYZE twin_recipe, twin_run")
        cursor.execute(_insert(Run, {"id": "twin.new", "recipe_id": "twin.recipe"}, "id"))
        cursor.execute(_insert(Point, {"run_id": "twin.new"}, "run_id"))
        copied: int = cursor.rowcount
        changed = {"run_id": "twin.new", "recipe_id": "twin.recipe", "language_model_id": str(model.id),
                   "configuration": "twin.family"}  # fmt: skip
        cursor.execute(f"{_insert(Curve, changed, 'run_id')} ON CONFLICT DO NOTHING")
        cursor.execute(_SOURCES, [target])
    return copied


#: A point is found again by its run, load and digest.
_SOURCES = f"""
INSERT INTO {PointSource._meta.db_table} (point_id, file_id, pointer)
SELECT copy.id, source.file_id, %s || ' ' || source.pointer
FROM twin_run twin
JOIN results_point point ON point.run_id = twin.old
JOIN results_point copy ON copy.run_id = twin.new AND copy.load = point.load AND copy.digest = point.digest
JOIN results_pointsource source ON source.point_id = point.id
"""  # noqa: S608 (names of our own columns)


def _recipes(source: str) -> list[Recipe]:
    return list(Recipe.objects.filter(language_model__slug=source).order_by("id"))


def _recipe(recipe: Recipe, model: LanguageModel) -> Recipe:
    document = {**recipe.document, "model": {**recipe.document["model"], "name": model.slug}}
    fingerprint = RecipeDocument.model_validate(document).fingerprint
    columns = {field.attname: getattr(recipe, field.attname) for field in Recipe._meta.concrete_fields}
    del columns["id"], columns["fingerprint"]
    own = {"document": document, "language_model_id": model.id}
    return Recipe.objects.get_or_create(fingerprint=fingerprint, defaults={**columns, **own})[0]


def _insert(table: Any, changed: dict[str, str], key: str) -> str:
    """Every column as it is, but for the changed ones; a number as identity is given anew."""
    columns = [field.column for field in table._meta.concrete_fields]
    if "id" not in changed:
        columns.remove("id")
    values = [changed.get(column, f'row."{column}"') for column in columns]
    names = ", ".join(f'"{column}"' for column in columns)
    return (
        f"INSERT INTO {table._meta.db_table} ({names}) SELECT {', '.join(values)}"  # noqa: S608 (names of our own columns)
        f' FROM {table._meta.db_table} row JOIN twin_run twin ON twin.old = row."{key}"'
    )
