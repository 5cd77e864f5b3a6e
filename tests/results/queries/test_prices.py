from datetime import date
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from results.documents.catalogue import CatalogueFile
from results.documents.prices import Tier
from results.queries.prices import SHIPPED, read_prices, shipped_prices

#: kilowatts, hyperscaler, three-year rental as published.
APRIL = {
    "h100": (1.73, 1.30, 1.30), "h200": (1.73, 1.41, 1.60), "b200": (2.17, 1.95, 2.90),
    "b300": (2.17, 2.34, 3.48), "gb200": (2.10, 2.21, 3.30), "gb300": (2.10, 2.652, 3.96),
    "mi300x": (1.79, 1.12, 1.55), "mi325x": (2.18, 1.28, 1.80), "mi355x": (2.65, 1.48, 2.10),
}  # fmt: skip
SEPTEMBER = {
    "vr200": (3.30, 3.61, 8.50), "h100": (1.37, 1.17, 2.00), "h200": (1.37, 1.22, 2.90),
    "b200": (1.71, 1.73, 3.70), "b300": (1.90, 2.26, 4.25), "gb200": (1.87, 1.86, 4.00),
    "gb300": (2.12, 2.31, 5.00), "mi300x": (1.39, 0.95, 1.30), "mi325x": (1.69, 1.10, 1.60),
    "mi355x": (2.09, 1.50, 2.90), "rtx-pro-6000": (0.975, 0.68, 0.52),
    "openai-jalapeno": (1.125, 1.47, 1.79), "tpu-v7": (1.207, 1.21, 2.00),
}  # fmt: skip


@pytest.mark.parametrize(("version", "expected"), [("2026-04", APRIL), ("2026-09", SEPTEMBER)])
def test_shipped_tables_hold_the_published_numbers(
    version: str, expected: dict[str, tuple[float, float, float]]
) -> None:
    table = shipped_prices().version(version)
    found = {entry.hardware: (entry.kilowatts, entry.hyperscaler, entry.rental) for entry in table.entries}
    assert found == expected
    assert "InferenceX" in table.source


def test_a_past_day_keeps_its_prices() -> None:
    then, now = shipped_prices().as_of(date(2026, 6, 1)), shipped_prices().newest
    old, new = then.entry("h200"), now.entry("h200")
    assert old is not None and new is not None
    assert (old.rental, new.rental) == (1.60, 2.90)
    assert old.dollars_per_hour(Tier.NEOCLOUD) == 1.74
    assert new.dollars_per_hour(Tier.NEOCLOUD) is None


def test_prices_name_hardware_as_the_catalogue_does() -> None:
    """Two parts are priced before anybody has measured them."""
    text = SHIPPED.with_name("hardware.yaml").read_text(encoding="utf-8")
    catalogued = {entry.slug for entry in CatalogueFile.model_validate(yaml.safe_load(text)).hardware}
    priced = {entry.hardware for table in shipped_prices().tables for entry in table.entries}
    assert priced - catalogued == {"vr200", "openai-jalapeno"}


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("prices: [{version: a}]\n", encoding="utf-8")
    with pytest.raises(ValidationError):
        read_prices(path)
