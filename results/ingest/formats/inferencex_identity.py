"""What is served, in the spellings of InferenceX rows, as a partial recipe. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from results.ingest.fields import Fields

#: Old spellings of "no speculative decoding" and, in the column ``mtp``, of "MTP".
_NO = frozenset({"none", "false", "off", "0", ""})
_YES = frozenset({"true", "on", "1"})


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one kind of row names the same things; the first name that is present counts."""

    hardware: str = "hw"
    model: tuple[str, ...] = ("infmax_model_prefix", "model_prefix", "model")
    speculative: tuple[str, ...] = ("spec_decoding", "mtp")

    @property
    def names(self) -> frozenset[str]:
        return frozenset({
            self.hardware, *self.model, *self.speculative, "framework", "precision", "image", "router",
            "kv_p2p_transfer", "recipe_fingerprint", "is_multinode", "prefill_hw", "decode_hw",
        })  # fmt: skip


AGGREGATE = Spelling()
API = Spelling(hardware="hardware", model=("model",), speculative=("spec_method",))


def read_recipe(row: Fields, spelling: Spelling) -> dict[str, Any]:
    """The recipe without its roles; what the row does not state is absent."""
    recipe: dict[str, Any] = {}
    engine = {"name": row.text("framework"), "image": _image(row)}
    _put(recipe, "engine", {name: value for name, value in engine.items() if value is not None})
    model = next(filter(None, map(row.text, spelling.model)), None)
    _put(recipe, "model", {"name": model} if model else {})
    _put(recipe, "precision", row.text("precision"))
    recipe.update(_speculative(row, spelling))
    router = row.inner("router")
    _put(recipe, "router", {name: value for name in ("name", "version") if (value := router.text(name))})
    _put(recipe, "kv_transfer", row.text("kv_p2p_transfer"))
    # A digest of every setting of the configuration, most of which no field lists; empty says nothing.
    digest = row.text("recipe_fingerprint")
    _put(recipe, "arguments", {"recipe_fingerprint": digest} if digest else {})
    return recipe


def read_hardware(row: Fields, spelling: Spelling, role: str | None = None) -> str | None:
    """The label of the accelerators, of one role where roles differ."""
    return (row.text(f"{role}_hw") if role else None) or row.text(spelling.hardware)


def served_model(row: Fields, recipe: Mapping[str, Any]) -> dict[str, str]:
    """The served checkpoint for ``extra``: beside a short prefix it may be a path of one machine."""
    served = row.text("model")
    return {"served_model": served} if served and served != recipe.get("model", {}).get("name") else {}


def _image(row: Fields) -> str | None:
    image = row.text("image")
    # enroot separates the registry by a number sign, which no image reference may contain.
    return None if image is None else image.replace("#", "/")


def _speculative(row: Fields, spelling: Spelling) -> dict[str, Any]:
    for name in spelling.speculative:
        stated = row.values.get(name)
        if stated is None:
            continue
        method = str(stated).strip().lower() if isinstance(stated, bool | int) else (row.text(name) or "")
        if method.lower() in _NO:
            return {"speculative": None}
        return {"speculative": {"method": "mtp" if name == "mtp" and method.lower() in _YES else method}}
    return {}


def _put(document: dict[str, Any], name: str, value: Any) -> None:
    if value:
        document[name] = value
