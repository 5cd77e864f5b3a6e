"""The search for an objective: what is offered is measured, and "nothing meets this" is said."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from results.models import Point, Recipe
from tests.results.queries.test_compare import FAST, SLOW, measured, moved

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def points() -> None:
    for name, places, flag in (("h100", SLOW, False), ("b200", FAST, True)):
        moved(measured(name, places, cache_prompt=flag), name)
    for point in Point.objects.all():
        speed = point.value("interactivity_p50")
        Point.objects.filter(id=point.id).update(interactivity_p90=speed, ttft_p90=point.value("ttft_p50"))


def answer(client: Client, query: str) -> Any:
    response = client.get(f"/api/v1/slo/?{query}")
    assert response.status_code == 200
    return response.json()


def test_offers_are_measured_points_and_agree_on_page_file_and_api(client: Client) -> None:
    query = "ttft=2&speed=40&prices=2026-09&tier=hyperscaler"
    found = answer(client, query)
    assert [(offer["hardware"], offer["load"]) for offer in found["offers"]] == [("h100", 4), ("b200", 4)]
    # 1.17 and 1.73 USD per hour at 260 and 300 tok/s.
    costs = [offer["cost_per_million_tokens"] for offer in found["offers"]]
    assert costs == pytest.approx([1.17 / (3600 * 260 / 1e6), 1.73 / (3600 * 300 / 1e6)], rel=1e-12)
    text = client.get(f"/slo/offers.csv?{query}").content.decode()
    filed = [float(row["value"]) for row in csv.DictReader(io.StringIO(text)) if row["unit"] == "USD/Mtok"]
    assert filed == costs
    page = client.get(f"/slo/?{query}").content.decode()
    assert all(f'<data value="{cost!r}"' in page for cost in costs)
    run = Point.objects.get(id=found["offers"][0]["point"]).run_id
    assert f'href="/runs/{run}/"' in page
    assert len(found["offers"]) + found["behind"] + sum(found["misses"].values()) == found["points"]


def test_nothing_meets_this_is_said_with_the_reasons(client: Client) -> None:
    page = client.get("/slo/?ttft=0.001").content.decode()
    assert "No measured configuration meets this." in page
    assert "9 first token too late" in page
    assert answer(client, "ttft=0.001")["met"] is False


def test_caps_count_whole_deployments(client: Client) -> None:
    offer = answer(client, "speed=40&budget=5&prices=2026-09&tier=hyperscaler")["offers"][0]
    assert (offer["hardware"], offer["deployments"], offer["dollars_per_hour"]) == ("h100", 4, 4.68)
    assert answer(client, "speed=40&power=1.5")["offers"][0]["hardware"] == "h100"


def test_a_recipe_that_fails_its_accuracy_gate_is_never_offered(client: Client) -> None:
    Recipe.objects.filter(hardware__slug="h100").update(accuracy="fail")
    found = answer(client, "ttft=2")
    assert {offer["hardware"] for offer in found["offers"]} == {"b200"}
    assert found["misses"]["not_comparable"] == 4


def test_a_percentile_that_nobody_measured_is_missing_and_not_zero(client: Client) -> None:
    found = answer(client, "ttft=2&percentile=p99")
    assert found["misses"] == {"ttft_missing": 9}
    assert client.get("/slo/figure.json?percentile=p99").json()["data"] == []


@pytest.mark.parametrize(
    ("query", "name"),
    [("ttft=0", "ttft"), ("speed=nan", "speed"), ("budget=-1", "budget"), ("percentile=p42", "percentile"),
     ("prices=1999", "prices"), ("tier=free", "tier"), ("modle=a", "modle"), ("ttft=1&ttft=2", "ttft")],
)  # fmt: skip
def test_a_bad_parameter_is_named(client: Client, query: str, name: str) -> None:
    for where in ("/slo/", "/slo/figure.json", "/slo/offers.csv"):
        response = client.get(f"{where}?{query}")
        assert response.status_code == 400
        assert f"<code>{name}</code>" in response.content.decode()
    refused = client.get(f"/api/v1/slo/?{query}")
    assert refused.status_code == 400
    assert refused.json()["error"]["problems"][0]["pointer"] == f"?{name}"


def test_an_unknown_place_has_nothing_published(client: Client) -> None:
    assert "Nothing is published" in client.get("/slo/?model=none").content.decode()
    assert answer(client, "model=none")["points"] == 0
