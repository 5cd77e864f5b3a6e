"""The part of this project that runs on the target: ``python -m workers run`` and what it imports."""

import shutil
from pathlib import Path

_ROOT = Path(__file__).parents[2]
#: Below the project; no Django, no broker, no pages.
_TREES = ("workers", "results/documents", "results/analysis")
_FILES = ("results/__init__.py", "results/metrics.py", "LICENSE")
_SUFFIXES = {".py", ".json", ".txt", ".toml", ".in", ".sh"}


def copy_core(folder: Path) -> None:
    """Copy the sources into ``folder``."""
    for tree in _TREES:
        for path in sorted((_ROOT / tree).rglob("*")):
            if path.is_file() and path.suffix in _SUFFIXES and "__pycache__" not in path.parts:
                _copy(path, folder)
    for name in _FILES:
        _copy(_ROOT / name, folder)


def _copy(path: Path, folder: Path) -> None:
    target = folder / path.relative_to(_ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
