"""Words of the measurements that ship with the product, in the reader's language."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import yaml

from results.documents.measured import MeasuredSet

SHIPPED = Path(__file__).resolve().parents[1] / "catalog" / "measured"


@lru_cache(maxsize=1)
def shipped_sets() -> tuple[MeasuredSet, ...]:
    """Every set, read once per process."""
    files = sorted(SHIPPED.glob("*/measured.yaml"))
    return tuple(
        MeasuredSet.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in files
    )


def in_language(text: str, language: str) -> str:
    """A stored title or note in ``language`` where it ships in it; else as its author wrote it."""
    return _chinese().get(text, text) if language.startswith("zh") else text


@lru_cache(maxsize=1)
def _chinese() -> dict[str, str]:
    shipped = [one for measured in shipped_sets() for one in measured.comparisons]
    titles = {one.title.en: one.title.zh for one in shipped}
    return titles | {one.note.en: one.note.zh for one in shipped if one.note is not None}


def not_run(model: str, scenario: str, labels: frozenset[str], language: str) -> Iterator[str]:
    """What is missing beside runs of these labels."""
    for measured in shipped_sets():
        for one in measured.not_run:
            if (one.model, one.scenario) == (model, scenario) and labels & set(one.labels):
                yield one.text.zh if language.startswith("zh") else one.text.en
