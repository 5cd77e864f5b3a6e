"""Run document: what to measure. The API accepts it, the database keeps it, a GPU host executes it."""

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from results.documents.base import Document
from results.documents.parameters import ARGUMENTS, validate_arguments
from results.documents.recipe import Recipe

#: Data sets that AIPerf's scenario accepts for a valid AgentX submission; it downloads them itself.
PUBLIC_CORPORA = frozenset(
    f"semianalysis_cc_traces_weka_{name}{cap}"
    for name in ("with_subagents", "with_subagents_060226", "with_subagents_060526",
                 "with_subagents_060826", "061326", "061526", "062126")
    for cap in ("", "_256k")
)  # fmt: skip

Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Tokens = Annotated[int, Field(ge=1, le=16_777_216)]
Ratio = Annotated[float, Field(ge=0, le=1, strict=False)]
Commit = Annotated[str, Field(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
#: ``owner/name#number``.
PullName = Annotated[str, Field(max_length=160, pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[1-9][0-9]{0,8}$")]


class AgenticScenario(Document):
    """Replay of a trace corpus; ``version`` is the sha256 of the corpus, absent means the host's copy."""

    kind: Literal["agentic"] = "agentic"
    corpus: Name
    version: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    context_cap: Tokens | None = None


class FixedScenario(Document):
    """Fixed input and output lengths in tokens. Stored and compared; not executed by this release."""

    kind: Literal["fixed"]
    isl: Tokens
    osl: Tokens


class Client(Document):
    """Load generator settings; times in seconds."""

    name: Literal["aiperf"] = "aiperf"
    version: Literal["0.13.0"] = "0.13.0"
    window_seconds: Annotated[int, Field(ge=5, le=86400)] = 3600
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 42
    unsafe_override: bool = False
    start_ratio: tuple[Ratio, Ratio] = (0.25, 0.75)
    idle_gap_cap_seconds: Annotated[float, Field(gt=0, le=3600, strict=False)] | None = None
    # How long answers count after the window; the client waits it out in full. Absent: its own 30 s.
    grace_seconds: Annotated[float, Field(ge=0, le=3600, strict=False)] | None = None
    failed_request_threshold: Annotated[float, Field(gt=0, le=1, strict=False)] = 0.1

    @model_validator(mode="before")
    @classmethod
    def _json_arrays(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("start_ratio"), list):
            return {**value, "start_ratio": tuple(value["start_ratio"])}
        return value

    @model_validator(mode="after")
    def _window_is_honest(self) -> Self:
        if self.window_seconds < 900 and not self.unsafe_override:
            raise ValueError("window_seconds under 900 needs unsafe_override (a diagnostic point)")
        if self.start_ratio[0] > self.start_ratio[1]:
            raise ValueError("start_ratio must be [low, high]")
        return self


class RunDocument(Document):
    """One server launch that measures an ordered list of loads (live session trees).

    ``commit`` is the whole hash of the engine's build, as the submitter states it; it becomes the recipe's.
    With ``pull_request`` the run looks for runs of the ``merge_base``, which GitHub is asked for if absent.
    """

    schema_: Literal["northstar.run/1"] = Field("northstar.run/1", alias="schema")
    label: Name
    block: Annotated[int, Field(ge=1, le=10_000)] | None = None
    recipe: Recipe
    scenario: Annotated[AgenticScenario | FixedScenario, Field(discriminator="kind")]
    loads: Annotated[list[Annotated[int, Field(ge=1, le=65536)]], Field(min_length=1, max_length=32)]
    client: Client = Client(window_seconds=3600)
    host: Name | None = None
    hard_limit_seconds: Annotated[int, Field(ge=30, le=172_800)] = 14_400
    pull_request: PullName | None = None
    commit: Commit | None = None
    merge_base: Commit | None = None

    @field_validator("loads")
    @classmethod
    def _loads_increase(cls, loads: list[int]) -> list[int]:
        if any(later <= earlier for earlier, later in pairwise(loads)):
            raise ValueError("loads must be strictly increasing")
        return loads

    @model_validator(mode="after")
    def _only_public_corpora_are_agentx(self) -> Self:
        scenario = self.scenario
        local = isinstance(scenario, AgenticScenario) and scenario.corpus not in PUBLIC_CORPORA
        if local and not self.client.unsafe_override:
            raise ValueError("a corpus that is no AgentX data set needs client.unsafe_override")
        return self

    @model_validator(mode="after")
    def _origin_is_whole(self) -> Self:
        built = self.recipe.engine.commit
        if self.pull_request is not None and self.commit is None:
            raise ValueError("a run of a pull request states its commit")
        if self.merge_base is not None and self.pull_request is None:
            raise ValueError("a merge base is stated with its pull request")
        if self.commit is not None and built is not None and not self.commit.startswith(built):
            raise ValueError("commit and recipe.engine.commit name different builds")
        if self.commit is not None and self.commit == self.merge_base:
            raise ValueError("the merge base is not part of the change: commit must be another one")
        return self

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


def check_executable(document: RunDocument) -> RunDocument:
    """The document with every engine argument spelled out, so that defaults do not split recipes.

    Raises ValidationError, with locations inside the document, for what no worker can execute.
    """
    details: list[InitErrorDetails] = []
    document = _with_commit(document)
    engine = document.recipe.engine.name
    if engine not in ARGUMENTS:
        details.append(
            _detail(
                "unknown_engine",
                f"engine is one of {', '.join(ARGUMENTS)}",
                ("recipe", "engine", "name"),
                engine,
            )
        )
    else:
        details += _argument_details(engine, document.recipe.arguments)
    details += _unstated(document.recipe)
    if document.scenario.kind != "agentic":
        details.append(
            _detail(
                "not_executable",
                "only agentic scenarios can be executed",
                ("scenario", "kind"),
                document.scenario.kind,
            )
        )
    if document.recipe.environment:
        details.append(
            _detail(
                "not_allowed",
                "no environment variable is on the allow-list of this engine",
                ("recipe", "environment"),
                None,
            )
        )
    if details:
        raise ValidationError.from_exception_data("RunDocument", details)
    arguments = validate_arguments(engine, document.recipe.arguments).model_dump(mode="json")
    recipe = document.recipe.model_copy(update={"arguments": arguments})
    return document.model_copy(update={"recipe": recipe})


def _with_commit(document: RunDocument) -> RunDocument:
    """The commit is part of what is served: two commits are two recipes."""
    if document.commit is None:
        return document
    build = document.recipe.engine.model_copy(update={"commit": document.commit})
    return document.model_copy(update={"recipe": document.recipe.model_copy(update={"engine": build})})


def _unstated(recipe: Recipe) -> list[InitErrorDetails]:
    """What an imported result may leave open and an executed run may not."""
    build, offload, speculative = recipe.engine, recipe.kv_offload, recipe.speculative
    rules = (
        (not (build.version or build.image or build.commit), ("engine",),
         "an engine needs a version, an image or a commit"),
        (recipe.kv_dtype is None, ("kv_dtype",), "a run that is executed states its KV data type"),
        (offload.mode != "none" and offload.backend is None, ("kv_offload", "backend"),
         "an offload that is executed names its backend"),
        (speculative is not None and speculative.draft_length is None, ("speculative", "draft_length"),
         "speculative decoding that is executed states its draft length"),
    )  # fmt: skip
    return [_detail("missing", text, ("recipe", *place), None) for broken, place, text in rules if broken]


def _argument_details(engine: str, arguments: Any) -> list[InitErrorDetails]:
    try:
        validate_arguments(engine, arguments)
    except ValidationError as error:
        return [
            _detail(item["type"], item["msg"], ("recipe", "arguments", *item["loc"]), item["input"])
            for item in error.errors(include_url=False)
        ]
    return []


def _detail(kind: str, message: str, location: tuple[int | str, ...], value: Any) -> InitErrorDetails:
    # Braces would be read as a template by pydantic-core.
    text = message.replace("{", "(").replace("}", ")")
    return InitErrorDetails(type=PydanticCustomError(kind, text), loc=location, input=value)
