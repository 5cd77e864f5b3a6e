"""What the supervisor asks of an engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from workers.environments import Progress


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to start: an argv list, never a shell line, and the few variables it may see."""

    argv: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)


class Engine(Protocol):
    """One deployment of one recipe on this host."""

    @property
    def served_model(self) -> str:
        """Model name on the wire."""

    def prepare(self, progress: Progress) -> None:
        """Environment and model; raises ExecutionFailure (environment, model, disk_full)."""

    def launch(self, port: int) -> Launch | None:
        """The server's process, None when the server is already running elsewhere."""

    def base_url(self, port: int) -> str:
        """Root of the OpenAI-compatible API, without a trailing slash."""

    def health_path(self) -> str:
        """Answers 200 once requests can be served."""

    def tokenizer(self) -> Path | str:
        """Folder with a Hugging Face tokenizer, or a repository name."""

    def versions(self) -> dict[str, str]:
        """Versions of what was actually started."""
