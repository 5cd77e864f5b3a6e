"""Explore in a browser: pins, ruler, a permalink and an embedded chart, on a desk and on a phone."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, sideways
from tests.dashboard.pages.explored import points, recipe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ADDRESS = "/?y=total_throughput_per_gpu"


@pytest.fixture
def measured() -> None:
    points(recipe("b200"), {1: (80, 200), 2: (60, 300), 4: (40, 500)})
    points(recipe("mi355x"), {1: (70, 150), 2: (50, 250), 4: (30, 400)})


def marks(page: Page) -> int:
    page.wait_for_selector("#chart .points path")
    return page.locator("#chart .points path").count()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
@pytest.mark.usefixtures("measured")
def test_an_engineer_pins_two_points_reads_the_ruler_and_keeps_the_figure(
    open_page: Open, width: int, dark: bool
) -> None:
    page = open_page(ADDRESS, width=width, dark=dark)
    assert marks(page) == 6
    page.locator("#points tbody tr a[id^=pin]").first.press("Enter")
    expect(page.locator(".card")).to_be_visible()
    page.locator("#points tbody tr a[id^=pin]").nth(1).press("Enter")
    expect(page.locator("table.pair")).to_contain_text("serve.hardware")
    page.locator("#f-at").fill("60")
    page.locator("#f-at").press("Enter")
    expect(page.locator("[data-part=ruler]")).to_contain_text("×")
    assert "at=60" in page.url and "second=" in page.url
    page.reload()
    expect(page.locator("table.pair")).to_be_visible()
    assert not sideways(page)
    page.get_by_role("button", name="Permalink").click()
    page.wait_for_url("**/p/*/")
    assert marks(page) == 6


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.usefixtures("measured")
def test_a_picture_of_panels_says_what_it_shows(open_page: Open, width: int) -> None:
    page = open_page(f"{ADDRESS}&facet=hardware&group=hardware&labels=none", width=width)
    assert marks(page) == 6
    assert page.locator("#chart .xy, #chart .x2y2").count() >= 2
    assert not sideways(page)
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.locator(f"[data-image={kind}]").click()
        content = download.value.path().read_bytes()
        if kind == "png":
            assert content.startswith(b"\x89PNG")
            continue
        text = content.decode()
        assert 'class="legend"' in text
        for said in (
            "Large · 8192/1024",
            "Total throughput per GPU against",
            "6 points",
            "Northstar",
            "MI355X",
        ):
            assert said in text, said


@pytest.mark.usefixtures("measured")
def test_a_click_on_a_mark_pins_it_and_a_filter_keeps_the_pin(open_page: Open) -> None:
    page = open_page(ADDRESS)
    marks(page)
    box = page.locator("#chart .points path").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".card")).to_be_visible()
    page.locator("[name=vendor][value=AMD]").check()
    page.wait_for_url("**vendor=AMD**")
    expect(page.locator("#chart .points path")).to_have_count(3)
    assert "point=" in page.url


@pytest.mark.usefixtures("measured")
def test_an_embedded_chart_is_drawn_without_controls(open_page: Open) -> None:
    page = open_page("/embed/" + ADDRESS[1:], width=600)
    assert marks(page) == 6
    assert page.locator("form, nav").count() == 0


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
@pytest.mark.usefixtures("measured")
def test_without_scripts_the_same_marks_stand_at_the_same_places(
    open_page: Open, width: int, dark: bool
) -> None:
    plain = open_page(ADDRESS, width=width, dark=dark, scripts=False)
    page = open_page(ADDRESS, width=width, dark=dark)
    assert marks(page) == 6
    expect(page.locator(".sketch")).to_have_count(0)
    sketched, drawn = plain.locator(".sketch .marks use"), page.locator("#chart .points path")
    assert sketched.count() == 6
    for number in range(6):
        for before, after in zip(
            _place(plain, sketched.nth(number)), _place(page, drawn.nth(number)), strict=True
        ):
            assert abs(before - after) < 3, number
        assert _fill(plain, ".sketch .marks use", number) == _fill(page, "#chart .points path", number)
    assert plain.locator(".sketch .name").first.is_visible() == (width > 600)
    assert not sideways(plain)


def _place(page: Page, mark: Locator) -> tuple[float, float]:
    """Pixels from the corner of the chart."""
    box, frame = mark.bounding_box(), page.locator(".chart-frame").bounding_box()
    assert box is not None
    assert frame is not None
    return box["x"] - frame["x"], box["y"] - frame["y"]


def _fill(page: Page, selector: str, number: int) -> str:
    return str(page.locator(selector).nth(number).evaluate("one => getComputedStyle(one).fill"))
