"""How numbers read: three significant digits, the full value beside them. Pure."""

import math


def short(value: float, digits: int = 3) -> str:
    """``digits`` significant digits, grouped thousands; very large and very small in e-notation."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    if exponent < -4 or exponent >= 9:
        return f"{value:.{digits - 1}e}"
    return f"{round(value, digits - 1 - exponent):,.{max(0, digits - 1 - exponent)}f}"


def full(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def ratio(value: float) -> str:
    return f"×{short(value)}"


def share(fraction: float) -> str:
    """A fraction in per cent, with two significant digits."""
    return f"{short(100 * fraction, 2)} %"


def duration(seconds: float) -> str:
    """``4.2 s``, ``3 min 20 s``, ``2 h 5 min``: symbols that no language changes."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
