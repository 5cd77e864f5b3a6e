"""YAML as JSON means it: maps, lists, text, numbers, true, false, null. Pure.

Dates stay text, ``on`` and ``1:30`` too. Tags that construct objects, keys that stand twice or are no text,
and aliases that would expand a small file into a large one ("billion laughs") or into itself are refused.
"""

import re
from typing import Any

import yaml

from results.ingest.reading import check, text
from results.ingest.rows import FormatError, Source

LARGEST_YAML = 2**23
#: Nodes and characters after expansion of aliases, and how deep nodes nest (the constructor recurses).
MAX_EXPANDED = 2 * LARGEST_YAML
MAX_DEPTH = 64
_PREFIX = "tag:yaml.org,2002:"


class _Loader(yaml.CSafeLoader):
    """The JSON types only."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _value in node.value:
            place = f"line {key.start_mark.line + 1}"
            if key.tag not in (f"{_PREFIX}str", f"{_PREFIX}merge"):
                raise FormatError(place, "a key that is no text")
            if key.value in seen:
                raise FormatError(place, f"the key {key.value!r} stands twice")
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_constructors = {
    f"{_PREFIX}{name}": yaml.SafeLoader.yaml_constructors[f"{_PREFIX}{name}"]
    for name in ("map", "seq", "str", "int", "float", "bool", "null")
}
_Loader.yaml_constructors[None] = yaml.SafeLoader.yaml_constructors[None]
for _name, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,19})", list("-+0123456789")),
    ("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", list("-+.")),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(f"{_PREFIX}{_name}", re.compile(rf"^(?:{_pattern})$"), _first)


def yaml_document(source: Source, *, finite: bool = True) -> Any:
    """The one document of a file. ``finite=False`` leaves NaN and infinities to the caller."""
    return parse_yaml(text(source, LARGEST_YAML), finite=finite)


def parse_yaml(document: str, *, finite: bool = True) -> Any:
    """The value of a YAML text. Raises FormatError."""
    try:
        _measure(document)
        value = yaml.load(document, Loader=_Loader)  # noqa: S506 a subclass of the safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "" if mark is None else f"line {mark.line + 1}"
        raise FormatError(place, f"not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError("", f"not YAML: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise FormatError("", "nested too deep") from None
    check(value, "", finite=finite)
    return value


def _measure(document: str) -> None:
    """Refuses what would grow too large or nest too deep, before anything is built."""
    sizes: dict[str | None, int] = {}
    # Anchor and size of each collection that is open; the first holds the document.
    open_: list[tuple[str | None, int]] = [(None, 0)]
    for event in yaml.parse(document, Loader=yaml.CSafeLoader):
        place = "" if event.start_mark is None else f"line {event.start_mark.line + 1}"
        size = 0
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append((event.anchor, 1))
            if len(open_) > MAX_DEPTH:
                raise FormatError(place, f"nested deeper than {MAX_DEPTH}")
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_.pop()
            sizes[anchor] = size
        elif isinstance(event, yaml.ScalarEvent):
            size = sizes[event.anchor] = 1 + len(event.value)
        elif isinstance(event, yaml.AliasEvent):
            size = _alias_size(event.anchor, sizes, place)
        anchor, count = open_[-1]
        open_[-1] = (anchor, count + size)
        if count + size > MAX_EXPANDED:
            raise FormatError(place, f"larger than {MAX_EXPANDED} after expansion of aliases")


def _alias_size(name: str | None, sizes: dict[str | None, int], place: str) -> int:
    if name not in sizes:
        raise FormatError(place, f"alias {name!r} has no finished anchor")
    return sizes[name]
