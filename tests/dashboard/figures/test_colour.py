"""Colours of one chart stay apart for readers with and without colour vision deficiency."""

import math
from itertools import combinations

import pytest

from dashboard.figures.colour import FAMILIES, family, ramp

#: Full dichromacy in linear RGB: Machado, Oliveira and Fernandes (2009), severity 1.0.
SIGHT = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip


def linear(colour: str) -> list[float]:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]


def oklab(rgb: list[float]) -> tuple[float, float, float]:
    r, g, b = (max(0.0, value) for value in rgb)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def seen(colour: str, sight: str) -> tuple[float, float, float]:
    rgb = linear(colour)
    return oklab(
        [sum(weight * value for weight, value in zip(row, rgb, strict=True)) for row in SIGHT[sight]]
    )


def distance(one: str, other: str, sight: str) -> float:
    pairs = zip(seen(one, sight), seen(other, sight), strict=True)
    return math.sqrt(sum((a - b) ** 2 for a, b in pairs))


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", FAMILIES)
def test_up_to_four_recipes_of_a_vendor_stay_apart(name: str, theme: str, sight: str) -> None:
    for size in (2, 3, 4):
        colours = [getattr(pair, theme) for pair in ramp(name, size)]
        assert min(distance(a, b, sight) for a, b in combinations(colours, 2)) > 0.05


@pytest.mark.parametrize("name", FAMILIES)
def test_every_colour_stands_out_from_its_page(name: str) -> None:
    for pair in ramp(name, 8):
        assert distance(pair.light, "#ffffff", "normal") > 0.25
        assert distance(pair.dark, "#1a1d21", "normal") > 0.25


def test_a_cpu_is_grey_whoever_made_it() -> None:
    assert family("NVIDIA", "cpu") == "cpu"
    assert family("NVIDIA", "gpu") == "nvidia"
    assert family("Somebody", "gpu") == "other"
