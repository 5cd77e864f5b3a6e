"""Which packages a program needs that the target lacks: names, pins and hashes from the package index."""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workers.offline.errors import OfflineError
from workers.offline.have import Have, canonical

_PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[^\s;]+)")


@dataclass(frozen=True, slots=True)
class Target:
    """The host that will unpack: Python's version such as 3.12, and a platform in uv's words."""

    python: str
    platform: str = "x86_64-manylinux_2_35"

    @property
    def flags(self) -> list[str]:
        return ["--python-version", self.python, "--python-platform", self.platform]


def uv(*arguments: str) -> str:
    """Standard output of uv; raises OfflineError with its last line of complaint."""
    argv = [sys.executable, "-m", "uv", *arguments]
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    if result.returncode:
        lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        raise OfflineError(f"uv {arguments[0]}: {' '.join(lines)[-600:] or 'failed'}")
    return result.stdout


def resolve(requirements: list[str], lock: Path, target: Target, have: Have, left_out: list[str]) -> str:
    """A complete requirements file with hashes, without what the target has and what is left out.

    The lock's versions hold unless the target has another one; what only the target's Python needs is
    resolved anew. Raises OfflineError.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "wanted.in": requirements,
            "locked.txt": locked_pins(lock, have),
            "have.txt": have.overrides,
        }
        for name, lines in files.items():
            Path(folder, name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        absent = [option for name in _absent(have, left_out) for option in ("--no-emit-package", name)]
        return uv(
            "pip", "compile", str(Path(folder, "wanted.in")), "--quiet", "--no-header", "--no-annotate",
            "--constraint", str(Path(folder, "locked.txt")), "--override", str(Path(folder, "have.txt")),
            "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", *target.flags, *absent,
        )  # fmt: skip


def _absent(have: Have, left_out: list[str]) -> list[str]:
    return sorted({*have.versions, *map(canonical, left_out)})


def locked_pins(lock: Path, have: Have) -> list[str]:
    """``name==version`` of every line of a lock, except packages whose version is the target's."""
    pins = (_PIN.match(line) for line in lock.read_text(encoding="utf-8").splitlines())
    return [pin[0] for pin in pins if pin is not None and canonical(pin["name"]) not in have.versions]


def pins(requirements: str) -> dict[str, str]:
    """Canonical name -> version of a resolved requirements file."""
    found = (_PIN.match(line) for line in requirements.splitlines())
    return {canonical(pin["name"]): pin["version"] for pin in found if pin is not None}


def install(requirements: str, target: Target, folder: Path) -> None:
    """Unpack the wheels into ``folder`` as they will lie on the target; raises OfflineError."""
    folder.mkdir(parents=True)
    if not pins(requirements):
        return
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "requirements.txt")
        file.write_text(requirements, encoding="utf-8")
        uv(
            "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes",
            "--link-mode", "copy", "--target", str(folder), *target.flags, "--requirement", str(file),
        )  # fmt: skip
