"""The programs of a bundle: each has a folder of its own, as their packages must not meet."""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from workers.offline.errors import OfflineError

_HERE = Path(__file__).parent
_LOCKS = _HERE.parent / "engines" / "requirements"
#: Engine slug -> environments its runs need on the target. The worker's comes last: it changes most often.
PROGRAMS = {
    "llamacpp": ("llamacpp", "aiperf", "worker"),
    "vllm": ("vllm-cuda", "aiperf", "worker"),
}


@dataclass(frozen=True, slots=True)
class Program:
    """Requirements as written and as locked; what is left out, by package and by file pattern."""

    name: str
    requirements: list[str]
    lock: Path
    packages_left_out: list[str] = field(default_factory=list)
    files_left_out: list[str] = field(default_factory=list)


def programs_of(engine: str) -> list[Program]:
    """Programs of ``engine`` in the order of packing; raises OfflineError for an unknown one."""
    if engine not in PROGRAMS:
        raise OfflineError(f"--engine: one of {', '.join(PROGRAMS)}")
    left_out = tomllib.loads((_HERE / "left_out.toml").read_text(encoding="utf-8"))["program"]
    return [_program(name, left_out.get(name, {})) for name in PROGRAMS[engine]]


def _program(name: str, left_out: dict[str, dict[str, str]]) -> Program:
    folder = _HERE if name == "worker" else _LOCKS
    lines = (folder / f"{name}.in").read_text(encoding="utf-8").splitlines()
    return Program(
        name,
        [line for line in lines if line and not line.startswith("#")],
        folder / f"{name}.txt",
        sorted(left_out.get("packages", {})),
        sorted(left_out.get("files", {})),
    )


def check_cuda(folder: Path, cuda: str) -> None:
    """Refuse an engine whose libraries are linked with the runtime of another CUDA major version.

    An index has one build of an engine under one version; only its files say which. Raises OfflineError.
    """
    pattern = re.compile(rb"libcudart\.so\.(\d+)")
    linked = {match.decode() for path in folder.rglob("*.so") for match in pattern.findall(path.read_bytes())}
    if linked and linked != {cuda.partition(".")[0]}:
        raise OfflineError(f"--cuda: the engine is linked with CUDA {', '.join(sorted(linked))}, not {cuda}")
