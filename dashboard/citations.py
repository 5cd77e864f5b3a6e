"""References to measured numbers in texts. Nothing that was measured is typed into a text.

``{point:HOST/LABEL#BLOCK/LOAD:METRIC}``  a metric of one point
``{point:HOST/LABEL/LOAD:METRIC}``        the median of all blocks
``{ratio:PLACE over PLACE:METRIC}``       the quotient of two of these
``{host:HOST:RATE}``                      what the newest probe measured, of the slowest device
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from results.queries.cited import Place

#: Whatever looks like a reference; one that the grammar below refuses is shown as missing.
REFERENCE = re.compile(r"\{(?:point|ratio|host):[^{}]*\}")
_PLACE = r"[a-z0-9][a-z0-9.-]*/[a-z0-9][a-z0-9._-]*(?:#[1-9][0-9]{0,5})?/[1-9][0-9]{0,5}"
_POINT = re.compile(rf"\{{point:({_PLACE}):([a-z0-9_]+)\}}")
_RATIO = re.compile(rf"\{{ratio:({_PLACE}) over ({_PLACE}):([a-z0-9_]+)\}}")
_HOST = re.compile(r"\{host:([a-z0-9][a-z0-9.-]*):([a-z0-9_]+)\}")


@dataclass(frozen=True, slots=True)
class Citation:
    """``places`` are none for a rate of a host, two for a ratio; ``key`` is a metric or a rate."""

    key: str
    places: tuple[Place, ...] = ()
    host: str | None = None


def read_citation(text: str) -> Citation | None:
    """None where the grammar is not kept."""
    if found := _POINT.fullmatch(text):
        return Citation(found[2], (_place(found[1]),))
    if found := _RATIO.fullmatch(text):
        return Citation(found[3], (_place(found[1]), _place(found[2])))
    if found := _HOST.fullmatch(text):
        return Citation(found[2], host=found[1])
    return None


def citations(text: str) -> Iterator[Citation]:
    """What a text refers to, as far as it keeps the grammar."""
    found: Iterable[Citation | None] = (read_citation(match[0]) for match in REFERENCE.finditer(text))
    return (citation for citation in found if citation is not None)


def _place(text: str) -> Place:
    host, run, load = text.split("/")
    label, _mark, block = run.partition("#")
    return Place(host, label, int(block) if block else None, int(load))
