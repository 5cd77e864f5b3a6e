"""Corpora on disk: a folder of traces, its version, and what is known about it.

A folder holds nothing but ``trace_*.json``, because a client reads every ``*.json`` of it as a trace. The
description of a shipped corpus, ``NAME.json``, lies beside the folder ``NAME``.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from workers.traces.errors import CorpusError, TraceError, Violation
from workers.traces.reading import load_files
from workers.traces.weka import REPLAYED_BLOCK_SIZE

SHIPPED = Path(__file__).parent


def list_corpora() -> list[str]:
    """Names of the shipped corpora, sorted."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


def corpus_path(name: str, others: Sequence[Path] = ()) -> Path:
    """Folder of a corpus, ready for a client: shipped, or a folder of that name in one of ``others``.

    Raises CorpusError when there is none.
    """
    if name in list_corpora():
        return SHIPPED / name
    for parent in others:
        # A name is the name of one folder; "../x" or "" would leave the parent.
        if (parent / name).parent == parent and (parent / name).is_dir() and name != "..":
            return parent / name
    raise CorpusError(f"corpus: {name!r} is not here; shipped are {', '.join(list_corpora())}")


def corpus_sha256(name: str, others: Sequence[Path] = ()) -> str:
    """Version of a corpus, 64 hexadecimal digits; raises CorpusError when there is none."""
    return folder_sha256(corpus_path(name, others))


def folder_sha256(folder: Path) -> str:
    """sha256 over name, size and bytes of every ``*.json`` of a folder, by name.

    Raises CorpusError for a folder without any.
    """
    files = sorted(folder.glob("*.json"), key=lambda file: file.name)
    if not files:
        raise CorpusError(f"corpus: {folder} holds no *.json file")
    digest = sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def checked_corpus(name: str, version: str | None = None, others: Sequence[Path] = ()) -> Path:
    """Folder of a corpus whose traces can all be replayed, and whose version is ``version`` if given.

    Raises CorpusError for a corpus that is not here or has another version, TraceError for a broken trace.
    """
    folder = corpus_path(name, others)
    for file, trace in load_files(folder):
        if trace.block_size != REPLAYED_BLOCK_SIZE:
            rule = (
                f"{trace.block_size}, but AIPerf replays blocks of {REPLAYED_BLOCK_SIZE}, whatever this says"
            )
            raise TraceError(file, Violation("/block_size", rule))
    found = folder_sha256(folder)
    if version is not None and version != found:
        raise CorpusError(f"version: this host has version {found} of {name}, not {version}")
    return folder


def corpus_description(name: str) -> dict[str, Any]:
    """Plan, statistics and version of a shipped corpus; raises CorpusError for an unknown name."""
    if name not in list_corpora():
        raise CorpusError(f"corpus: {name!r} is not shipped")
    description: dict[str, Any] = json.loads((SHIPPED / f"{name}.json").read_bytes())
    return description
