import math
from datetime import date, timedelta

import pytest

from results.analysis.prices import NoPriceTableError, PriceBook, Rate, deployment_rate
from results.documents.prices import PriceEntry, PriceTable, Tier


def table(version: str, effective: date, *entries: PriceEntry) -> PriceTable:
    mine = entries or (PriceEntry(hardware="b200", kilowatts=1.71, hyperscaler=1.73),)
    return PriceTable(version=version, effective=effective, source="a test", entries=list(mine))


APRIL, SEPTEMBER = date(2026, 4, 3), date(2026, 9, 1)
BOOK = PriceBook((table("new", SEPTEMBER), table("old", APRIL)))
MIXED = table(
    "mixed",
    APRIL,
    PriceEntry(hardware="b200", kilowatts=1.5, hyperscaler=2.0, rental=3.0),
    PriceEntry(hardware="h100", kilowatts=1.0, hyperscaler=1.0),
)


@pytest.mark.parametrize(
    ("day", "version"),
    [
        (APRIL, "old"),
        (SEPTEMBER - timedelta(days=1), "old"),
        (SEPTEMBER, "new"),
        (date(2030, 1, 1), "new"),
    ],
)
def test_as_of_selects_the_table_in_force(day: date, version: str) -> None:
    assert BOOK.as_of(day).version == version


def test_before_the_first_table_there_is_no_price_and_it_says_since_when() -> None:
    with pytest.raises(NoPriceTableError, match="2026-04-03"):
        BOOK.as_of(APRIL - timedelta(days=1))


def test_a_version_is_named_or_unknown() -> None:
    assert BOOK.version("old").effective == APRIL
    assert BOOK.newest.version == "new"
    with pytest.raises(NoPriceTableError, match="known: old, new"):
        BOOK.version("2025")


def test_an_empty_book_has_no_table() -> None:
    empty = PriceBook(())
    with pytest.raises(NoPriceTableError):
        _ = empty.newest
    with pytest.raises(NoPriceTableError):
        empty.as_of(APRIL)


@pytest.mark.parametrize(
    "tables", [(table("a", APRIL), table("b", APRIL)), (table("a", APRIL), table("a", SEPTEMBER))]
)
def test_two_tables_of_one_day_or_version_are_refused(tables: tuple[PriceTable, ...]) -> None:
    with pytest.raises(ValueError, match="the same"):
        PriceBook(tables)


def test_mixed_hardware_is_priced_by_its_own_parts() -> None:
    rate = deployment_rate(MIXED, Tier.HYPERSCALER, {"b200": 4, "h100": 12})
    assert rate == Rate((4 * 2.0 + 12 * 1.0) / 16, (4 * 1.5 + 12 * 1.0) / 16)


def test_one_part_without_a_price_leaves_the_deployment_without_one() -> None:
    assert deployment_rate(MIXED, Tier.RENTAL, {"b200": 4, "h100": 4}) == Rate(None, 1.25)
    assert deployment_rate(MIXED, Tier.HYPERSCALER, {"b200": 4, "mi300x": 4}) == Rate(None, None)


def test_a_part_with_no_gpu_has_no_say() -> None:
    assert deployment_rate(MIXED, Tier.RENTAL, {"b200": 4, "h100": 0}) == Rate(3.0, 1.5)


@pytest.mark.parametrize("gpus", [{}, {"b200": 0}, {"b200": 9, "h100": -1}])
def test_a_deployment_has_gpus(gpus: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one GPU"):
        deployment_rate(MIXED, Tier.HYPERSCALER, gpus)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_nothing_is_free(value: float) -> None:
    with pytest.raises(ValueError, match="positive finite"):
        Rate(value, 1.0)
    with pytest.raises(ValueError, match="positive finite"):
        Rate(1.0, value)
