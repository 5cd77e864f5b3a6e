"""A small SVG sign with two fields, for pages elsewhere."""

from xml.sax.saxutils import escape, quoteattr

#: Mean width of a character at 11 px in the usual system fonts, in px, and the space beside a text.
_CHARACTER, _PAD, _HEIGHT = 6.6, 7.0, 20


def badge_svg(left: str, right: str, colour: str = "#5a6270") -> str:
    """``left`` on grey, ``right`` on ``colour`` (white text on it must be readable)."""
    first, second = _width(left), _width(right)
    total, title = first + second, quoteattr(f"{left}: {right}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:.0f}" height="{_HEIGHT}" role="img"'
        f" aria-label={title}>"
        f'<rect width="{total:.0f}" height="{_HEIGHT}" rx="3" fill="#2b3038"/>'
        f'<path d="M{first:.1f} 0h{second - 3:.1f}a3 3 0 0 1 3 3v{_HEIGHT - 6}a3 3 0 0 1-3 3H{first:.1f}z"'
        f' fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{first / 2:.1f}" y="14">{escape(left)}</text>'
        f'<text x="{first + second / 2:.1f}" y="14">{escape(right)}</text></g></svg>'
    )


def _width(text: str) -> float:
    return len(text) * _CHARACTER + 2 * _PAD
