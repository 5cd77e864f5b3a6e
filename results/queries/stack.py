"""The primer of the serving stack, from results/catalog/stack/primer.yaml."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml
from pydantic import Field

from results.documents.base import Document
from results.documents.catalogue import Slug
from results.documents.upstream import Prose, Words

_FILE = Path(__file__).resolve().parents[1] / "catalog" / "stack" / "primer.yaml"


class _Part(Document):
    slug: Slug
    name: Words
    paragraphs: list[Prose] = Field(min_length=1)
    projects: list[Slug]
    picture: Slug | None = None


class _Primer(Document):
    parts: list[_Part] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class StackPart:
    """One layer in the reader's language; ``picture`` names a drawing of the page."""

    slug: str
    name: str
    paragraphs: tuple[str, ...]
    projects: tuple[str, ...]
    picture: str | None


def stack_parts(language: str) -> tuple[StackPart, ...]:
    """Every part of the primer; the file is read once per process."""
    code = "zh" if language.startswith("zh") else "en"
    return tuple(
        StackPart(
            slug=part.slug,
            name=getattr(part.name, code),
            paragraphs=tuple(getattr(text, code) for text in part.paragraphs),
            projects=tuple(part.projects),
            picture=part.picture,
        )
        for part in _primer().parts
    )


@lru_cache(maxsize=1)
def _primer() -> _Primer:
    return _Primer.model_validate(yaml.safe_load(_FILE.read_text(encoding="utf-8")))
