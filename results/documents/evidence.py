"""Documents that a supervisor leaves in a bundle beside the run document."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, model_validator

from results.documents.base import Document
from results.documents.failures import FailureClass

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Failure(Document):
    """``line`` is the first causal log line, ``detail`` what the supervisor adds to it."""

    class_: FailureClass = Field(alias="class")
    line: str = ""
    detail: str = ""


class PhaseSpan(Document):
    """One phase as it was executed; ``load`` for those that repeat per load."""

    name: Annotated[str, Field(min_length=1, max_length=32)]
    load: Annotated[int, Field(ge=1)] | None = None
    started_at: AwareDatetime
    ended_at: AwareDatetime | None = None


class AttemptDocument(Document):
    """``attempt.json``: how one attempt went; times are UTC."""

    schema_: Literal["northstar.attempt/1"] = Field(alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    attempt: Annotated[int, Field(ge=0, le=32767)]
    started_at: AwareDatetime
    ended_at: AwareDatetime
    outcome: Literal["succeeded", "failed", "cancelled"]
    failure: Failure | None = None
    phases: list[PhaseSpan] = Field(default_factory=list, max_length=1024)
    versions: dict[str, Any] = Field(default_factory=dict)
    argv: dict[str, list[str]] = Field(default_factory=dict)
    environment: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_consistent(self) -> "AttemptDocument":
        if self.ended_at < self.started_at:
            raise ValueError("ended_at is before started_at")
        if self.outcome == "failed" and self.failure is None:
            raise ValueError("a failed attempt names its failure")
        return self


class LoadDocument(Document):
    """``load.json``: what was planned at one load, and when it was executed."""

    load: Annotated[int, Field(ge=1)]
    started_at: AwareDatetime
    ended_at: AwareDatetime
    planned_window_seconds: Annotated[float, Field(gt=0, strict=False)]
    unsafe_override: bool
    returncode: int | None = None


class ManifestEntry(Document):
    """One file of the bundle; ``path`` is relative with forward slashes, ``size`` in bytes."""

    path: Annotated[str, Field(min_length=1, max_length=512)]
    sha256: Sha256
    size: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def _stays_inside(self) -> "ManifestEntry":
        parts = self.path.split("/")
        if "\\" in self.path or "\0" in self.path or any(part in ("", ".", "..") for part in parts):
            raise ValueError("path must be relative and stay inside the bundle")
        return self


class Manifest(Document):
    """``MANIFEST.json``: every other file of the bundle."""

    files: list[ManifestEntry] = Field(max_length=100_000)

    @model_validator(mode="after")
    def _paths_are_unique(self) -> "Manifest":
        if len({entry.path for entry in self.files}) != len(self.files):
            raise ValueError("a path is listed twice")
        return self
