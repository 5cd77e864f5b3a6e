"""Markdown as pages show it: text and raw HTML are escaped, javascript: and data: links dropped."""

from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict


def reader() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("fence", _fence)
    return markdown


def _fence(
    self: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType
) -> str:
    """Code wider than the screen scrolls, so it takes the focus."""
    return RendererHTML.fence(self, tokens, place, options, env).replace("<pre>", '<pre tabindex="0">', 1)


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
