"""Rates between host and GPU by size of transfer, and between GPUs."""

from typing import Any

from workers.ceilings.timing import Rate, device_seconds, wall_seconds

MIB = 2**20
SIZES = (MIB // 16, MIB, 16 * MIB, 256 * MIB, 1024 * MIB)
#: Bytes that each GPU gives to an all-reduce.
REDUCED = (MIB, 64 * MIB, 1024 * MIB)


def transfer_rates(device: int, *, pinned: bool, to_device: bool) -> list[dict[str, Any]]:
    """Bytes per second for each size; page-locked host memory is what engines use for offloading."""
    return [
        {"bytes": size, **_transfer(device, size, pinned=pinned, to_device=to_device).to_json()}
        for size in SIZES
    ]


def _transfer(device: int, size: int, *, pinned: bool, to_device: bool) -> Rate:
    import torch

    host = torch.ones(size, dtype=torch.uint8, pin_memory=pinned)
    there = torch.ones(size, dtype=torch.uint8, device=f"cuda:{device}")
    target, source = (there, host) if to_device else (host, there)
    repeats = 5 if size >= 256 * MIB else 15

    def work() -> object:
        return target.copy_(source, non_blocking=pinned)

    # Pageable copies pass through a buffer of the driver's, which events on the device do not see.
    seconds = device_seconds(work, device, repeats) if pinned else wall_seconds(work, repeats)
    return Rate("B/s", size, seconds)


def all_reduce_rates(devices: int) -> list[dict[str, Any]]:
    """Bus bandwidth of an all-reduce over all GPUs: 2 (n - 1) / n times the bytes of one (NCCL tests)."""
    return [{"bytes": size, **_all_reduce(devices, size).to_json()} for size in REDUCED]


def _all_reduce(devices: int, size: int) -> Rate:
    import torch
    from torch.cuda import nccl

    names = [f"cuda:{index}" for index in range(devices)]
    buffers = [torch.ones(size // 2, dtype=torch.bfloat16, device=name) for name in names]
    # Repeated sums would overflow in place.
    results = [torch.empty_like(buffer) for buffer in buffers]
    seconds = wall_seconds(lambda: nccl.all_reduce(buffers, results))
    return Rate("B/s", size * 2 * (devices - 1) / devices, seconds)
