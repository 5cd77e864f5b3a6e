"""The page of one point in a browser: everything is drawn, names are text, nothing is too wide."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from results.ingest.bundle import ingest_bundle
from results.models import AttemptArtifact, Point
from results.storage import put_bytes
from tests.browser.conftest import Open, sideways
from tests.factories import catalogue
from tests.results.ingest.bundles import DATA, write_bundle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NAME = "<b>x</b><img src=x onerror=alert(1)>"


def keep(point: Point, name: str, lines: list[str]) -> None:
    """Other content for a file of the load."""
    AttemptArtifact.objects.update_or_create(
        attempt=point.attempt,
        path=f"loads/c0002/{name}",
        defaults={"artifact": put_bytes("\n".join(lines).encode()), "load": 2},
    )


@pytest.fixture
def point(tmp_path: Path) -> Point:
    """A point whose conversations are named with markup and whose host has a GPU."""
    catalogue()
    ingest_bundle(write_bundle(tmp_path / "out"))
    point = Point.objects.get(load=2)
    documents = [json.loads(line) for line in (DATA / "profile_export.jsonl").read_text().splitlines()]
    for document in documents:
        document["metadata"]["conversation_id"] = NAME
    keep(point, "profile_export.jsonl", [json.dumps(document) for document in documents])
    begin = min(document["metadata"]["request_start_ns"] for document in documents) / 1e9
    gpu = {"uuid": "GPU-1", "power_watts": 400.0, "sm_clock_mhz": 1900}
    keep(point, "gpu.jsonl", [json.dumps({"at": begin + second, "gpus": [gpu]}) for second in range(40)])
    return point


def test_all_figures_are_drawn_and_names_stay_text(open_page: Open, point: Point) -> None:
    page = open_page(f"/points/{point.id}/")
    expect(page.locator("#plot-timeline .bars path").first).to_be_attached()
    plots = page.locator(".plot")
    assert plots.count() >= 9
    for place in range(plots.count()):
        expect(plots.nth(place).locator(".main-svg").first).to_be_attached()
    expect(
        page.locator("#plot-timeline .yaxislayer-above, #plot-timeline .yaxislayer-below")
    ).to_contain_text(["<b>x</b><img"])
    longest = page.evaluate(
        """[...document.querySelectorAll("#plot-timeline .bars path")]
        .map((path) => path.getBoundingClientRect()).sort((a, b) => b.width - a.width)
        .map((box) => [box.x + box.width / 2, box.y + box.height / 2 + window.scrollY])[0]"""
    )
    page.evaluate("(y) => window.scrollTo(0, y - 300)", longest[1])
    page.mouse.move(longest[0], 300)
    expect(page.locator("#plot-timeline .hoverlayer")).to_contain_text("<b>x</b><img")
    assert page.locator("main img").count() == 0
    page.locator("#plot-power .drag").first.hover()
    expect(page.locator("#plot-power .hoverlayer")).to_contain_text("400")
    page.locator("#plot-queue .drag").first.hover()
    expect(page.locator("#plot-queue .hoverlayer")).to_contain_text("running in the engine")


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(open_page: Open, point: Point, dark: bool) -> None:
    page = open_page(f"/points/{point.id}/?phase=all", width=390, dark=dark)
    expect(page.locator("#plot-timeline .bars path").first).to_be_attached()
    assert not sideways(page)
