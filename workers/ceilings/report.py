"""The whole report of ``python -m workers probe``."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from workers.ceilings.links import all_reduce_rates, transfer_rates
from workers.ceilings.rates import bf16_rate, copy_rate, fp8_rate
from workers.devices import gpu_facts, numa_nodes
from workers.host import host_facts

logger = logging.getLogger(__name__)


def report() -> dict[str, Any]:
    """Facts of this host and ceilings of its GPUs; takes about half a minute per GPU."""
    count = gpu_count()
    return {
        "schema": "northstar.probe/1",
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "host": host_facts(),
        "numa": numa_nodes(),
        "torch": torch_version(),
        "gpus": gpu_facts(),
        "ceilings": [{"gpu": index, **ceilings(index)} for index in range(count)],
        "all_reduce": measured(lambda: all_reduce_rates(count)) if count > 1 else None,
    }


def gpu_count() -> int:
    """GPUs that torch can use; 0 without torch."""
    if find_spec("torch") is None:
        return 0
    import torch

    return int(torch.cuda.device_count()) if torch.cuda.is_available() else 0


def torch_version() -> dict[str, str | None] | None:
    if find_spec("torch") is None:
        return None
    import torch

    return {"version": str(torch.__version__), "cuda": torch.version.cuda}


def ceilings(device: int) -> dict[str, Any]:
    return {
        "device_copy": measured(lambda: copy_rate(device).to_json()),
        "bf16_matrix": measured(lambda: bf16_rate(device).to_json()),
        "fp8_matrix": measured(lambda: fp8_rate(device).to_json()),
        "host_to_device_pinned": measured(lambda: transfer_rates(device, pinned=True, to_device=True)),
        "device_to_host_pinned": measured(lambda: transfer_rates(device, pinned=True, to_device=False)),
        "host_to_device_pageable": measured(lambda: transfer_rates(device, pinned=False, to_device=True)),
        "device_to_host_pageable": measured(lambda: transfer_rates(device, pinned=False, to_device=False)),
    }


def summary(found: dict[str, Any]) -> list[str]:
    """Lines for a person: one per GPU and rate."""
    lines = [f"{found['host']['cpu']}, {found['host']['cpu_count']} processors, {len(found['gpus'])} GPUs"]
    lines += [f"GPU {gpu['index']}: {gpu['name']}, driver {gpu['driver']}" for gpu in found["gpus"]]
    for entry in found["ceilings"]:
        for name, rate in entry.items():
            if name != "gpu":
                lines += [f"GPU {entry['gpu']} {name}: {words}" for words in _words(rate)]
    return lines + [f"all_reduce: {words}" for words in _words(found["all_reduce"] or [])]


def _words(rate: Any) -> list[str]:
    """One line per size of transfer; a rate that could not be measured says why."""
    if isinstance(rate, list):
        return [line for item in rate for line in _words(item)]
    if "error" in rate:
        return [str(rate["error"])]
    size = f"{rate['bytes']} bytes: " if "bytes" in rate else ""
    return [f"{size}{rate['median']:.4g} {rate['unit']} ({rate['lowest']:.4g} to {rate['highest']:.4g})"]


def measured(work: Callable[[], Any]) -> Any:
    """The result, or ``{"error": ...}``: an old GPU without one data type still has the other rates."""
    try:
        return work()
    except (RuntimeError, TypeError, AttributeError) as error:
        logger.warning("probe: %s", error)
        return {"error": (str(error).strip().splitlines() or [type(error).__name__])[0]}
    finally:
        _free()


def _free() -> None:
    if find_spec("torch") is not None:
        import torch

        torch.cuda.empty_cache()
