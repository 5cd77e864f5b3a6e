"""Markdown as pages show it: text and raw HTML are escaped, javascript: and data: links dropped."""

from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.token import Token


def reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def for_pages(tokens: Iterable[Token]) -> None:
    """What the policy and the keyboard ask for.

    Inline styles are refused, so columns that a table aligns to the right get a class. A table wider than the
    screen scrolls, so it takes the focus.
    """
    for token in tokens:
        if token.attrs.pop("style", "") == "text-align:right":
            token.attrs["class"] = "number"
        if token.type == "table_open":
            token.attrs["tabindex"] = "0"
