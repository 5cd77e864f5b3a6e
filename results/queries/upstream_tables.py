"""Upstream work as flat tables: the same rows as the JSON answers, one line per fact."""

from collections.abc import Iterable
from typing import Any

from results.models import PullRequest
from results.queries.claim_lines import ClaimLine
from results.queries.evidence_lines import EvidenceLine
from results.queries.projects import ProjectRow, PullRow

Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]


def projects_table(rows: Iterable[ProjectRow]) -> Table:
    columns = (
        "slug",
        "name",
        "layer",
        "repository",
        "added_later",
        "pulls",
        "claimed",
        "measured",
        "summary",
    )
    statuses = tuple(PullRequest.Status.values)
    header = (*columns[:6], *(f"pulls_{status}" for status in statuses), *columns[6:])
    return header, [
        (*_of(row, columns[:6]), *(row.statuses.get(one, 0) for one in statuses), *_of(row, columns[6:]))
        for row in rows
    ]


def pulls_table(rows: Iterable[PullRow]) -> Table:
    columns = (
        "repository", "number", "url", "project", "topic", "kind", "title", "status", "status_as_of",
        "status_source", "landed_on", "opened_on", "merged_on", "grade", "listed_by", "added_later",
        "source_url", "note", "measured",
    )  # fmt: skip
    return (*columns, "claims"), [(*_of(row, columns), len(row.claims)) for row in rows]


def evidence_table(lines: Iterable[EvidenceLine]) -> Table:
    """Fractions: 0.04 is 4 % better. ``held_equal`` is a metric where the gain is one along a frontier."""
    about = ("evidence", "status", "project", "topic", "repository", "number", "comparison", "title",
             "declared_before_running", "scenario", "hosts")  # fmt: skip
    of_verdict = ("metric", "unit", "direction", "basis", "load", "family", "n", "gain", "ci_low", "ci_high",
                  "confidence", "p", "adjusted_p", "verdict", "reasons", "floor", "mde",
                  "algorithm_version")  # fmt: skip
    after = {"held_equal": "x", "from": "low", "to": "high", "note": "note", "created_at": "created_at",
             "withdrawn_reason": "withdrawn_reason"}  # fmt: skip
    header = (*about, *of_verdict, *after)
    return header, [
        (*_of(line, about), *_of(line.verdict, of_verdict), *_of(line, after.values())) for line in lines
    ]


def claims_table(lines: Iterable[ClaimLine]) -> Table:
    """A line per claim, or one per load at which its metric was measured for its pull request."""
    of_claim = ("metric", "before", "after", "change", "unit", "setup", "source_url", "metric_key")
    of_verdict = ("load", "n", "gain", "ci_low", "ci_high", "verdict")
    header = ("repository", "number", "status", "kind", *of_claim, "claimed_gain", "not_on_scale", "evidence",
              *(f"measured_{name}" for name in of_verdict))  # fmt: skip
    rows = []
    for line in lines:
        about = (*_of(line.pull, header[:4]), *_of(line.claim, of_claim), line.gain, line.off)
        for one in line.measured or (None,):
            found = one.evidence if one else None
            rows.append((*about, found, *_of(one.verdict if one else None, of_verdict)))
    return header, rows


def _of(row: object, names: Iterable[str]) -> tuple[Any, ...]:
    """Values by name; none of them where there is no row."""
    return tuple(None if row is None else getattr(row, name) for name in names)
