import math
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from results.documents.prices import PriceTable, Tier

GOOD: dict[str, Any] = {
    "version": "2026-09",
    "effective": date(2026, 9, 1),
    "source": "a test",
    "entries": [{"hardware": "b200", "kilowatts": 1.71, "hyperscaler": 1.73, "rental": 3.7}],
}


def test_a_tier_without_a_price_is_unknown() -> None:
    entry = PriceTable.model_validate(GOOD).entry("b200")
    assert entry is not None
    prices = {tier: entry.dollars_per_hour(tier) for tier in Tier}
    assert prices == {Tier.HYPERSCALER: 1.73, Tier.NEOCLOUD: None, Tier.RENTAL: 3.7}


def test_hardware_without_an_entry_is_none() -> None:
    assert PriceTable.model_validate(GOOD).entry("b20") is None


@pytest.mark.parametrize(
    "change",
    [
        {"effective": "soon"},
        {"source": ""},
        {"version": "Sept 2026"},
        {"entries": []},
        {"entries": GOOD["entries"] * 2},
        {"entries": [{"hardware": "b200", "kilowatts": 0.0}]},
        {"entries": [{"hardware": "b200", "kilowatts": math.nan}]},
        {"entries": [{"hardware": "b200", "kilowatts": 1.0, "hyperscaler": -1.0}]},
        {"entries": [{"hardware": "b200", "kilowatts": 1.0, "retail": 1.0}]},
        {"entries": [{"hardware": "B 200", "kilowatts": 1.0}]},
    ],
)
def test_a_bad_table_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PriceTable.model_validate(GOOD | change)
