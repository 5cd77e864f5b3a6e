"""Strict reading of trace files and folders."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from workers.traces.errors import TraceError, Violation, pointer
from workers.traces.rules import violations
from workers.traces.weka import Trace


def load_trace(path: Path) -> Trace:
    """The trace in one file; raises TraceError naming the file, the field and the rule."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TraceError(path, Violation("", error.strerror or "cannot be read")) from error
    return parse_trace(raw, path)


def load_traces(path: Path) -> list[Trace]:
    """The trace in a file, or the traces of a folder (``*.json``, by name); trace ids must differ."""
    return [trace for _, trace in load_files(path)]


def load_files(path: Path) -> Iterator[tuple[Path, Trace]]:
    """As ``load_traces``, one by one, each with its file."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise TraceError(path, Violation("", "the folder holds no *.json file"))
    holders: dict[str, Path] = {}
    for file in files:
        trace = load_trace(file)
        if trace.id in holders:
            raise TraceError(file, Violation("/id", f"{trace.id!r} is also in {holders[trace.id].name}"))
        holders[trace.id] = file
        yield file, trace


def parse_trace(raw: bytes, path: Path | str) -> Trace:
    """The trace in ``raw``; ``path`` is what errors call it."""
    document = _json(raw, path)
    for violation in _repeated_keys(document):
        raise TraceError(path, violation)
    try:
        trace = Trace.model_validate(document, by_alias=True, by_name=False)
    except ValidationError as error:
        raise TraceError(path, _first(error)) from None
    for violation in violations(trace):
        raise TraceError(path, violation)
    return trace


class _Repeated(dict[str, Any]):
    """An object whose text names a key twice."""

    key: str


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) == len(pairs):
        return document
    seen: set[str] = set()
    repeated = _Repeated(document)
    # A set's add returns None, so the first key that is already there is the repeated one.
    repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeated


def _json(raw: bytes, path: Path | str) -> Any:
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        _refuse(path, f"not UTF-8 at byte {error.start}")
    except json.JSONDecodeError as error:
        _refuse(path, f"not JSON at line {error.lineno} column {error.colno}: {error.msg}")
    except ValueError as error:  # an integer of thousands of digits
        _refuse(path, f"not JSON: {error}")
    except RecursionError:
        _refuse(path, "not a trace: nested too deeply")


def _refuse(path: Path | str, rule: str) -> NoReturn:
    raise TraceError(path, Violation("", rule)) from None


def _repeated_keys(value: Any, keys: tuple[str | int, ...] = ()) -> Iterator[Violation]:
    if isinstance(value, _Repeated):
        yield Violation(pointer(*keys, value.key), "the key appears twice in its object")
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _repeated_keys(item, (*keys, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from _repeated_keys(item, (*keys, index))


def _first(error: ValidationError) -> Violation:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    keys = _without_tags(first["loc"])
    if first["type"] == "request_type":
        keys = [*keys, "type"]
    return Violation(pointer(*keys), first["msg"])


def _without_tags(location: tuple[int | str, ...]) -> list[int | str]:
    """pydantic puts the tag of the union of entries after the entry's index; it is no key of the file."""
    tagged = location[:1] == ("requests",) and location[2:3] in {("request",), ("subagent",)}
    return [*location[:2], *location[3:]] if tagged else list(location)
