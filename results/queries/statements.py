"""A comparison as the sentences that a write-up must contain: pages, comments and badges say the same."""

from collections.abc import Callable

from results.analysis.gains.sentences import Sentence, Subject, claim, render
from results.analysis.gains.verdicts import ComparisonVerdict
from results.metrics import gettext_noop
from results.queries.comparisons import ComparisonRow

_COMMIT = "engine.commit"
_RECIPES = gettext_noop("recipe %(candidate)s against %(baseline)s, which differ in %(changes)s")
_NOTHING = gettext_noop("nothing")


def statements(
    found: ComparisonRow,
    verdict: ComparisonVerdict,
    subject: str,
    quote: Callable[[str], str] = str,
    translate: Callable[[str], str] = str,
) -> list[str]:
    """What was compared first, then every declared quantity, the frontier, the design and the deviations.

    ``subject`` is the pull request. Words of whoever submitted the plan pass through ``quote``. The lead
    speaks of commits and of the merge base where these differ, and of recipes where only those do.
    """
    commits = found.differences.get(_COMMIT)
    before, after = commits or (found.baseline, found.candidate)
    hosts = ", ".join(found.hosts) or translate("unknown")
    about = Subject(subject, quote(after[:12]), quote(before[:12]), quote(hosts))
    sentences = [render(one, translate) for one in claim(verdict, about)]
    if commits is None:
        sentences[0] = _recipes(found, quote, translate)
    return sentences


def _recipes(found: ComparisonRow, quote: Callable[[str], str], translate: Callable[[str], str]) -> str:
    changes = [quote(f"{key}: {old} → {new}") for key, (old, new) in found.differences.items()]
    parameters = {
        "candidate": quote(found.candidate[:12]),
        "baseline": quote(found.baseline[:12]),
        "changes": ", ".join(changes) or translate(_NOTHING),
    }
    return render(Sentence(_RECIPES, parameters), translate)
