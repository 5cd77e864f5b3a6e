"""What counts as the same configuration when builds come and go, and what counts as the same kind."""

from collections.abc import Mapping
from typing import Any

from results.documents.canonical import fingerprint

#: Parts of a recipe that a new build changes by itself.
_BUILD = {"engine": ("version", "image", "commit"), "router": ("version",), "kv_offload": ("version",)}


def configuration_family(document: Mapping[str, Any]) -> str:
    """Equal for recipe documents that differ in builds of engine, router and offload backend alone."""
    return fingerprint({key: _without_build(key, value) for key, value in document.items()})


def kind_family(document: Mapping[str, Any]) -> str:
    """Equal for recipes of one model on the same hardware, engine, precision and drafting method.

    Parallelism, arguments and KV offload may differ: these are what an engine is tuned by.
    """
    speculative = document.get("speculative") or {}
    return fingerprint(
        {
            "model": document["model"]["name"],
            "hardware": sorted({role["hardware"] for role in document["roles"].values()}),
            "disaggregated": "prefill" in document["roles"],
            "engine": document["engine"]["name"],
            "precision": document["precision"],
            "speculative": speculative.get("method"),
        }
    )


def _without_build(key: str, value: Any) -> Any:
    if key not in _BUILD or not isinstance(value, Mapping):
        return value
    return {name: part for name, part in value.items() if name not in _BUILD[key]}
