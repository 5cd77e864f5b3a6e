"""The project's own documents, rendered from docs/*.md."""

import re
from collections.abc import MutableMapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from markdown_it.token import Token

from dashboard.markdown import for_pages, reader

_FOLDER = Path(settings.BASE_DIR, "docs")


@dataclass(frozen=True, slots=True)
class Document:
    """``body`` is HTML without the title; raw HTML of the source is escaped, never passed on."""

    name: str
    title: str
    body: SafeString
    translated: bool


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    documents = [_find(path.stem) for path in sorted(_FOLDER.glob("*.md"))]
    return render(request, "docs/listing.html", {"documents": documents})


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    if not Path(_FOLDER, f"{name}.md").is_file():
        raise Http404
    return render(request, "docs/page.html", {"document": _find(name)})


def _find(name: str) -> Document:
    """The document in the reader's language where there is one, else in English."""
    language = get_language() or "en"
    path, translated = Path(_FOLDER, language, f"{name}.md"), True
    if not path.is_file():
        path, translated = Path(_FOLDER, f"{name}.md"), language == "en"
    return _render(path, path.stat().st_mtime_ns, translated)


@lru_cache(maxsize=64)
def _render(path: Path, changed_ns: int, translated: bool) -> Document:  # noqa: ARG001
    markdown = reader()
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title = path.stem
    if tokens and tokens[0].tag == "h1":
        title, tokens = tokens[1].content, tokens[3:]
    for_pages(tokens)
    for token in tokens:
        _point_inside(token)
    html = markdown.renderer.render(tokens, markdown.options, _nothing())
    # Safe: markdown-it escapes text and raw HTML, and drops javascript: and data: links.
    return Document(path.stem, title, mark_safe(html), translated)  # noqa: S308


def _nothing() -> MutableMapping[str, Any]:
    return {}


def _point_inside(token: Token) -> None:
    """Links from one document to another lead to its page."""
    for child in token.children or ():
        found = re.fullmatch(r"(?:\./)?([a-z0-9-]+)\.md(#.*)?", str(child.attrs.get("href", "")))
        if found:
            child.attrs["href"] = reverse("doc", args=[found[1]]) + (found[2] or "")
