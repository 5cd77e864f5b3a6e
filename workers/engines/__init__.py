"""Engines that workers can execute, by their slug in the catalogue."""

from collections.abc import Callable
from pathlib import Path

from results.documents.recipe import Recipe
from workers.engines.base import Engine
from workers.engines.endpoint import Endpoint
from workers.engines.llamacpp import LlamaCpp
from workers.engines.vllm import Vllm

ENGINES: dict[str, Callable[[Recipe, Path], Engine]] = {
    "llamacpp": LlamaCpp,
    "vllm": Vllm,
    "endpoint": Endpoint,
}


def make_engine(recipe: Recipe, var: Path) -> Engine:
    """The engine of a checked recipe (see results.documents.run.check_executable)."""
    return ENGINES[recipe.engine.name](recipe, var)
