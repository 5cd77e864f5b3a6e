"""Recipe: everything that identifies what is served."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from results.documents.base import Document
from results.documents.canonical import canonical_json, fingerprint

Slug = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/@:+-]*$")]
Text = Annotated[str, Field(min_length=1, max_length=512)]
Size = Annotated[int, Field(ge=1, le=65536)]
Scalar = bool | int | float | str | None


class Role(Document):
    """One role of a deployment; ``gpus`` counts every accelerator of the role (a CPU host is one)."""

    hardware: Slug
    gpus: Size
    workers: Size = 1
    tp: Size = 1
    pp: Size = 1
    ep: Size = 1
    dcp: Size = 1
    pcp: Size = 1
    dp_attention: bool = False


class EngineBuild(Document):
    """What is executed names a version, an image or a commit; imported results may know none."""

    name: Slug
    version: Text | None = None
    image: Text | None = None
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{7,64}$")] | None = None


class ModelBuild(Document):
    name: Slug
    revision: Text | None = None


class Speculative(Document):
    """``draft_length`` in tokens; None where the source does not state it."""

    method: Slug
    draft_length: Annotated[int, Field(ge=1, le=64)] | None = None
    acceptance_length: Annotated[float, Field(ge=1, strict=False)] | None = None


class Router(Document):
    name: Slug
    version: Text


class KvOffload(Document):
    """``backend`` is None without offload, and where a source does not name it."""

    mode: Literal["none", "dram"] = "none"
    backend: Slug | None = None
    version: Text | None = None
    dram_gb: Annotated[float, Field(gt=0, strict=False)] | None = None

    @model_validator(mode="after")
    def _backend_needs_offload(self) -> Self:
        if self.mode == "none" and self.backend is not None:
            raise ValueError("a backend is named only if mode is not none")
        return self


class Recipe(Document):
    """Identity of a deployment. Equal canonical JSON means equal recipe."""

    roles: dict[Literal["serve", "prefill", "decode"], Role]
    engine: EngineBuild
    model: ModelBuild
    precision: Slug
    kv_dtype: Slug | None = None
    multinode: bool = False
    speculative: Speculative | None = None
    router: Router | None = None
    kv_offload: KvOffload = KvOffload()
    kv_transfer: Slug | None = None
    arguments: dict[Slug, Scalar] = Field(default_factory=dict, max_length=64)
    environment: dict[Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,63}$")], Text] = Field(
        default_factory=dict, max_length=32
    )

    @model_validator(mode="after")
    def _roles_fit(self) -> Self:
        if set(self.roles) not in ({"serve"}, {"prefill", "decode"}):
            raise ValueError("roles are either serve, or prefill and decode")
        return self

    @property
    def disaggregated(self) -> bool:
        return "prefill" in self.roles

    @property
    def total_gpus(self) -> int:
        """Denominator of every per-GPU figure: all accelerators of the deployment."""
        return sum(role.gpus for role in self.roles.values())

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.model_dump(mode="json"))

    def canonical(self) -> bytes:
        return canonical_json(self.model_dump(mode="json"))
