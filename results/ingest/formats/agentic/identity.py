"""What an agentic aggregate says about its deployment and workload, in the file's own spellings. Pure.

GPUs of a role are workers * tp * pp * pcp: expert, data and decode-context parallelism share GPUs. Sizes
that a generation did not have yet (pp, pcp, workers) count as one. In the flat ``tp`` and ``ep`` of a
multi-node row tp is a sum over roles and ep a maximum, so neither says anything about a role.
"""

from dataclasses import dataclass, field
from typing import Any

from results.ingest.formats.agentic.leaves import Leaves

_SIZES = {"tp": "tp", "pp": "pp", "ep": "ep", "dcp_size": "dcp", "pcp_size": "pcp", "num_workers": "workers"}
_COUNTED = ("workers", "tp", "pp", "pcp")
_NOT_OFFLOADED = frozenset({"none", "off", "false"})
#: Spellings before July 2026 that named the backend instead of the medium.
_OLD_BACKENDS = frozenset({"lmcache", "lmcache-mp", "hicache"})
#: Spellings of offload to the host's memory; backend not named.
_HOST_MEMORY = frozenset({"dram", "cpu", "on", "true"})


@dataclass(slots=True)
class Identity:
    """``gpus`` counts all accelerators, None where the row does not tell; ``reported`` is its own count."""

    recipe: dict[str, Any] = field(default_factory=dict)
    scenario: dict[str, Any] = field(default_factory=lambda: {"kind": "agentic"})
    load: int | None = None
    gpus: int | None = None
    reported: int | None = None
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


def read_identity(leaves: Leaves) -> Identity:
    """Raises FormatError for a field of a wrong type and for offload to a medium that does not exist."""
    found = Identity()
    # A concurrency of zero stands where a job did not set it.
    found.load = leaves.count("conc") or leaves.count("users") or None
    found.recipe = {
        **_roles(leaves, found),
        **_engine(leaves),
        **_model(leaves, found),
        **_texts(leaves),
        **_speculative(leaves),
        **_router(leaves),
        **_offload(leaves),
    }
    _dataset(leaves, found)
    _count_gpus(leaves, found)
    leaves.drop("scenario_type")
    return found


def _roles(leaves: Leaves, found: Identity) -> dict[str, Any]:
    multinode, disaggregated = leaves.flag("is_multinode"), leaves.flag("disagg")
    hardware = leaves.text("hw")
    decode_gpus = leaves.count("num_decode_gpu")
    split = leaves.has("prefill_tp")
    if split:
        leaves.drop("tp", "ep", "dp_attention", "pp", "dcp_size", "pcp_size")
    if split and disaggregated and decode_gpus != 0:
        roles = {name: _role(leaves, f"{name}_", hardware) for name in ("prefill", "decode")}
    else:
        # Without decode GPUs the decode fields are zeroed copies.
        roles = {"serve": _role(leaves, "prefill_" if split else "", hardware)}
        leaves.drop(*(f"decode_{name}" for name in (*_SIZES, "dp_attention", "hw")))
    if multinode and not split:
        found.notes.append("tp and ep of a multi-node row are no sizes of a role: left out")
        leaves.drop("tp", "ep", "dp_attention")
        roles = {"serve": {} if hardware is None else {"hardware": hardware}}
    return {"roles": roles, **({} if multinode is None else {"multinode": multinode})}


def _role(leaves: Leaves, prefix: str, hardware: str | None) -> dict[str, Any]:
    own = leaves.text(f"{prefix}hw") if prefix else None
    role: dict[str, Any] = {}
    if own or hardware:
        role["hardware"] = own or hardware
    for name, size in _SIZES.items():
        value = leaves.count(prefix + name)
        # Zero is what a job wrote that did not know the size.
        if value:
            role[size] = value
    attention = leaves.flag(f"{prefix}dp_attention")
    if attention is not None:
        role["dp_attention"] = attention
    if "tp" in role:
        role["gpus"] = _gpus(role)
    return role


def _gpus(role: dict[str, Any]) -> int:
    product = 1
    for size in _COUNTED:
        product *= role.get(size, 1)
    return product


def _count_gpus(leaves: Leaves, found: Identity) -> None:
    roles = found.recipe["roles"]
    if all("gpus" in role for role in roles.values()):
        found.gpus = sum(role["gpus"] for role in roles.values())
    parts = [leaves.count(name) for name in ("num_prefill_gpu", "num_decode_gpu")]
    found.reported = leaves.count("num_gpus") or sum(part or 0 for part in parts) or None


def _engine(leaves: Leaves) -> dict[str, Any]:
    name, image = leaves.text("framework"), leaves.text("image")
    engine = {
        **({} if name is None else {"name": name}),
        # Artefact names cannot hold a slash, enroot writes # for it.
        **({} if image is None else {"image": image.replace("#", "/")}),
    }
    return {"engine": engine} if engine else {}


def _model(leaves: Leaves, found: Identity) -> dict[str, Any]:
    """The canonical prefix where there is one: the served name may be a path of one machine."""
    prefix, served = leaves.text("infmax_model_prefix"), leaves.text("model")
    if prefix and served:
        found.extra["model_id"] = served
    name = prefix or served
    return {"model": {"name": name}} if name else {}


def _texts(leaves: Leaves) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, field_name in (("precision", "precision"), ("kv_p2p_transfer", "kv_transfer")):
        value = leaves.text(name)
        if value is not None:
            found[field_name] = value
    fingerprint = leaves.text("recipe_fingerprint")
    # Two variants of one topology differ in nothing else that the row tells.
    return {**found, **({"arguments": {"recipe_fingerprint": fingerprint}} if fingerprint else {})}


def _speculative(leaves: Leaves) -> dict[str, Any]:
    method = leaves.text("spec_decoding")
    if method is None:
        return {}
    return {"speculative": None if method.lower() == "none" else {"method": method}}


def _router(leaves: Leaves) -> dict[str, Any]:
    router = {name: value for name in ("name", "version") if (value := leaves.text(f"router.{name}"))}
    return {"router": router} if router else {}


def _offload(leaves: Leaves) -> dict[str, Any]:
    stated = leaves.text("kv_offloading") or leaves.text("offloading") or leaves.text("offload_mode")
    leaves.drop("offloading", "offload_mode")
    backend, version = _backend(leaves)
    dram = leaves.number("allocated_cpu_dram_gb")
    if stated is None:
        return {}
    medium = stated.lower()
    if medium in _NOT_OFFLOADED:
        return {"kv_offload": {"mode": "none"}}
    if medium in _OLD_BACKENDS:
        medium, backend = "dram", backend or stated
    if medium not in _HOST_MEMORY:
        leaves.fail("kv_offloading", f"offload to {stated} is no medium of these rules")
    details = {"backend": backend, "version": version, "dram_gb": dram or None}
    return {"kv_offload": {"mode": "dram", **{key: value for key, value in details.items() if value}}}


def _backend(leaves: Leaves) -> tuple[str | None, str | None]:
    """A name until July 2026, then an object of name and version."""
    if leaves.has("kv_offload_backend.name"):
        return leaves.text("kv_offload_backend.name"), leaves.text("kv_offload_backend.version")
    return leaves.text("kv_offload_backend"), None


def _dataset(leaves: Leaves, found: Identity) -> None:
    corpus = leaves.text("dataset.loader")
    if corpus is not None:
        found.scenario["corpus"] = corpus
