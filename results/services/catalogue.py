"""Looks up the catalogue rows that a recipe names."""

from dataclasses import dataclass
from typing import TypeVar

from results.documents.recipe import Recipe as RecipeDocument
from results.documents.refusal import DocumentError, Problem
from results.models import Alias, Engine, Hardware, LanguageModel

Row = TypeVar("Row", Hardware, Engine, LanguageModel)


@dataclass(frozen=True, slots=True)
class CatalogueRows:
    """``hardware`` is that of the role that generates tokens."""

    hardware: Hardware
    engine: Engine
    language_model: LanguageModel


def catalogue_rows(recipe: RecipeDocument) -> CatalogueRows:
    """The rows of a recipe; DocumentError with a pointer for each name that the catalogue lacks."""
    problems: list[Problem] = []
    hardware = {
        role: _row(Hardware, Alias.Kind.HARDWARE, part.hardware, f"/recipe/roles/{role}/hardware", problems)
        for role, part in recipe.roles.items()
    }
    engine = _row(Engine, Alias.Kind.ENGINE, recipe.engine.name, "/recipe/engine/name", problems)
    model = _row(LanguageModel, Alias.Kind.MODEL, recipe.model.name, "/recipe/model/name", problems)
    generating = hardware["decode" if recipe.disaggregated else "serve"]
    if problems or generating is None or engine is None or model is None:
        raise DocumentError(problems)
    return CatalogueRows(generating, engine, model)


def _row(table: type[Row], kind: Alias.Kind, slug: str, pointer: str, problems: list[Problem]) -> Row | None:
    row = table.objects.filter(slug=slug).first()
    if row is None:
        # Aliases are for imported files; a recipe is identified by canonical names alone.
        canonical = Alias.objects.filter(kind=kind, spelling=slug).values_list("canonical", flat=True).first()
        hint = f"; its name in the catalogue is {canonical}" if canonical else ""
        message = f"the catalogue has no {kind} called {slug}{hint}"
        problems.append(Problem(pointer=pointer, rule=f"unknown_{kind}", message=message))
    return row
