"""The order in which people look for texts that hold numbers. Pure."""

import re

Key = tuple[tuple[int, float, str], ...]
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_PARTS = re.compile(r"\d+|\D+")


def natural(text: str) -> Key:
    """To sort by: numbers by size and before words, and inside words too, so that tp8 precedes tp16.

    A text that is one number counts as such; the parts of any other, as 0.9.2 and 0.11.0, count one by one.
    """
    if _NUMBER.fullmatch(text):
        return ((0, float(text), ""),)
    return tuple((0, float(part), "") if part.isdecimal() else (1, 0, part) for part in _PARTS.findall(text))
