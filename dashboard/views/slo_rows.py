"""Rows of the offers of an objective, written as text: a page has dozens of a dozen parts each."""

from collections.abc import Sequence
from uuid import UUID

from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dashboard.templatetags.pages import number
from dashboard.views.explore_rows import addressed
from results.queries.slo import Offered

#: Characters of a fingerprint that name a recipe in addresses.
_KEY = 12
_CONFIGURATION = '{} × {}{}<div class="small soft"><span title="{}">{}</span> · {}</div>'


def offer_rows(offers: Sequence[Offered], *, capped: bool) -> SafeString:
    """``capped`` tells how many deployments fit under the caps, else how many devices one has."""
    parts = _Parts(offers)
    return SafeString("\n".join(parts.row(one, capped=capped) for one in offers))


class _Parts:
    """What the rows of one page have in common."""

    def __init__(self, offers: Sequence[Offered]) -> None:
        self.first = offers[0] if offers else None
        self.point_at, self.run_at = addressed("point", 0), addressed("run", UUID(int=0))
        self.compare_at = reverse("compare")
        self.point, self.run, self.compare = (escape(word) for word in (_("point"), _("run"), _("compare")))

    def row(self, one: Offered, *, capped: bool) -> str:
        offer, count = one.offer, one.offer.deployments if capped else one.recipe.gpus
        quantities = (
            (offer.point.ttft, "s"), (offer.point.speed, "tok/s/user"), (offer.throughput, "tok/s"),
            (offer.cost, "USD/Mtok"), (offer.dollars, "USD/h"), (offer.kilowatts, "kW"),
        )  # fmt: skip
        numbers = (one.point.load, count, *(number(value, unit) for value, unit in quantities))
        cells = "".join(f'<td class="number">{text}</td>' for text in numbers)
        return (
            f'<tr><td>{one.rank}</td><td class="nowrap">{_configuration(one)}</td>{cells}'
            f'<td class="nowrap">{self.evidence(one)}</td></tr>'
        )

    def evidence(self, one: Offered) -> str:
        query = f"recipe={one.recipe.fingerprint[:_KEY]}"
        if self.first is not None and one is not self.first:
            query += f"&amp;recipe={self.first.recipe.fingerprint[:_KEY]}"
        return (
            f'<a href="{self.point_at(one.point.id)}">{self.point}</a> · '
            f'<a href="{self.run_at(one.point.run)}">{self.run}</a> · '
            f'<a href="{self.compare_at}?{query}">{self.compare}</a>'
        )


def _configuration(one: Offered) -> SafeString:
    recipe, label = one.recipe, one.point.label
    named = format_html(' <span class="soft">{}</span>', label) if label != recipe.label else ""
    served = [recipe.label, recipe.precision, *([recipe.speculative] if recipe.speculative else [])]
    served += [f"KV {recipe.offload}"] if recipe.offload != "none" else []
    build = recipe.version, recipe.engine_name
    return format_html(_CONFIGURATION, recipe.gpus, recipe.hardware_name, named, *build, " · ".join(served))
