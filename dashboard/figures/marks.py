"""What a mark says: shape is precision, dash is engine, halo is KV offload, hollow is not eligible. Pure."""

_SYMBOLS = {
    "fp32": "circle", "bf16": "circle", "fp16": "circle",
    "fp8": "square", "int8": "square", "q8_0": "square",
    "fp4": "diamond", "nvfp4": "diamond", "mxfp4": "diamond", "int4": "diamond",
    "fp6": "triangle-up", "mxfp6": "triangle-up",
}  # fmt: skip
_OTHER_SYMBOL = "triangle-down"
_DASHES = {"llamacpp": "solid", "vllm": "dash", "sglang": "dot", "trtllm": "dashdot"}
_OTHER_DASH = "longdash"
#: Engines that wrap another one share its dash.
_WRAPPERS = ("dynamo-", "mori-", "llmd-")
#: For a line over several engines.
NO_DASH = "solid"

#: The same shapes for our own legend, in a box of 40 by 16 whose middle is (20, 8).
_OUTLINES = {
    "circle": "M20 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9z",
    "square": "M16 4h8v8h-8z",
    "diamond": "M20 2.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
    "triangle-up": "M20 3l5 9h-10z",
    "triangle-down": "M20 13l5-9h-10z",
}
_STROKES = {"solid": "none", "dash": "6 3", "dot": "1.5 3", "dashdot": "6 3 1.5 3", "longdash": "10 3"}


def symbol(precision: str) -> str:
    """Plotly marker symbol."""
    return _SYMBOLS.get(precision.casefold(), _OTHER_SYMBOL)


def dash(engine: str) -> str:
    """Plotly line dash."""
    name = engine.casefold()
    for wrapper in _WRAPPERS:
        name = name.removeprefix(wrapper)
    return _DASHES.get(name, _OTHER_DASH)


def outline(name: str) -> str:
    """SVG path of a symbol."""
    return _OUTLINES[name]


def stroke(name: str) -> str:
    """SVG stroke-dasharray of a dash."""
    return _STROKES[name]
