"""What only a browser can tell: the chart, the address, the narrow screen, the policy."""

import re

import pytest
from playwright.sync_api import Page, expect

from results.models import Attempt, Point, Run
from tests.browser.conftest import Open, sideways
from tests.dashboard.pages.conftest import live_run, measured

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def points() -> list[Point]:
    made = []
    for load in (1, 2, 4):
        made.append(measured("no-cache", load, speed=1.0, cache_prompt=False))
        made.append(measured("prefix-cache", load, speed=1.8, cache_prompt=True))
    return made


def marks(page: Page) -> int:
    page.wait_for_selector("#chart .points path")
    return page.locator("#chart .points path").count()


def test_explore_shows_points_and_their_hover(open_page: Open, points: list[Point]) -> None:
    page = open_page("/")
    assert marks(page) == len(points)
    box = page.locator("#chart .points path").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".hoverlayer")).to_contain_text("tok/s/user")
    expect(page.locator("#chart")).not_to_contain_text("Share")


def test_a_filter_changes_the_address_and_back_undoes_it(open_page: Open, points: list[Point]) -> None:
    page = open_page("/")
    assert marks(page) == 6
    page.get_by_label("no-cache").check()
    expect(page.locator("#points tbody tr")).to_have_count(3)
    expect(page.locator("#chart .points path")).to_have_count(3)
    assert "label=no-cache" in page.url
    page.go_back()
    expect(page.locator("#points tbody tr")).to_have_count(6)
    assert "label=" not in page.url


def test_axes_scale_and_legend_live_in_the_address(open_page: Open, points: list[Point]) -> None:
    page = open_page("/")
    page.select_option("#f-x", "ttft_p50")
    page.wait_for_url(re.compile("x=ttft_p50"))
    page.locator("#yscale-2").click()
    page.wait_for_url(re.compile("yscale=log"))
    page.locator(".legend button").first.click()
    page.wait_for_url(re.compile("hide="))
    expect(page.locator("#points tbody tr")).to_have_count(3)
    shown = page.locator("#points").inner_text()
    page.reload()
    assert page.locator("#points").inner_text() == shown


def test_a_logarithmic_axis_over_many_decades_breaks_no_policy(open_page: Open) -> None:
    for load, speed in ((1, 0.0001), (2, 1.0), (4, 100_000.0)):
        measured("wide", load, speed=speed)
    page = open_page("/?yscale=log&xscale=log&x=ttft_p50")
    assert marks(page) == 3


def test_a_click_pins_a_point_and_a_card_explains_its_metric(open_page: Open, points: list[Point]) -> None:
    page = open_page("/")
    marks(page)
    page.locator("#points tbody tr a").first.click()
    expect(page.locator(".card")).to_be_visible()
    page.locator(".card a[data-card]").first.click()
    expect(page.locator("dialog#card")).to_contain_text("Denominator")
    page.keyboard.press("Escape")
    expect(page.locator("dialog#card")).to_be_hidden()


def test_new_points_appear_by_themselves(open_page: Open, points: list[Point]) -> None:
    live_run()
    page = open_page("/")
    assert marks(page) == 6
    measured("prefix-cache", 8, speed=1.8, cache_prompt=True)
    expect(page.locator("#chart .points path")).to_have_count(7, timeout=15_000)


def test_a_picture_is_made_in_the_browser(open_page: Open, points: list[Point]) -> None:
    page = open_page("/")
    marks(page)
    for form in ("svg", "png"):
        with page.expect_download() as download:
            page.locator(f"[data-image={form}]").click()
        assert download.value.suggested_filename == f"northstar-explore.{form}"


def test_markup_in_a_label_shows_literally(open_page: Open) -> None:
    point = measured("plain", 1, speed=1.0)
    name = "<img src=x onerror=alert(1)>"
    Run.objects.filter(id=point.run_id).update(label=name)
    page = open_page("/")
    marks(page)
    expect(page.locator("#points")).to_contain_text(name)
    box = page.locator("#chart .points path").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".hoverlayer")).to_contain_text("<img src=x")
    assert page.locator("main img").count() == 0


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_nothing_scrolls_sideways_on_a_phone(
    open_page: Open, points: list[Point], language: str, dark: bool
) -> None:
    run = live_run()
    for address in ("/", "/runs/", f"/runs/{run.id}/", "/metrics/", "/docs/glossary/"):
        page = open_page(address, width=390, dark=dark, language=language)
        page.wait_for_load_state("load")
        assert not sideways(page), address
    page = open_page("/", width=390, dark=dark, language=language)
    marks(page)
    page.locator("[data-rail=open]").click()
    expect(page.locator("#f-model")).to_be_in_viewport()
    assert not sideways(page)


def test_the_theme_is_switched_and_remembered(open_page: Open, points: list[Point]) -> None:
    page = open_page("/")
    marks(page)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_the_language_is_switched_and_the_address_kept(open_page: Open, points: list[Point]) -> None:
    page = open_page("/?x=ttft_p50")
    marks(page)
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("h1")).to_contain_text("Northstar tiny")
    expect(page.locator("nav.tabs")).to_contain_text("探索")
    assert "x=ttft_p50" in page.url


def test_keys_and_the_strip(open_page: Open, points: list[Point]) -> None:
    page = open_page("/")
    marks(page)
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.locator("#strip button").click()
    page.reload()
    expect(page.locator("#strip")).to_have_count(0)


def test_a_run_page_follows_its_run(open_page: Open) -> None:
    run = live_run()
    page = open_page(f"/runs/{run.id}/")
    expect(page.locator("progress")).to_have_attribute("value", "0.4000")
    page.locator("#log-search").fill("slot")
    expect(page.locator("#log")).to_have_text("slot 0 | <b>prompt</b>")
    Attempt.objects.filter(run=run).update(progress=0.8)
    expect(page.locator("progress")).to_have_attribute("value", "0.8000", timeout=15_000)
    expect(page.locator("#log-search")).to_have_value("slot")
