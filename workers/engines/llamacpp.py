"""llama.cpp: prefix cache per slot, and a host-memory tier for the KV of evicted prompts."""

import json
from pathlib import Path

from results.documents.failures import FailureClass
from results.documents.parameters import LlamaCppArguments
from results.documents.recipe import Recipe
from workers import environments
from workers.engines.base import Launch
from workers.engines.identity import check_identity, offload_mode
from workers.environments import Progress
from workers.failures import ExecutionFailure
from workers.tiny_model import NAME, TinyModel, ensure_tiny_model, find_tiny_model

VERSION = "2026.10.11549"
_SERVER = Path(__file__).with_name("llamacpp_server.py")


def find_model(
    recipe: Recipe, var: Path, progress: Progress, possible: tuple[str, ...] = (NAME,)
) -> TinyModel:
    """The recipe's model if this host has exactly its revision; raises ExecutionFailure.

    ``possible`` are the names of models that the engine can serve.
    """
    name = recipe.model.name
    if name not in possible:
        line = f"/recipe/model/name: {recipe.engine.name} serves {' and '.join(possible)} here, not {name}"
        raise ExecutionFailure(FailureClass.MODEL, line)
    revision = recipe.model.revision or ""
    found = find_tiny_model(var, revision, name) or ensure_tiny_model(var, progress, name)
    if found.revision != revision:
        line = f"/recipe/model/revision: this host has {found.revision}, not {revision or 'none'}"
        raise ExecutionFailure(FailureClass.MODEL, line)
    return found


class LlamaCpp:
    """The C++ server of the xllamacpp wheel."""

    served_model = NAME

    def __init__(self, recipe: Recipe, var: Path) -> None:
        self._recipe = recipe
        self._var = var
        self._arguments = LlamaCppArguments.model_validate(recipe.arguments)

    def prepare(self, progress: Progress) -> None:
        if self._recipe.engine.version != VERSION:
            line = f"/recipe/engine/version: this host has {VERSION}, not {self._recipe.engine.version}"
            raise ExecutionFailure(FailureClass.ENVIRONMENT, line)
        # The model file and llama.cpp's KV cache are float16.
        check_identity(self._recipe, {
            "precision": "fp16",
            "kv_dtype": "fp16",
            "kv_offload/mode": offload_mode(self._arguments.cache_ram_mib),
        })  # fmt: skip
        self._python = environments.ensure("llamacpp", self._var, progress).python
        self._model = find_model(self._recipe, self._var, progress)

    def launch(self, port: int) -> Launch:
        options = {
            "model": str(self._model.gguf),
            "alias": NAME,
            "host": "127.0.0.1",
            "port": port,
            **self._arguments.model_dump(),
        }
        argv = [str(self._python), "-I", "-u", str(_SERVER), json.dumps(options, sort_keys=True)]
        return Launch(argv)

    def base_url(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"

    def health_path(self) -> str:
        return "/health"

    def tokenizer(self) -> Path:
        return self._model.hf_dir

    def versions(self) -> dict[str, str]:
        return {"engine": VERSION, "package": f"xllamacpp {VERSION}"}
