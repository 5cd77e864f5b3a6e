"""Builds a bundle: resolve, unpack wheels, leave out, pack, cut, write down what is in it."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.offline import pack
from workers.offline.core import copy_core
from workers.offline.data import collect, read_documents
from workers.offline.errors import OfflineError
from workers.offline.have import Have
from workers.offline.programs import Program, check_cuda, programs_of
from workers.offline.resolve import Target, install, pins, resolve

_HERE = Path(__file__).parent
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What to build: see ``python -m workers.offline --help``."""

    engine: str
    target: Target
    cuda: str | None
    have: Have
    documents: Path
    var: Path
    part_bytes: int
    out: Path


@dataclass(frozen=True, slots=True)
class Packed:
    """One archive: the versions in it and the digest of its list of files."""

    name: str
    path: Path
    listing: str
    versions: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "sha256": pack.sha256(self.path),
            "bytes": self.path.stat().st_size,
            "versions": self.versions,
        }


def build(order: Order, say: Say) -> dict[str, Any]:
    """Write the bundle into the new folder ``order.out``; what BUNDLE.json says. Raises OfflineError."""
    if order.out.exists() and any(order.out.iterdir()):
        raise OfflineError(f"--out: {order.out} is not empty")
    documents = read_documents(order.documents)
    order.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=order.out, prefix=".building-") as folder:
        scratch = Path(folder)
        *programs, worker = programs_of(order.engine)
        packed = [_program(program, order, scratch, say) for program in programs]
        collect(scratch / "data", documents, order.var)
        packed.append(_pack("data", order, scratch, {}, (), say))
        packed.append(_program(worker, order, scratch, say))
        return _finish(order, packed, scratch)


def _program(program: Program, order: Order, scratch: Path, say: Say) -> Packed:
    say(f"{program.name}: resolving for Python {order.target.python}")
    resolved = resolve(
        program.requirements, program.lock, order.target, order.have, program.packages_left_out
    )
    folder = scratch / program.name
    install(resolved, order.target, folder)
    # Their first lines name a Python of this host; the target writes its own.
    shutil.rmtree(folder / "bin", ignore_errors=True)
    if program.name == "worker":
        copy_core(folder)
    if order.cuda is not None and program.name == order.engine + "-cuda":
        check_cuda(folder, order.cuda)
    return _pack(program.name, order, scratch, pins(resolved), program.files_left_out, say)


def _pack(
    name: str, order: Order, scratch: Path, versions: dict[str, str], left_out: Iterable[str], say: Say
) -> Packed:
    folder, archive = scratch / name, scratch / f"{name}.tar.xz"
    files = pack.contents(folder, left_out)
    listing = pack.listing(folder, files)
    # The bytes depend on nothing but the files, and packing takes minutes.
    known = order.var / "cache" / "offline" / f"{hashlib.sha256(listing.encode()).hexdigest()}.tar.xz"
    if known.is_file():
        archive.hardlink_to(known)
    else:
        size = sum(file.stat().st_size for file in files)
        say(f"{name}: packing {len(files)} files, {size / 2**20:.0f} MiB")
        pack.pack(archive, folder, files)
        known.parent.mkdir(parents=True, exist_ok=True)
        known.hardlink_to(archive)
    say(f"{name}: {archive.stat().st_size / 2**20:.1f} MiB packed")
    return Packed(name, archive, listing, versions)


def _finish(order: Order, packed: list[Packed], scratch: Path) -> dict[str, Any]:
    whole = scratch / "whole.tar"
    pack.bundle(whole, [item.path for item in packed])
    parts = pack.split(whole, order.out, order.part_bytes)
    for item in packed:
        (order.out / f"contents-{item.name}.sha256").write_text(item.listing, encoding="utf-8")
    for name in ("run.sh", "unpack.py"):
        shutil.copyfile(_HERE / name, order.out / name)
    document = {
        "schema": "northstar.offline/1",
        "engine": order.engine,
        "python": order.target.python,
        "platform": order.target.platform,
        "cuda": order.cuda,
        "archives": [item.to_json() for item in packed],
        "parts": [_part(path) for path in parts],
    }
    (order.out / "BUNDLE.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return document


def _part(path: Path) -> dict[str, Any]:
    return {"name": path.name, "sha256": pack.sha256(path), "bytes": path.stat().st_size}
