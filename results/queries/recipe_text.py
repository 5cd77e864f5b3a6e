"""How recipes read: flat key and value texts, and what tells one from another. Pure: no Django."""

from collections.abc import Mapping, Sequence
from typing import Any

#: Arguments are what people vary, so their keys stand alone.
_BARE = ("arguments.", "roles.")


def flatten(document: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Every leaf of a recipe document under its dotted path, as text; absent values are left out."""
    leaves: dict[str, str] = {}
    for key, value in document.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            leaves |= flatten(value, f"{path}.")
        elif value is not None:
            leaves[_short(path)] = _text(value)
    return leaves


def differences(documents: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """For each document the leaves that are not equal in all of them; an absent one reads as a dash."""
    flat = [flatten(document) for document in documents]
    paths = dict.fromkeys(path for leaves in flat for path in leaves)
    differing = [path for path in paths if len({leaves.get(path) for leaves in flat}) > 1]
    return [{path: leaves.get(path, "–") for path in differing} for leaves in flat]


def one_line(leaves: Mapping[str, str]) -> str:
    return " · ".join(f"{path}={value}" for path, value in leaves.items())


def _short(path: str) -> str:
    for prefix in _BARE:
        path = path.removeprefix(prefix)
    return path


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)
