"""JSON as RFC 8259 and I-JSON mean it: what other readers would read differently is refused.

Refused at any depth: NaN and infinities (also spelled as 1e400), integers outside 64 bits, duplicate
keys, nesting deeper than 32, NUL and lone surrogates in strings (PostgreSQL stores neither).
"""

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

from results.documents.base import pointer
from results.documents.refusal import DocumentError, Problem

MAX_DEPTH = 32
_INT64 = 2**63
Place = tuple[int | str, ...]


class MalformedJsonError(ValueError):
    """Not JSON at all; the message says where."""


class _Repeated(dict[str, Any]):
    """An object in which ``key`` stands twice."""

    key: str


def loads(body: bytes) -> Any:
    """The value of a JSON text.

    Raises MalformedJsonError for what is not UTF-8 or not JSON, DocumentError with pointers otherwise.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedJsonError(f"not UTF-8 at byte {error.start}") from None
    try:
        value = DECODER.decode(text)
    except RecursionError:
        _refuse_depth(())
    except ValueError as error:
        raise MalformedJsonError(str(error)) from None
    found = list(problems(value))
    if found:
        raise DocumentError(found)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    seen: set[str] = set()
    repeated = _Repeated(result)
    repeated.key = next(key for key, _value in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeated


def _integer(digits: str) -> int | float:
    # Longer ones would cost quadratic time to convert; infinity is reported with its place below.
    return int(digits) if len(digits) <= 20 else math.inf


def _refuse_depth(place: Place) -> NoReturn:
    raise DocumentError([_problem(place, "depth", f"nested deeper than {MAX_DEPTH}")])


def _problem(place: Place, rule: str, message: str) -> Problem:
    return Problem(pointer=pointer(place), rule=rule, message=message)


#: Keeps what ``problems`` reports: NaN and infinities as floats, the fact that a key stands twice.
DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=float, parse_int=_integer)


def problems(value: Any) -> Iterator[Problem]:
    """What is refused in a value that ``DECODER`` read; raises DocumentError when nested too deep."""
    # Places cost more than everything else, and nearly every value is clean.
    if not _is_clean(value):
        yield from _placed_problems(value)


def _is_clean(value: Any) -> bool:
    level = [value]
    for _depth in range(MAX_DEPTH + 1):
        containers = [item for item in level if not _is_clean_scalar(item)]
        if not containers:
            return True
        level = []
        for item in containers:
            if type(item) is dict:
                if not all(map(_storable, item)):
                    return False
                level.extend(item.values())
            elif type(item) is list:
                level.extend(item)
            else:
                return False
    return False


def _is_clean_scalar(item: Any) -> bool:
    kind = type(item)
    if kind is str:
        return _storable(item)
    if kind is float:
        return math.isfinite(item)
    if kind is int:
        return bool(-_INT64 <= item < _INT64)
    return kind is bool or item is None


def _placed_problems(value: Any) -> Iterator[Problem]:
    stack: list[tuple[Any, Place]] = [(value, ())]
    while stack:
        item, place = stack.pop()
        if isinstance(item, dict | list):
            if len(place) >= MAX_DEPTH:
                _refuse_depth(place)
            entries = item.items() if isinstance(item, dict) else enumerate(item)
            stack.extend((child, (*place, key)) for key, child in entries)
            yield from _key_problems(item, place)
        else:
            yield from _scalar_problems(item, place)


def _key_problems(item: dict[str, Any] | list[Any], place: Place) -> Iterator[Problem]:
    if isinstance(item, _Repeated):
        yield _problem((*place, _printable(item.key)), "duplicate_key", "the key stands twice")
    if isinstance(item, dict):
        for key in item:
            if not _storable(key):
                yield _problem((*place, _printable(key)), "text", "NUL or a lone surrogate in a key")


def _scalar_problems(item: Any, place: Place) -> Iterator[Problem]:
    if isinstance(item, float) and not math.isfinite(item):
        yield _problem(place, "finite_number", "not a finite number of 64 bits")
    elif isinstance(item, int) and not -_INT64 <= item < _INT64:
        yield _problem(place, "finite_number", "an integer outside 64 bits")
    elif isinstance(item, str) and not _storable(item):
        yield _problem(place, "text", "NUL or a lone surrogate in a string")


def _storable(text: str) -> bool:
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _printable(key: str) -> str:
    return key.replace("\0", "\\u0000").encode("utf-8", "backslashreplace").decode("utf-8")
