"""Typed arguments of each engine we can execute; the API and the worker check the same classes."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from results.documents.base import Document

Positive = Annotated[int, Field(ge=1, le=16_777_216)]
Gibibytes = Annotated[float, Field(gt=0, le=65536, strict=False)]


class LlamaCppArguments(Document):
    """``context`` is tokens per slot; ``cache_ram_mib`` 0 switches the host KV tier off."""

    context: Positive = 8192
    parallel: Annotated[int, Field(ge=1, le=64)] = 2
    cache_prompt: bool = True
    cache_ram_mib: Annotated[int, Field(ge=0, le=4_194_304)] = 0
    threads: Annotated[int, Field(ge=1, le=1024)] | None = None


class VllmArguments(Document):
    max_model_len: Positive = 8192
    enable_prefix_caching: bool = True
    max_num_seqs: Positive | None = None
    kv_cache_memory_gib: Gibibytes | None = None
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1, strict=False)] | None = None
    kv_offloading_gib: Gibibytes | None = None
    enforce_eager: bool = False
    load_format: Literal["auto", "dummy"] = "auto"
    tensor_parallel_size: Positive = 1


class EndpointArguments(Document):
    """An OpenAI-compatible server that already runs; ``tokenizer`` defaults to the model's name."""

    url: Annotated[str, Field(pattern=r"^https?://[^\s/?#]+(/[^\s?#]*)?$", max_length=512)]
    tokenizer: Annotated[str, Field(min_length=1, max_length=512)] | None = None


EngineArguments = LlamaCppArguments | VllmArguments | EndpointArguments

ARGUMENTS: Mapping[str, type[LlamaCppArguments] | type[VllmArguments] | type[EndpointArguments]] = {
    "llamacpp": LlamaCppArguments,
    "vllm": VllmArguments,
    "endpoint": EndpointArguments,
}


def validate_arguments(engine: str, arguments: Mapping[str, Any]) -> EngineArguments:
    """Arguments of ``engine``; KeyError for an engine we cannot execute, ValidationError otherwise."""
    return ARGUMENTS[engine].model_validate(dict(arguments))
