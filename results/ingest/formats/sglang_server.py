"""What an SGLang server says about itself (``/server_info``), as a partial recipe. Pure."""

from typing import Any

from results.ingest.fields import Fields

_SIZES = {"tp": ("tp_size", "tensor_parallel_size"), "pp": ("pp_size",), "ep": ("ep_size",)}


def served(info: Fields) -> tuple[dict[str, Any], dict[str, Any]]:
    """The partial recipe, and what else is worth keeping; both empty without server information."""
    if not info.values:
        return {}, {}
    parts = {
        "engine": {"name": "sglang", **_named(version=info.text("version"))},
        "model": _named(name=info.text("model_path"), revision=info.text("revision")),
        "roles": _roles(info),
    }
    recipe = {key: part for key, part in parts.items() if part}
    quantization, kv_dtype = info.text("quantization"), info.text("kv_cache_dtype")
    # "auto" leaves the decision to the checkpoint, which the file does not hold.
    recipe |= _named(precision=quantization, kv_dtype=None if kv_dtype == "auto" else kv_dtype)
    return recipe, _named(server_dtype=info.text("dtype"))


def _roles(info: Fields) -> dict[str, Any]:
    """One role; tp * pp GPUs for each replica, and replicas are what DP without DP attention makes."""
    if (info.text("disaggregation_mode") or "null") != "null":
        return {}
    sizes = {ours: next(filter(None, map(info.positive, names)), None) for ours, names in _SIZES.items()}
    attention, replicas = info.flag("enable_dp_attention"), info.positive("dp_size")
    role = _named(**sizes, dp_attention=attention)
    if sizes["tp"] is not None and attention is not None and replicas is not None:
        role["workers"] = 1 if attention else replicas
        role["gpus"] = sizes["tp"] * (sizes["pp"] or 1) * role["workers"]
    return {"serve": role} if role else {}


def _named(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
