"""Markdown as pages show it: text and raw HTML are escaped, javascript: and data: links dropped."""

from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.token import Token


def reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def without_styles(tokens: Iterable[Token]) -> None:
    """Columns that a table aligns to the right get a class: the policy of the site refuses inline styles."""
    for token in tokens:
        if token.attrs.pop("style", "") == "text-align:right":
            token.attrs["class"] = "number"
