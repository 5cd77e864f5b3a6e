"""A recipe is the identity of a result: what it says of the deployment must be what its arguments serve."""

from collections.abc import Mapping

from results.documents.failures import FailureClass
from results.documents.recipe import Recipe
from workers.failures import ExecutionFailure


def check_identity(recipe: Recipe, served: Mapping[str, object]) -> None:
    """``served`` maps pointers inside the recipe to their true values.

    Raises ExecutionFailure ``bad_document`` for the first that the recipe has otherwise.
    """
    document = recipe.model_dump(mode="json")
    for pointer, true in served.items():
        written: object = document
        for name in pointer.split("/"):
            written = written.get(name) if isinstance(written, dict) else None
        if written != true:
            line = f"/recipe/{pointer}: {written} is written, but the arguments serve {true}"
            raise ExecutionFailure(FailureClass.BAD_DOCUMENT, line)


def offload_mode(size: float | None) -> str:
    """Mode of KV offload to host memory of ``size``; none without one."""
    return "dram" if size else "none"
