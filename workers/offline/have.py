"""What the target has already: a text file with one package a line."""

import re
from dataclasses import dataclass
from pathlib import Path

from workers.offline.errors import OfflineError

_LINE = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:==(?P<version>[A-Za-z0-9][A-Za-z0-9._!+-]*))?")


def canonical(name: str) -> str:
    """The name as package indexes compare it: ``Typing_Extensions`` is ``typing-extensions``."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True, slots=True)
class Have:
    """Packages of the target by canonical name; None where any version will do."""

    versions: dict[str, str | None]

    @property
    def overrides(self) -> list[str]:
        """Lines that make the resolver take the target's versions, whatever a package asks for."""
        return [f"{name}=={version}" for name, version in sorted(self.versions.items()) if version]


def read_have(path: Path | None) -> Have:
    """Read ``NAME==VERSION`` or ``NAME`` lines (``pip list --format=freeze``); None is an empty host.

    A local version such as 2.11.0+cu130 is compared by its public part, which is what an index knows.
    Raises OfflineError naming the line.
    """
    versions: dict[str, str | None] = {}
    if path is None:
        return Have(versions)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        match = _LINE.fullmatch(text)
        if match is None:
            raise OfflineError(f"{path.name}:{number}: {text!r} is neither NAME nor NAME==VERSION")
        version = match["version"]
        versions[canonical(match["name"])] = version.partition("+")[0] if version else None
    return Have(versions)
