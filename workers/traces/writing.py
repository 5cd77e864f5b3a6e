"""Writes corpora."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workers.traces.corpora import folder_sha256
from workers.traces.description import describe
from workers.traces.errors import CorpusError
from workers.traces.plan import Plan
from workers.traces.synthetic import generate
from workers.traces.weka import Trace


def generate_corpus(plan: Plan, parent: Path) -> Path:
    """Write the corpus of a plan and its description into ``parent``; returns its folder.

    Raises CorpusError when the folder is there already.
    """
    traces = list(generate(plan))
    folder = write_traces(traces, parent / plan.slug)
    description = describe(plan, traces, folder_sha256(folder))
    content = json.dumps(description, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    (parent / f"{plan.slug}.json").write_text(content, encoding="utf-8")
    return folder


def write_traces(traces: Iterable[Trace], folder: Path) -> Path:
    """Write ``trace_0001.json`` ... into a new folder; raises CorpusError when it is there already."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise CorpusError(f"out: {folder} is there already") from error
    for number, trace in enumerate(traces, start=1):
        (folder / f"trace_{number:04d}.json").write_bytes(encode(trace))
    return folder


def encode(trace: Trace) -> bytes:
    """Bytes of a trace file: one entry of the session a line, so that files can be read and compared."""
    document = trace.to_json()
    entries = document.pop("requests")
    head = _compact(document)[:-1]
    lines = ",\n".join(_compact(entry) for entry in entries)
    return f'{head},"requests":[\n{lines}\n]}}\n'.encode()


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
