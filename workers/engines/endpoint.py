"""An OpenAI-compatible server that already runs: measured, not started and not stopped."""

from pathlib import Path

from results.documents.parameters import EndpointArguments
from results.documents.recipe import Recipe
from workers.environments import Progress
from workers.tiny_model import NAME, find_tiny_model


class Endpoint:
    """Its versions are what the recipe says; nothing on this host can prove them."""

    def __init__(self, recipe: Recipe, var: Path) -> None:
        self._recipe = recipe
        self._var = var
        self._arguments = EndpointArguments.model_validate(recipe.arguments)

    @property
    def served_model(self) -> str:
        return self._recipe.model.name

    def prepare(self, progress: Progress) -> None:
        """Nothing to prepare: the server is somebody else's."""

    def launch(self, port: int) -> None:
        return None

    def base_url(self, port: int) -> str:
        return self._arguments.url.rstrip("/").removesuffix("/v1")

    def health_path(self) -> str:
        return "/v1/models"

    def tokenizer(self) -> Path | str:
        """The named tokenizer; the tiny model's own when that is what is served."""
        model = self._recipe.model
        if self._arguments.tokenizer is None and model.name == NAME and model.revision:
            local = find_tiny_model(self._var, model.revision)
            if local is not None:
                return local.hf_dir
        return self._arguments.tokenizer or model.name

    def versions(self) -> dict[str, str]:
        return {"engine": self._recipe.engine.version or self._recipe.engine.image or "unknown"}
