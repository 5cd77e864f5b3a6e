"""Verdicts of comparisons as they are stored and served."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from results.analysis.gains.verdicts import ComparisonVerdict

_VERDICT = TypeAdapter(ComparisonVerdict)


def write_verdict(verdict: ComparisonVerdict) -> dict[str, Any]:
    document: dict[str, Any] = _VERDICT.dump_python(verdict, mode="json")
    return document


def read_verdict(document: Mapping[str, Any]) -> ComparisonVerdict:
    """What ``write_verdict`` wrote; ValidationError for anything else."""
    return _VERDICT.validate_python(document)
