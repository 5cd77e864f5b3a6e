"""An OpenAI-compatible server that already runs: measured, not started and not stopped."""

import json
from pathlib import Path

from results.documents.failures import FailureClass
from results.documents.parameters import EndpointArguments
from results.documents.recipe import Recipe
from workers import direct
from workers.environments import Progress
from workers.failures import ExecutionFailure
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
        """The server is somebody else's: it must answer now, and must serve the recipe's model."""
        progress(f"asking {self._arguments.url} for its models", None)
        served = self._served_models()
        if self.served_model not in served:
            line = f"/recipe/model/name: {self._arguments.url} serves {', '.join(served) or 'no model'}"
            raise ExecutionFailure(FailureClass.MODEL, line)

    def _served_models(self) -> list[str]:
        url = self.base_url(0) + self.health_path()
        try:
            return [str(model["id"]) for model in json.loads(direct.get(url, timeout=10))["data"]]
        except direct.NO_ANSWER as error:
            line = f"/recipe/arguments/url: {url} does not answer as it should: {error}"
            raise ExecutionFailure(FailureClass.SERVER_START, line) from error
        except (KeyError, TypeError) as error:
            line = f"/recipe/arguments/url: {url} does not list models as OpenAI's API does"
            raise ExecutionFailure(FailureClass.SERVER_START, line) from error

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
