"""The sketch of Explore before Plotly stands in its place: its marks answer to the pointer."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.dashboard.pages.explored import points, recipe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ADDRESS = "/?y=total_throughput_per_gpu"
GO = "(root, query) => root.dispatchEvent(new CustomEvent('go', { detail: query }))"
NAME = "<img src=x onerror=alert(1)> <b>name</b><br>&lt;"


@pytest.fixture
def measured() -> None:
    points(recipe("b200"), {1: (80, 200), 2: (60, 300), 4: (40, 1500)}, label=NAME)
    points(recipe("mi355x"), {1: (70, 150), 2: (50, 250), 4: (30, 400)})


def middle(mark: Locator) -> tuple[float, float]:
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def sketched(page: Page) -> list[str]:
    """What each mark says, in the order in which they are drawn."""
    said = []
    for mark in page.locator(".sketch .marks use").all():
        page.mouse.move(*middle(mark))
        said.append(page.locator(".sketch-label:visible").inner_text())
    return said


def drawn(page: Page) -> list[str]:
    said = []
    page.wait_for_selector("#chart .points path")
    for mark in page.locator("#chart .points path").all():
        # Plotly leaves a label alone that is asked for again within a moment.
        page.mouse.move(0, 0)
        expect(page.locator("#chart .hovertext")).to_have_count(0)
        page.mouse.move(*middle(mark))
        page.wait_for_selector("#chart .hovertext path")
        lines = page.locator("#chart .hovertext .nums .line").all_text_contents()
        said.append("\n".join(lines))
    return said


@pytest.mark.usefixtures("measured")
def test_every_mark_says_what_plotly_says(open_page: Open) -> None:
    for scale, width in (("lin", 1280), ("log", 700)):
        address = f"{ADDRESS}&xscale={scale}&yscale={scale}"
        said = sketched(open_page(address, width=width, plotly=False))
        assert len(set(said)) == 6
        assert said == drawn(open_page(address, width=width))


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
@pytest.mark.usefixtures("measured")
def test_a_mark_of_the_sketch_is_pinned_and_names_stay_text(open_page: Open, width: int, dark: bool) -> None:
    touch = width < 600
    page = open_page(ADDRESS, width=width, dark=dark, touch=touch, plotly=False)
    label = page.locator(".sketch-label")
    mark = page.locator(".sketch .marks use").first
    page.set_viewport_size({"width": width - 20, "height": 880})
    (page.touchscreen.tap if touch else page.mouse.click)(*middle(mark))
    expect(page.locator(".card")).to_be_visible()
    assert "point=" in page.url
    # The same data are still drawn, in less room.
    page.mouse.move(*middle(mark))
    expect(label).to_contain_text(NAME)
    assert label.evaluate("one => [...one.children].every(({ tagName }) => tagName === 'BR')")
    inside, frame = label.bounding_box(), page.locator("#chart-frame").bounding_box()
    assert inside is not None
    assert frame is not None
    assert frame["x"] <= inside["x"]
    assert inside["x"] + inside["width"] <= frame["x"] + frame["width"]
    page.mouse.move(1, 1)
    expect(label).to_be_hidden()
    page.locator("[data-parts]").evaluate(GO, f"{ADDRESS[2:]}&vendor=AMD")
    expect(page.locator("#chart")).to_contain_text("The figure could not be loaded")
    assert page.locator(".sketch, .sketch-label").count() == 0


@pytest.mark.usefixtures("measured")
def test_without_controls_nothing_is_pinned_and_panels_have_no_sketch(open_page: Open) -> None:
    page = open_page("/embed/" + ADDRESS[1:], width=600, plotly=False)
    place = middle(page.locator(".sketch .marks use").last)
    page.mouse.click(*place)
    expect(page.locator(".sketch-label")).to_contain_text("MI355X")
    assert page.locator("#chart").evaluate("one => getComputedStyle(one).cursor") == "auto"
    page = open_page(f"{ADDRESS}&facet=hardware", plotly=False)
    expect(page.locator("#chart")).to_contain_text("The figure could not be loaded")
