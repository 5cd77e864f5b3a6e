"""The weka trace format: one JSON object per recorded or generated coding-agent session, no text.

Field rules follow the trace model of AIPerf 0.13 (``extra=forbid``, local hash ids) and the documents of
callanjfox/kv-cache-tester, which publishes sessions in it. Times are seconds, lengths are tokens.
Rules that span several fields are in ``workers.traces.rules``.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

#: Clients keep block ids as signed 64-bit integers.
LARGEST_HASH_ID = 2**63 - 1
#: AIPerf 0.13 rebuilds every prompt in blocks of 64 tokens: the default of its loader wins over the trace,
#: and it refuses --isl-block-size for weka. Other blocks become other prompts than the trace says.
REPLAYED_BLOCK_SIZE = 64

Text = Annotated[str, Field(min_length=1)]
Tokens = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]
HashId = Annotated[int, Field(ge=0, le=LARGEST_HASH_ID)]


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, validate_by_name=True
    )


class Request(_Strict):
    """One API call. ``hash_ids`` names the blocks of the prompt; equal leading ids mean an equal prefix."""

    t: Seconds
    type: Literal["n", "s"]
    model: Text
    input_tokens: Tokens = Field(alias="in")
    output_tokens: Tokens = Field(alias="out")
    hash_ids: list[HashId]
    input_types: list[str] = []
    output_types: list[str] = []
    stop: Literal["", "tool_use", "end_turn"] = ""
    api_time: Seconds | None = None
    think_time: Seconds | None = None
    ttft: Seconds | None = None

    @property
    def context(self) -> int:
        """Tokens the server must hold at the end of the answer; a client asks for at least one."""
        return self.input_tokens + max(1, self.output_tokens)

    @property
    def end(self) -> float:
        """When the recorded answer was complete, on the clock of ``t``."""
        return self.t + (self.api_time or 0.0)


class SubAgent(_Strict):
    """A sub-agent that starts at ``t``; the next request of its parent waits for it.

    The ``t`` of its requests counts from the start of the trace ("absolute") in current corpora, and from
    the marker ("relative") in the raw files of kv-cache-tester. ``workers.traces.fitting.absolute`` converts.
    """

    t: Seconds
    type: Literal["subagent"]
    agent_id: Text
    subagent_type: Text
    duration_ms: Count | None = None
    total_tokens: Tokens | None = None
    tool_use_count: Count | None = None
    status: Text
    requests: list[Request]
    models: list[Text]
    tool_tokens: Tokens = 0
    system_tokens: Tokens = 0

    @property
    def relative(self) -> bool:
        """Whether the times of the requests count from the marker: no request can precede its spawn."""
        return bool(self.requests) and self.requests[0].t < self.t


class TokenTotals(_Strict):
    input: Tokens
    output: Tokens


class Totals(_Strict):
    """Sums a recorder may leave in the file; they must agree with the requests."""

    parent_tokens: TokenTotals | None = None
    subagent_tokens: TokenTotals | None = None
    combined_tokens: TokenTotals | None = None
    subagent_count: Count | None = None


def _kind(entry: Any) -> str | None:
    kind = entry.get("type") if isinstance(entry, dict) else getattr(entry, "type", None)
    if kind == "subagent":
        return "subagent"
    return "request" if kind in ("n", "s") else None


Entry = Annotated[
    Annotated[Request, Tag("request")] | Annotated[SubAgent, Tag("subagent")],
    Discriminator(_kind, custom_error_type="request_type", custom_error_message="must be n, s or subagent"),
]


class Trace(_Strict):
    """One session: the requests of the root conversation and its sub-agents, in order."""

    id: Text
    models: list[Text]
    block_size: Annotated[int, Field(gt=0)]
    hash_id_scope: Literal["local"]
    tool_tokens: Tokens = 0
    system_tokens: Tokens = 0
    requests: Annotated[list[Entry], Field(min_length=1)]
    totals: Totals | None = None

    @property
    def root(self) -> list[Request]:
        """The requests of the root conversation, in order."""
        return [entry for entry in self.requests if isinstance(entry, Request)]

    @property
    def subagents(self) -> list[SubAgent]:
        return [entry for entry in self.requests if isinstance(entry, SubAgent)]

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file; absent optional fields stay absent."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
