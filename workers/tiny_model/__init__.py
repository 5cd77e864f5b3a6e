"""Models made here in seconds, nothing is downloaded.

The tiny one of the demo and of the tests, and the shape of a larger one without weights.
"""

import hashlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from results.documents.failures import FailureClass
from workers import environments
from workers.environments import Progress, quiet
from workers.failures import ExecutionFailure

NAME = "northstar-tiny"
#: Without weights: for engines that make random ones of their own.
SHAPE = "qwen3-1.7b-random"
_REVISION = re.compile(r"sha256:[0-9a-f]{64}")
_DISK_FULL = re.compile(r"No space left on device|Disk quota exceeded")
_GENERATORS = {
    NAME: Path(__file__).with_name("generate.py"),
    SHAPE: Path(__file__).with_name("shape.py"),
}


@dataclass(frozen=True, slots=True)
class TinyModel:
    """``revision`` is ``sha256:`` and the fingerprint of all files; it belongs to the recipe."""

    path: Path
    fingerprint: str

    @property
    def gguf(self) -> Path:
        return self.path / "model.gguf"

    @property
    def hf_dir(self) -> Path:
        return self.path / "hf"

    @property
    def revision(self) -> str:
        return f"sha256:{self.fingerprint}"


def find_tiny_model(var: Path, revision: str, name: str = NAME) -> TinyModel | None:
    """The model ``name`` with exactly this revision if this host has it."""
    if not _REVISION.fullmatch(revision):
        return None
    fingerprint = revision.removeprefix("sha256:")
    model = TinyModel(var / "models" / name / fingerprint, fingerprint)
    # 22 MB are read in a twentieth of a second; a damaged model would falsify a run.
    return model if model.path.is_dir() and _fingerprint(model.path) == model.fingerprint else None


def ensure_tiny_model(var: Path, progress: Progress = quiet, name: str = NAME) -> TinyModel:
    """The model ``name`` of this host's Python, made now if it is missing; raises ExecutionFailure."""
    home, generator = var / "models" / name, _GENERATORS[name]
    current = home / f"generator-{hashlib.sha256(generator.read_bytes()).hexdigest()[:12]}"
    if current.is_file():
        revision = f"sha256:{current.read_text(encoding='ascii')}"
        if known := find_tiny_model(var, revision, name):
            return known
    python = environments.ensure("llamacpp", var, progress).python
    progress(f"making the model {name}", None)
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=".new-") as folder:
        model = _generate(python, generator, Path(folder, "model"), home)
    current.write_text(model.fingerprint, encoding="ascii")
    return model


def _generate(python: Path, generator: Path, folder: Path, home: Path) -> TinyModel:
    result = subprocess.run(
        [str(python), "-I", str(generator), str(folder)], capture_output=True, text=True, check=False
    )
    if result.returncode:
        line = (result.stderr.strip().splitlines() or ["no output"])[-1]
        kind = FailureClass.DISK_FULL if _DISK_FULL.search(result.stderr) else FailureClass.MODEL
        raise ExecutionFailure(kind, f"model {home.name}: {line}", result.stderr[-4000:])
    fingerprint = _fingerprint(folder)
    model = TinyModel(home / fingerprint, fingerprint)
    if model.path.is_dir() and _fingerprint(model.path) != fingerprint:
        shutil.rmtree(model.path)
    try:
        folder.rename(model.path)
    except OSError:
        # Another process made the same model a moment ago; a folder that is not empty is never replaced.
        if not model.path.is_dir():
            raise
    return model


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def hub_cache(model_dir: Path, repository: str, hf_home: Path) -> None:
    """Show a local folder as ``repository`` in a Hugging Face cache, so that offline clients find it.

    AIPerf takes a tokenizer by repository name only: a path fails once HF_HUB_OFFLINE is set, and its
    trace loaders set that themselves.
    """
    commit = "0" * 40
    entry = hf_home / "hub" / f"models--{repository.replace('/', '--')}"
    snapshot = entry / "snapshots" / commit
    shutil.rmtree(entry, ignore_errors=True)
    snapshot.mkdir(parents=True)
    (entry / "refs").mkdir()
    (entry / "refs" / "main").write_text(commit, encoding="ascii")
    for path in model_dir.iterdir():
        if path.suffix == ".json":
            shutil.copyfile(path, snapshot / path.name)
