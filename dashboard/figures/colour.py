"""Colours of series: one hue family per vendor, a ramp in OKLCH inside it. Pure.

OKLab to linear sRGB: B. Ottosson, "A perceptual color space for image processing" (2020).
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """``hue`` in degrees, ``spread`` degrees of hue and ``chroma`` range across a ramp."""

    hue: float
    spread: float
    chroma: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Pair:
    """The same colour for a light and for a dark page, as ``#rrggbb``."""

    light: str
    dark: str


FAMILIES = {
    "nvidia": Family(hue=143, spread=24, chroma=(0.13, 0.16)),
    "amd": Family(hue=36, spread=24, chroma=(0.16, 0.17)),
    "google": Family(hue=256, spread=20, chroma=(0.14, 0.15)),
    "cpu": Family(hue=250, spread=60, chroma=(0.015, 0.075)),
    "other": Family(hue=318, spread=24, chroma=(0.13, 0.15)),
}
#: OKLCH lightness from the first to the last series of a family.
_LIGHT_PAGE = (0.36, 0.70)
_DARK_PAGE = (0.86, 0.58)


def family(vendor: str, kind: str) -> str:
    """Name of the family; a CPU is grey whoever made it."""
    if kind == "cpu":
        return "cpu"
    name = vendor.casefold()
    return name if name in FAMILIES else "other"


def ramp(name: str, size: int) -> list[Pair]:
    """``size`` colours of a family, as far apart in lightness as the page allows."""
    chosen = FAMILIES[name]
    # Two or three colours need not go to the palest and darkest end to be told apart.
    edge = 0.5 if size == 1 else 0.4 / size
    step = (1 - 2 * edge) / max(1, size - 1)
    # Many shades of one hue differ too little in lightness alone.
    spread = chosen.spread * min(3, max(1, size / 3))
    return [_pair(chosen, spread, edge + step * place) for place in range(size)]


def _pair(chosen: Family, spread: float, place: float) -> Pair:
    hue = chosen.hue + spread * (place - 0.5)
    chroma = _between(chosen.chroma, place)
    return Pair(
        light=oklch(_between(_LIGHT_PAGE, place), chroma, hue),
        dark=oklch(_between(_DARK_PAGE, place), chroma, hue),
    )


def _between(ends: tuple[float, float], place: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * place


def oklch(lightness: float, chroma: float, hue: float) -> str:
    """``#rrggbb``; chroma shrinks until the colour fits sRGB."""
    while True:
        channels = _linear(lightness, chroma, math.radians(hue))
        if chroma <= 0 or all(-1e-4 <= channel <= 1.0001 for channel in channels):
            return "#" + "".join(f"{round(255 * _encode(channel)):02x}" for channel in channels)
        chroma = max(0.0, chroma - 0.004)


def _linear(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _encode(channel: float) -> float:
    channel = min(1.0, max(0.0, channel))
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055
