"""Partial documents: a file's statements in catalogue names, merged with what the sender stated. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

#: Pointer of a spelled field to the kind of its alias; ``*`` stands for one key.
_SPELLED: Mapping[tuple[str, ...], str] = {
    ("roles", "*", "hardware"): "hardware",
    ("engine", "name"): "engine",
    ("model", "name"): "model",
    ("precision",): "precision",
    ("speculative", "method"): "speculative",
    ("kv_offload", "backend"): "kv_backend",
    ("kv_transfer",): "kv_transfer",
    ("router", "name"): "router",
}
#: Kinds whose canonical name "none" empties the whole field.
_EMPTIES = {"speculative": "speculative", "router": "router"}
_ABSENT: Any = object()
Translate = Callable[[str, str], str]


class ContradictionError(ValueError):
    """File and sender state different values of one field."""

    def __init__(self, pointer: str, stated: Any, sent: Any) -> None:
        super().__init__(f"{pointer}: the file states {stated!r}, the identity {sent!r}")
        self.pointer = pointer


def translated(partial: Mapping[str, Any], translate: Translate, none: str) -> dict[str, Any]:
    """A copy of a partial recipe in which every spelled field has its canonical name.

    What ``translate`` raises for an unknown spelling goes through; fields of a wrong type are left for the
    validation of the whole document.
    """
    document: dict[str, Any] = _copy(partial, (), translate)
    for field, kind in _EMPTIES.items():
        held = document.get(field)
        name = held.get("method" if kind == "speculative" else "name") if isinstance(held, dict) else held
        if name == none:
            document[field] = None
    if document.get("kv_transfer") == none:
        document["kv_transfer"] = None
    offload = document.get("kv_offload")
    if isinstance(offload, dict) and offload.get("backend") == none:
        offload["backend"] = None
    return document


def _copy(value: Any, place: tuple[str, ...], translate: Translate) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item, (*place, key), translate) for key, item in value.items()}
    kind = _kind(place)
    return translate(kind, value) if kind is not None and isinstance(value, str) else value


def _kind(place: tuple[str, ...]) -> str | None:
    if len(place) == 3 and place[0] == "roles":
        place = ("roles", "*", place[2])
    return _SPELLED.get(place)


def merged(stated: Mapping[str, Any], sent: Mapping[str, Any], pointer: str = "") -> dict[str, Any]:
    """Everything that either document states; ContradictionError where both do, differently."""
    result = dict(stated)
    for key, value in sent.items():
        known, place = stated.get(key, _ABSENT), f"{pointer}/{key}"
        if known is _ABSENT:
            result[key] = value
        elif isinstance(known, Mapping) and isinstance(value, Mapping):
            result[key] = merged(known, value, place)
        elif isinstance(known, bool) is not isinstance(value, bool) or known != value:
            raise ContradictionError(place, known, value)
    return result
