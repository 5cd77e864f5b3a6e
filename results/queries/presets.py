"""Comparisons worth a link: hardware against hardware, engine against engine, where both were measured."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from results.models import Curve
from results.queries.sides import Asked

_COLUMNS = ("language_model__slug", "language_model__name", "scenario__corpus", "scenario__isl",
            "scenario__osl", "recipe__hardware__slug", "recipe__engine__slug",
            "recipe__precision", "recipe__hardware__name", "recipe__engine__name")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Preset:
    """``pair`` is the end of its address, ``curves`` the fewer of both sides."""

    kind: str
    pair: str
    names: tuple[str, str]
    model: str
    model_name: str
    scenario: str
    curves: int


def presets(most: int = 6) -> tuple[Preset, ...]:
    """At most so many of each kind, those with most curves on both sides first. One query."""
    counts: dict[tuple[str, str, str], Counter[tuple[str, str, str]]] = {}
    names: dict[tuple[str, str], str] = {}
    for row in Curve.objects.values_list(*_COLUMNS):
        model, name, corpus, isl, osl, hardware, engine, precision, *full = row
        names |= {("hardware", hardware): full[0], ("engine", engine): full[1]}
        here = counts.setdefault((model, name, corpus or f"{isl}/{osl}"), Counter())
        here.update([("hardware", hardware, precision), ("engine", engine, precision)])
    found = {kind: list(_pairs(kind, counts, names)) for kind in ("hardware", "engine")}
    return tuple(preset for kind in found for preset in _best(found[kind], most))


def sides_of(pair: str, hardware: Iterable[str], engines: Iterable[str]) -> Asked | None:
    """What ``a-vs-b`` names; None unless both are hardware, or both are engines, of the catalogue."""
    names = tuple(dict.fromkeys(pair.split("-vs-")))
    if len(names) < 2:
        return None
    if set(names) <= set(hardware):
        return Asked(hardware=names)
    return Asked(engines=names) if set(names) <= set(engines) else None


def _pairs(
    kind: str,
    counts: Mapping[tuple[str, str, str], Counter[tuple[str, str, str]]],
    names: Mapping[tuple[str, str], str],
) -> Iterable[Preset]:
    for (model, name, scenario), here in counts.items():
        for (one, n), (other, m) in combinations(sorted(_of_kind(kind, here).items()), 2):
            shared = sum(min(n[precision], m[precision]) for precision in n.keys() & m.keys())
            if shared:
                titles = (names[kind, one], names[kind, other])
                yield Preset(kind, f"{one}-vs-{other}", titles, model, name, scenario, shared)


def _of_kind(kind: str, here: Counter[tuple[str, str, str]]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for (of, slug, precision), count in here.items():
        if of == kind:
            found.setdefault(slug, Counter())[precision] += count
    return found


def _best(found: Iterable[Preset], most: int) -> list[Preset]:
    """Every pair once, at the place where it has most."""
    ranked = sorted(found, key=lambda one: (-one.curves, one.pair, one.model, one.scenario))
    kept: dict[str, Preset] = {}
    for one in ranked:
        kept.setdefault(one.pair, one)
    return list(kept.values())[:most]
