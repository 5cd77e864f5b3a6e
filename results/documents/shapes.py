"""Shape of a dense decoder-only model: what a token costs in bytes and in floating-point operations."""

from typing import Annotated

from pydantic import Field

from results.documents.base import Document

Slug = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
#: Bytes of one number, where a precision says it; quantised formats carry scales beside their numbers.
_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2}
_KV_BYTES = {**_BYTES, "fp8": 1}


class ModelShape(Document):
    """Sizes as in the model's published configuration; vectors (norms, biases) are left out of every sum."""

    model: Slug
    layers: Count
    hidden: Count
    intermediate: Count
    heads: Count
    kv_heads: Count
    head_size: Count
    vocabulary: Count
    source: Annotated[str, Field(min_length=1, max_length=512)]

    @property
    def layer_numbers(self) -> int:
        """Numbers in the matrices of all layers: query, key, value, output, and three of the feed-forward."""
        attention = self.hidden * self.head_size * (2 * self.heads + 2 * self.kv_heads)
        return self.layers * (attention + 3 * self.hidden * self.intermediate)

    def step_bytes(self, precision: str) -> int | None:
        """Weights that one step reads, all layers and the output layer; None for a type without a size."""
        size = _BYTES.get(precision)
        return None if size is None else size * (self.layer_numbers + self.vocabulary * self.hidden)

    def kv_bytes(self, kv_dtype: str) -> int | None:
        """Bytes of one token's key and value in all layers; None for a type whose size is not known."""
        size = _KV_BYTES.get(kv_dtype)
        return None if size is None else 2 * self.layers * self.kv_heads * self.head_size * size

    def prefill_flop(self, prompt: int, cached: int) -> int:
        """Operations that compute tokens ``cached`` to ``prompt``.

        2 per weight and token; 4 per number of a query and position before it (QK^T and AV, causal). The
        output layer runs for one token and is left out.
        """
        linear = 2 * self.layer_numbers * (prompt - cached)
        attention = 4 * self.layers * self.heads * self.head_size * (prompt * prompt - cached * cached) // 2
        return linear + attention
