"""The comment at a pull request: every standing verdict with its interval, in GitHub's Markdown.

English, because it stands on pages of others. Titles, names and recipes come from whoever submitted a plan,
so they are shown as code: GitHub then makes no link, no mention and no markup of them.
"""

import re
from collections.abc import Sequence

from results.analysis.gains.vocabulary import VERDICT_TEXTS
from results.queries.comparisons import EvidenceRow
from results.queries.statements import statements

#: Newest comparisons that a comment shows; the page has them all.
_SHOWN = 5
#: More statements than this are folded.
_TALL = 12


def comment(repository: str, number: int, evidence: Sequence[EvidenceRow], site: str) -> str:
    """The whole text; ``site`` is the address of this installation without a slash at its end.

    ``evidence``: standing before withdrawn, newest first.
    """
    page = f"{site}/pulls/{repository}/{number}/"
    subject = f"{repository}#{number}"
    parts = [f"### Northstar: {headline(evidence)}"]
    entries = [_entry(row, subject, site, tall=place > 0) for place, row in enumerate(evidence[:_SHOWN])]
    if len(evidence) > _SHOWN:
        entries.append(f"{len(evidence) - _SHOWN} more on the page.")
    parts += entries[:1]
    if entries[1:]:
        parts.append(_folded("Earlier comparisons", "\n\n".join(entries[1:])))
    parts.append(f"[Design, blocks, runs and artifacts]({page}) · [![Northstar]({page}badge.svg)]({page})")
    return "\n\n".join(parts) + "\n"


def headline(evidence: Sequence[EvidenceRow]) -> str:
    """The newest verdict that stands, in words."""
    standing = [row for row in evidence if row.withdrawn_at is None]
    concluded = [row.comparison.verdict for row in standing if row.comparison.verdict is not None]
    if concluded:
        regressions = concluded[0].headline.regressions
        text = VERDICT_TEXTS[concluded[0].headline.verdict]
        return f"{text}, {regressions} regressions" if regressions else text
    if standing:
        return "being measured"
    return "evidence withdrawn" if evidence else "not measured"


def _entry(row: EvidenceRow, subject: str, site: str, *, tall: bool) -> str:
    """``tall`` where the entry is folded as a whole."""
    found = row.comparison
    title = f"**{code(found.title)}**"
    if row.withdrawn_at is not None:
        return f"{title}: withdrawn on {row.withdrawn_at:%Y-%m-%d}: {code(row.withdrawn_reason)}"
    if found.verdict is None:
        return f"{title}: {found.done} of {len(found.members)} runs are over."
    details = f"[verdict as JSON]({site}/api/v1/comparisons/{found.id}/)"
    lead, *rest = statements(found, found.verdict, subject, code)
    listed = "\n".join(f"- {sentence}" for sentence in rest)
    if len(rest) > _TALL and not tall:
        listed = _folded(f"{len(rest)} statements", listed)
    return f"{title}: {lead} ({details})\n\n{listed}"


def _folded(summary: str, text: str) -> str:
    """A comment stays short in a conversation of others; GitHub needs the empty lines."""
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def code(text: str) -> str:
    """One line of code whatever the text: nothing in it can end the span or the line."""
    plain = re.sub(r"[\s`<>]+", " ", text).strip()
    return f"`{plain[:300] or ' '}`"
