"""What prices the deployments of a page: one table, and the rate of each recipe under it."""

from datetime import UTC, date

from results import clock
from results.analysis.prices import NoPriceTableError, Rate, deployment_rate
from results.documents.prices import PriceTable, Tier
from results.queries.prices import shipped_prices
from results.queries.recipes_seen import RecipeSeen


def price_table(version: str | None, as_of: date | None) -> PriceTable | None:
    """The table in force on a day, today without one; None before the first table.

    NoPriceTableError when a version is asked for that does not exist.
    """
    book = shipped_prices()
    if version is not None:
        return book.version(version)
    try:
        return book.as_of(as_of or clock.now().astimezone(UTC).date())
    except NoPriceTableError:
        return None


class Pricing:
    """The rate of each recipe, worked out once."""

    def __init__(self, table: PriceTable | None, tier: Tier) -> None:
        self._table, self._tier = table, tier
        self._known: dict[str, Rate] = {}

    def rate(self, recipe: RecipeSeen) -> Rate:
        if self._table is None:
            return Rate(None, None)
        if recipe.fingerprint not in self._known:
            gpus = dict(recipe.build.gpus)
            self._known[recipe.fingerprint] = deployment_rate(self._table, self._tier, gpus)
        return self._known[recipe.fingerprint]
