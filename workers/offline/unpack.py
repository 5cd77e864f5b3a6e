"""First step on the target, with the standard library alone: check the parts, unpack them, make a Python.

Usage: python3 -I unpack.py PREFIX. Lies beside the parts. A program that is there already is left as it is.
"""

import hashlib
import io
import json
import os
import shutil
import site
import sys
import tarfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Name of the file that says which archive a folder was made from.
STAMP = ".archive"
#: Name of the file with the folders of the target's own packages.
HOST = "host-packages.json"


class Parts(io.RawIOBase):
    """The parts as one stream."""

    def __init__(self, paths: list[Path]) -> None:
        self._files = iter(paths)
        self._file = next(self._files).open("rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not (count := self._file.readinto(buffer)):
            self._file.close()
            following = next(self._files, None)
            if following is None:
                return 0
            self._file = following.open("rb")
        return count


def check_python(wanted: str) -> None:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if here != wanted:
        sys.exit(f"unpack: the bundle is for Python {wanted}, this is {here} (set PYTHON)")


def checked_parts(parts: list[dict[str, str]]) -> list[Path]:
    """Paths of all parts; ends with one line for the first that is missing or damaged."""
    for part in parts:
        path = HERE / part["name"]
        if not path.is_file():
            sys.exit(f"unpack: {part['name']} is missing")
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != part["sha256"]:
                sys.exit(f"unpack: {part['name']} is damaged")
    return [HERE / part["name"] for part in parts]


def is_there(folder: Path, digest: str) -> bool:
    stamp = folder / STAMP
    return stamp.is_file() and stamp.read_text(encoding="ascii") == digest


def members(paths: list[Path]) -> Iterator[tuple[str, Any]]:
    """Name and stream of each program's archive."""
    with tarfile.open(fileobj=io.BufferedReader(Parts(paths), 1 << 20), mode="r|") as outer:
        for entry in outer:
            yield entry.name, outer.extractfile(entry)


def unpack(prefix: Path, bundle: dict[str, Any]) -> list[str]:
    """Unpack what is not there; the names of the programs that changed."""
    archives = {item["name"]: item for item in bundle["archives"]}
    missing = [name for name, item in archives.items() if not is_there(prefix / name, item["sha256"])]
    if not missing:
        return []
    for file, stream in members(checked_parts(bundle["parts"])):
        name = file.removesuffix(".tar.xz")
        if name not in missing:
            continue
        folder = prefix / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tarfile.open(fileobj=stream, mode="r|xz") as inner:
            inner.extractall(folder, filter="data")
        (folder / STAMP).write_text(archives[name]["sha256"], encoding="ascii")
    return missing


def make_python(folder: Path, packages: Path, host: list[str]) -> None:
    """A virtual environment that sees ``packages`` first and those in the folders ``host`` after them."""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=False, symlinks=True)
    own = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    lines = [str(packages), *(f"import site; site.addsitedir({path!r})" for path in host)]
    (own / "bundle.pth").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def host_packages() -> list[str]:
    """Folders of this Python's own packages."""
    return [path for path in site.getsitepackages() if os.path.isdir(path)]  # noqa: PTH112


def main() -> None:
    prefix = Path(sys.argv[1]).resolve()
    bundle = json.loads((HERE / "BUNDLE.json").read_text(encoding="utf-8"))
    check_python(bundle["python"])
    changed = unpack(prefix, bundle)
    python = prefix / "python"
    if "worker" in changed or not python.exists():
        make_python(python, prefix / "worker", host_packages())
        # The new Python's own packages are the worker's, so it could not tell the host's for the others.
        (prefix / HOST).write_text(json.dumps(host_packages()), encoding="utf-8")
    print(f"unpack: {', '.join(changed) or 'nothing'} new in {prefix}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
