"""``GET /api/v1/frontier/``: the question's keys, and the answer against numpy alone."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from numpy.typing import NDArray

from results.models import Point
from tests.dashboard.pages.conftest import plain_static  # noqa: F401
from tests.dashboard.pages.explored import AGENTIC, points, recipe

pytestmark = pytest.mark.django_db
DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "inferencex_api" / "snapshot_2026-05-05"
Y = "total_throughput_per_gpu"
#: Precision and scenario of the one model in the snapshot.
GROUPS = [("fp8", "1024/1024"), ("fp8", "8192/1024"), ("fp4", "1024/1024"), ("fp4", "8192/1024"),
          ("fp8", "1024/8192")]  # fmt: skip
PAIRS = [("b200", "mi355x"), ("gb200", "b200"), ("h200", "gb300")]
THRESHOLDS = (20.0, 50.0, 100.0)
Rows = Sequence[dict[str, str]]


def ask(client: Client, query: str = "", status: int = 200) -> dict[str, Any]:
    response = client.get(f"/api/v1/frontier/?{query}")
    assert response.status_code == status, response.content[:500]
    found: dict[str, Any] = response.json()
    return found


def undominated(places: NDArray[np.float64], signs: tuple[int, int]) -> NDArray[np.bool_]:
    """Every pair compared with every other: nothing as good in both and better in one."""
    turned = places * np.array(signs)
    as_good = (turned[:, None] >= turned[None]).all(axis=2)
    better = (turned[:, None] > turned[None]).any(axis=2)
    unbeaten: NDArray[np.bool_] = ~(as_good & better).any(axis=0)
    return unbeaten


def test_the_answer_has_points_frontier_dropped_and_versions(client: Client) -> None:
    made = points(recipe(), {1: (80, 100), 2: (60, 150), 4: (50, 120)})
    points(recipe("mi355x"), {1: (99, 999)})
    found = ask(client, f"y={Y}&hardware=b200")
    assert [point["id"] for point in found["points"]] == [made[1].id, made[2].id, made[0].id]
    assert set(found["frontier"]) == {made[0].id, made[1].id}
    assert found["dropped"] == {"hardware": 1}
    assert (found["versions"]["rules"], found["versions"]["prices"]) == (["r1"], None)
    assert found["x"] == {"metric": "interactivity_p50", "unit": "tok/s/user", "direction": "higher"}
    assert found["canonical_frontier"] is None


@pytest.mark.parametrize(
    ("query", "name", "allowed"),
    [
        ("hardwear=b200", "?hardwear", "hardware"),
        ("x=speed", "?x", "interactivity"),
        ("percentile=p42", "?percentile", "p90"),
        ("group_by=colour", "?group_by", "hardware"),
        ("as_of=yesterday", "?as_of", "YYYY"),
        ("price_version=2020-01", "?price_version", "2026-09"),
        ("scenario=8192/", "?scenario", "8192/1024"),
        ("validity=valid&validity=all", "?validity", "once"),
    ],
)
def test_a_bad_key_or_value_is_400_with_what_is_allowed(
    client: Client, query: str, name: str, allowed: str
) -> None:
    (problem,) = ask(client, query, status=400)["error"]["problems"]
    assert problem["pointer"] == name
    assert allowed in problem["message"]


def test_keys_repeat_as_alternatives_or_as_planes(client: Client) -> None:
    points(recipe("b200"), {1: (80, 100)}, ttft_p50=1.0)
    points(recipe("h200"), {1: (70, 90)}, ttft_p50=2.0)
    points(recipe("mi355x"), {1: (60, 80)}, ttft_p50=3.0)
    assert len(ask(client, f"y={Y}&hardware=b200&hardware=h200")["points"]) == 2
    found = ask(client, f"y={Y}&x=interactivity&x=ttft&group_by=all")
    assert [plane["x"]["metric"] for plane in found["planes"]] == ["interactivity_p50", "ttft_p50"]
    assert found["points"] == found["planes"][0]["points"]
    assert [len(plane["frontier"]) for plane in found["planes"]] == [1, 1]
    everything = "&".join(
        f"x={x}&percentile={p}" for x, p in zip(("ttft", "itl", "tpot"), ("p50", "p90", "p99"), strict=True)
    )
    assert (
        "combinations"
        in ask(client, f"{everything}&y={Y}&y=itl", status=400)["error"]["problems"][0]["message"]
    )


def test_agentic_means_any_corpus_and_two_corpora_share_no_frontier(client: Client) -> None:
    points(recipe(), {1: (80, 100)})
    points(recipe(), {1: (70, 90)}, scenario=AGENTIC)
    points(recipe(), {1: (60, 80)}, scenario={**AGENTIC, "corpus": "other"})
    found = ask(client, f"y={Y}&scenario=agentic&group_by=all")
    assert found["scenarios"] == ["cc-traces", "other"]
    assert len(found["frontier"]) == len(found["points"]) == 2
    assert ask(client, f"y={Y}&scenario=8192/1024")["scenarios"] == ["8192/1024"]


def test_absent_is_not_zero_and_nothing_is_free(client: Client) -> None:
    made = points(recipe(), {1: (80, 100), 2: (60, 0), 4: (50, 120)})
    Point.objects.filter(id=made[0].id).update(total_throughput_per_gpu=None)
    found = ask(client, "y=cost_per_million_total_tokens&price_version=2026-09&tier=rental")
    assert [point["id"] for point in found["points"]] == found["frontier"] == [made[2].id]
    assert found["points"][0]["y"] * 120 * 3600 / 1e6 == pytest.approx(3.70, rel=1e-12)
    assert found["dropped"] == {"y_missing": 2}
    assert (found["versions"]["prices"], found["versions"]["tier"]) == ("2026-09", "rental")


def test_a_day_selects_what_was_published_and_the_prices_in_force(client: Client) -> None:
    points(recipe(), {1: (80, 100)}, day=1)
    points(recipe(), {1: (90, 120)}, day=9)
    cost = "cost_per_million_total_tokens"
    found = ask(client, f"y={cost}&as_of=2026-10-05")
    assert found["points"][0]["x"] == 80
    assert (found["as_of"], found["versions"]["prices"]) == ("2026-10-05", "2026-09")
    assert ask(client, f"y={Y}")["points"][0]["x"] == 90


@pytest.fixture
def snapshot(client: Client) -> Rows:
    """Published points of the public snapshot, read through another door: the CSV of all points."""
    if not DATA.is_dir():
        pytest.skip("no public measurements beside the project")
    call_command("load_catalogue", verbosity=0)
    call_command("import", str(DATA / "benchmarks.json"), stdout=io.StringIO())
    text = b"".join(client.get("/api/v1/points.csv?published=true").streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


def test_page_table_file_and_api_agree_with_numpy_on_the_public_snapshot(
    client: Client, snapshot: Rows
) -> None:
    original = {row["metrics"]["tput_per_gpu"] for row in json.loads((DATA / "benchmarks.json").read_text())}
    assert len(snapshot) >= 430
    assert {float(row[Y]) for row in snapshot} <= original
    for precision, scenario in GROUPS:
        own = [r for r in snapshot if (r["precision"], r["scenario"]) == (precision, scenario)]
        places = np.array([[float(row["interactivity_p50"]), float(row[Y])] for row in own])
        unbeaten = undominated(places, (1, 1))
        expected = {
            int(row["id"]): tuple(place)
            for row, place, wins in zip(own, places, unbeaten, strict=True)
            if wins
        }
        assert len(expected) >= 3
        query = f"scenario={scenario}&precision={precision}&y={Y}"
        found = ask(client, f"{query}&group_by=precision")
        assert set(found["frontier"]) == expected.keys()
        winners = {p["id"]: (p["x"], p["y"]) for p in found["points"] if p["on_frontier"]}
        page = f"{query}&group=precision&show=frontier"
        for surface in (winners, *map(dict, surfaces(client, page))):
            assert surface.keys() == expected.keys()
            for identifier, place in expected.items():
                assert surface[identifier] == pytest.approx(place, rel=1e-9)
    best(client, snapshot)


def surfaces(client: Client, query: str) -> Iterator[list[tuple[int, tuple[float, float]]]]:
    """Chart, table and CSV of Explore."""
    data = client.get(f"/figure.json?{query}").json()["data"]
    dots = [trace for trace in data if "customdata" in trace]
    yield [(i, (x, y)) for t in dots for i, x, y in zip(t["customdata"], t["x"], t["y"], strict=True)]
    html = client.get(f"/?{query}").content.decode()
    cell = r'id="pin-(\d+)".*?<data value="([^"]+)".*?<data value="([^"]+)"'
    yield [(int(i), (float(x), float(y))) for i, x, y in re.findall(cell, html)]
    rows = csv.DictReader(io.StringIO(client.get(f"/explore.csv?{query}").content.decode()))
    yield [(int(row["point"]), (float(row["interactivity_p50"]), float(row[Y]))) for row in rows]


def best(client: Client, snapshot: Rows) -> None:
    """Best throughput of three hardware pairs at three interactivities."""
    for pair in PAIRS:
        asked = "&".join(f"hardware={name}" for name in pair)
        found = ask(client, f"scenario=1024/1024&precision=fp8&y={Y}&group_by=hardware&{asked}")
        for hardware in pair:
            own = [
                (float(r["interactivity_p50"]), float(r[Y]))
                for r in snapshot
                if (r["precision"], r["scenario"], r["hardware"]) == ("fp8", "1024/1024", hardware)
            ]
            mine = [p for p in found["points"] if p["hardware"] == hardware and p["on_frontier"]]
            for threshold in THRESHOLDS:
                expected = max((y for x, y in own if x >= threshold), default=None)
                reached = max((p["y"] for p in mine if p["x"] >= threshold), default=None)
                assert reached == (expected if expected is None else pytest.approx(expected, rel=1e-9))
