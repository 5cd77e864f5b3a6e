"""Where recipes, hardware and engines can be compared: at what all of them have published."""

from collections import Counter
from collections.abc import Sequence

from django.db.models import Count, Q

from results.models import Curve
from results.queries.lean_points import RecipeRow
from results.queries.places import Place, choose

#: A side of many configurations: hardware or engine, and its slug.
Group = tuple[str, str]


def meeting_place(
    found: Sequence[Place],
    chosen: Sequence[RecipeRow],
    groups: Sequence[Group],
    model: str | None,
    scenario: str | None,
) -> Place | None:
    """The place of ``found`` that is asked for; else where most meet. At most one query."""
    if not chosen and not groups:
        return None
    if model is not None and scenario is not None:
        return choose(found, model, scenario)
    shared = _meeting(chosen, groups, model)
    meeting = [place for place in found if (place.model, place.scenario) in shared]
    ranked = sorted(meeting, key=lambda place: -shared[place.model, place.scenario])
    return choose(ranked, model, scenario) or choose(found, model, scenario)


def _meeting(
    chosen: Sequence[RecipeRow], groups: Sequence[Group], model: str | None
) -> Counter[tuple[str, str]]:
    """Model and scenario that every side has published, with the fewest curves of any side.

    All models unless one is asked for.
    """
    columns = ("language_model__slug", "scenario__corpus", "scenario__isl", "scenario__osl",
               "recipe__hardware__slug", "recipe__engine__slug")  # fmt: skip
    # Recipes are many, so they are told apart only where some are asked for.
    own = ("recipe_id",) if chosen else ()
    counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    curves = Curve.objects.filter(of_sides(chosen, groups, "recipe__")).order_by()
    curves = curves if model is None else curves.filter(language_model__slug=model)
    for *row, number in curves.values_list(*columns, *own).annotate(number=Count("id")):
        slug, corpus, isl, osl, hardware, engine, *recipe = row
        here = counts.setdefault((slug, corpus or f"{isl}/{osl}"), Counter())
        for side in (("hardware", hardware), ("engine", engine), *(("recipe", str(one)) for one in recipe)):
            here[side] += number
    sides = [*(("recipe", str(one.id)) for one in chosen), *groups]
    least = {where: min(here[one] for one in sides) for where, here in counts.items()}
    return Counter({where: count for where, count in least.items() if count})


def of_sides(chosen: Sequence[RecipeRow], groups: Sequence[Group], way: str = "") -> Q:
    """Recipes that are chosen, or on the hardware and engines; ``way`` leads to the recipe."""
    wanted = Q(**{f"{way}id__in": [one.id for one in chosen]})
    for kind in ("hardware", "engine"):
        wanted |= Q(**{f"{way}{kind}__slug__in": [slug for of, slug in groups if of == kind]})
    return wanted
