"""How numbers read: three significant digits, the full value beside them."""

import math

from django.utils.translation import gettext

from results.analysis.percent import in_percent


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


_PREFIXES = ("", "k", "M", "G", "T", "P")
#: Units that take a prefix.
PREFIXED = ("B", "B/s", "FLOP", "FLOP/s")


def scaled(value: float, unit: str) -> str:
    """Three significant digits, a decimal prefix where the unit takes one: ``54.3 GB/s``; exact counts."""
    place = 0
    while unit in PREFIXED and abs(float(f"{value:.2e}")) >= 1000 and place < len(_PREFIXES) - 1:
        value, place = value / 1000, place + 1
    exact = place == 0 and value == int(value)
    return f"{f'{int(value):,}' if exact else short(value)} {_PREFIXES[place]}{unit}".rstrip()


def binary(count: int) -> str:
    """Bytes with the largest binary prefix that leaves a whole number."""
    for unit, width in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << width and count % (1 << width) == 0:
            return f"{count >> width} {unit}"
    return f"{count} B"


def ratio(value: float) -> str:
    """Three significant digits; around one two decimals, on both sides of it alike."""
    return f"×{value:.2f}" if abs(value - 1) < 0.005 else f"×{short(value)}"


def share(fraction: float) -> str:
    """A fraction in per cent, with two significant digits."""
    return percent(short(100 * fraction, 2))


def percent(number: str) -> str:
    """A number of hundredths and the sign, as the language of the page writes them."""
    return in_percent(number, gettext)


def unit_text(unit: str) -> str:
    """A unit as it stands on axes and in headings: a share of one has none."""
    return "" if unit == "1" else unit


def with_unit(text: str, unit: str) -> str:
    """A title and its unit in brackets."""
    return f"{text} ({unit_text(unit)})" if unit_text(unit) else text


def measured(value: float, unit: str) -> str:
    """Three significant digits before the unit."""
    return f"{short(value)} {unit_text(unit)}".rstrip()


def duration(seconds: float) -> str:
    """``4.2 s``, ``3 min 20 s``, ``2 h 5 min``: symbols that no language changes."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
