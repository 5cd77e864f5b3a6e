"""Cache: rates stay shares, a missing tier is not zero, the cliff and the pairs are marked."""

import csv
import io

import pytest
from django.test import Client

from results.models import Recipe, Run, State
from results.services.publish_curve import publish_curve
from tests.factories import make_point, make_recipe, make_run

pytestmark = pytest.mark.django_db


def measured(label: str, rates: dict[int, tuple[float, float]], *, offload: str = "none") -> Run:
    """``rates``: device and theoretical hit rate by load."""
    recipe = make_recipe(cache_ram_mib=0 if offload == "none" else 512)
    document = recipe.document | {"kv_offload": {"mode": offload}}
    Recipe.objects.filter(id=recipe.id).update(kv_offload=offload, document=document)
    run = make_run(state=State.SUCCEEDED, label=label, recipe=recipe)
    for load, (device, theory) in rates.items():
        make_point(run, load, gpu_cache_hit_rate=device, overall_cache_hit_rate=device,
                   theoretical_cache_hit_rate=theory, total_throughput_per_gpu=100.0 * load)  # fmt: skip
    publish_curve(run=run.id)
    return run


def rates(client: Client) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get("/cache/rates.csv").content.decode())))


def test_the_cliff_is_marked_where_the_device_rate_falls_and_the_theoretical_stays(client: Client) -> None:
    measured("a", {1: (0.9, 0.92), 2: (0.91, 0.93), 4: (0.4, 0.94), 8: (0.2, 0.95)})
    page = client.get("/cache/").content.decode()
    assert "Cliff between load 2 and 4: device 91.0 % to 40.0 %." in page
    drawn = client.get("/cache/figure.json").json()
    (line,) = drawn["layout"]["shapes"]
    assert 2 < line["x0"] < 4
    device = next(trace for trace in drawn["data"] if trace["name"] == "device memory")
    assert dict(zip(device["x"], device["y"], strict=True)) == {1: 0.9, 2: 0.91, 4: 0.4, 8: 0.2}


def test_traffic_that_repeats_less_is_no_cliff(client: Client) -> None:
    measured("a", {1: (0.9, 0.92), 2: (0.5, 0.52)})
    assert "No cliff" in client.get("/cache/").content.decode()
    assert client.get("/cache/figure.json").json()["layout"]["shapes"] == []


def test_a_tier_that_was_not_measured_is_empty_and_never_zero(client: Client) -> None:
    measured("a", {1: (0.9, 0.92)})
    found = {row["rate"]: row["value"] for row in rates(client)}
    assert found["other"] == ""
    assert found["device"] == "0.9"
    assert all(0 <= float(value) <= 1 for value in found.values() if value)


def test_pairs_differ_in_offload_alone(client: Client) -> None:
    measured("off", {4: (0.4, 0.94)})
    measured("on", {4: (0.8, 0.94)}, offload="dram")
    text = client.get("/cache/pairs.csv").content.decode()
    found = {row["metric"]: row for row in csv.DictReader(io.StringIO(text))}
    assert float(found["overall_cache_hit_rate"]["ratio"]) == pytest.approx(2.0)
    assert found["ttft_p90"]["ratio"] == ""
    page = client.get("/cache/").content.decode()
    assert "×2.00 better" in page


def test_without_rates_it_says_so_and_bad_parameters_are_named(client: Client) -> None:
    assert "No hit rate was measured here" in client.get("/cache/").content.decode()
    for query, name in (("family=x", "family"), ("modle=a", "modle")):
        response = client.get(f"/cache/?{query}")
        assert response.status_code == 400
        assert f"<code>{name}</code>" in response.content.decode()
    assert client.get("/cache/nothing.csv").status_code == 404
