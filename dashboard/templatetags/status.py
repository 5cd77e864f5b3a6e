"""Words of the status page, and of runs that were submitted for a pull request."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.words import Words, word
from results.queries.pull_runs import PullRunRow

register = template.Library()
HOST_STATES: Words = {
    "ready": gettext_lazy("ready"),
    "dirty": gettext_lazy("left dirty"),
    "retired": gettext_lazy("retired"),
}


@register.filter
def host_state(code: str) -> str:
    return word(HOST_STATES, code)


@register.filter
def why(row: PullRunRow) -> str:
    """Why a run of a pull request is not compared, in the reader's language."""
    return _(row.reason) if row.reason else ""
