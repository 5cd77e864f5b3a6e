"""Rates of one GPU alone: copies in its memory, matrix products."""

from typing import Any

from workers.ceilings.timing import Rate, device_seconds

#: Several times any cache; a GPU with little memory takes a tenth of what is free.
COPY_BYTES = 4 * 2**30
#: Rows and columns; a product is 2 n^3 operations.
MATRIX = 8192


def copy_rate(device: int) -> Rate:
    """Bytes read and written per second while a buffer is copied inside the device's memory."""
    import torch

    free, _total = torch.cuda.mem_get_info(device)
    size = min(COPY_BYTES, free // 10)
    source = torch.randint(0, 255, (size,), dtype=torch.uint8, device=f"cuda:{device}")
    target = torch.empty_like(source)
    return Rate("B/s", 2 * size, device_seconds(lambda: target.copy_(source), device))


def bf16_rate(device: int) -> Rate:
    """Operations per second of a bfloat16 product of random matrices (zeros would run faster)."""
    import torch

    left, right = (
        torch.randn((MATRIX, MATRIX), dtype=torch.bfloat16, device=f"cuda:{device}") for _ in range(2)
    )
    return Rate("FLOP/s", 2 * MATRIX**3, device_seconds(lambda: left @ right, device))


def fp8_rate(device: int) -> Rate:
    """The same in 8-bit floating point (E4M3) with one scale per matrix and a bfloat16 result."""
    import torch

    def matrix() -> Any:
        return torch.randn((MATRIX, MATRIX), device=f"cuda:{device}").to(torch.float8_e4m3fn)

    one = torch.ones((), device=f"cuda:{device}")
    # The second operand lies in memory by columns, as the hardware wants it.
    left, right = matrix(), matrix().t()

    def product() -> object:
        return torch._scaled_mm(left, right, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)

    return Rate("FLOP/s", 2 * MATRIX**3, device_seconds(product, device))
