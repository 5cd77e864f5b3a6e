"""Text of people in figures. Pure."""


def escape(text: str) -> str:
    """Text that Plotly's own markup shows literally."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
