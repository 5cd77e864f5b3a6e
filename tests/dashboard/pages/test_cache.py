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


def sized(load: int, ttft: float, *, block: int, offload: str) -> None:
    """A run of one load whose KV takes 1 GiB / 1,024 tokens = 1 MiB per token, in a pool of 2 GiB."""
    run = measured("pool", {load: (0.5, 0.9)}, offload=offload)
    document = run.recipe.document
    document["arguments"] = {**document["arguments"], "kv_cache_memory_gib": 2.0}
    document["kv_offload"] = {"mode": "dram", "dram_gb": 4.0} if offload == "dram" else {"mode": "none"}
    Recipe.objects.filter(id=run.recipe_id).update(document=document)
    Run.objects.filter(id=run.id).update(block=block)
    values = {
        "ttft_p50": ttft,
        "input_tokens_mean": 300.0,
        "output_tokens_mean": 20.0,
        "kv_cache_pool_tokens": 2048.0,
    }
    run.points.update(**values, output_throughput=10.0 / ttft)


def rates(client: Client) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get("/cache/rates.csv").content.decode())))


def test_the_cliff_is_marked_where_the_device_rate_falls_and_the_theoretical_stays(client: Client) -> None:
    measured("a", {1: (0.9, 0.92), 2: (0.91, 0.93), 4: (0.4, 0.94), 8: (0.2, 0.95)})
    page = client.get("/cache/").content.decode()
    assert "Cliff between load 2 and 4: device 91.0\u00a0% to 40.0\u00a0%." in page
    drawn = client.get("/cache/figure.json").json()
    (line,) = drawn["layout"]["shapes"]
    assert 2 < line["x0"] < 4
    device = next(trace for trace in drawn["data"] if trace["name"] == "device memory")
    assert dict(zip(device["x"], device["y"], strict=True)) == {1: 90, 2: 91, 4: 40, 8: 20}


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


def test_working_set_and_pool_come_from_the_run_and_blocks_are_repeats(client: Client) -> None:
    for block, ttft in enumerate((1.0, 4.0, 2.0), start=1):
        sized(4, ttft, block=block, offload="none")
    sized(4, 0.5, block=1, offload="dram")
    text = client.get("/cache/cliff.csv").content.decode()
    found = {row["kv_offload"]: row for row in csv.DictReader(io.StringIO(text))}
    # Four sessions of 320 tokens at 1 MiB each; three blocks without offload, their median 2 s.
    assert float(found["none"]["working_set (B)"]) == 4 * 320 * 2**20
    assert float(found["none"]["kv_pool (B)"]) == 2 * 2**30
    assert (found["none"]["ttft_p50 (s)"], len(found["none"]["points"].split())) == ("2.0", 3)
    assert (found["dram"]["host_tier (B)"], found["none"]["host_tier (B)"]) == ("4000000000.0", "")
    page = client.get("/cache/").content.decode()
    assert "Not repeated equally often with and without offload: load 4." in page
    assert "1.25 GiB" in page
    drawn = client.get("/cache/figure.json?chart=memory").json()
    assert [trace["y"] for trace in drawn["data"]] == [[1.25], [1.25]]
    levels = [shape["y0"] for shape in drawn["layout"]["shapes"] if shape["yref"] == "y"]
    assert levels == [2.0, 4e9 / 2**30]
    assert client.get("/cache/figure.json?chart=ttft").json()["data"][0]["y"] == [2.0]
    assert client.get("/cache/figure.json?chart=speed").status_code == 400
