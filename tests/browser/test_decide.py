"""Compare, History, the objective and Cache in a browser: figures are drawn, nothing scrolls sideways."""

import pytest
from playwright.sync_api import Browser, Page, expect

from results.models import Point
from tests.browser.conftest import Open, sideways
from tests.conftest import Clock
from tests.results.queries.test_compare import FAST, SLOW, measured
from tests.results.services.test_change_points import nights

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def drawn(page: Page) -> int:
    page.wait_for_selector("#chart .points path")
    return page.locator("#chart .points path").count()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_compare_from_choosing_to_equal_x(open_page: Open, width: int, dark: bool) -> None:
    slow, fast = measured("slow", SLOW, cache_prompt=False), measured("<b>fast</b>", FAST, cache_prompt=True)
    page = open_page(f"/runs/{slow.id}/", width=width, dark=dark)
    page.get_by_role("link", name="Compare with").click()
    expect(page.get_by_role("heading", name="Compare it with")).to_be_visible()
    page.get_by_label("<b>fast</b>").check()
    page.get_by_role("button", name="Compare").click()
    assert drawn(page) == len(SLOW) + len(FAST)
    expect(page.locator("#identity")).to_contain_text("cache_prompt")
    page.locator("#f-at-1").fill("33")
    page.locator("#f-at-1").press("Enter")
    page.wait_for_url("**at=33**")
    expect(page.locator("#iso tbody tr").first).to_contain_text("33")
    assert str(fast.id) in page.url
    assert not sideways(page)
    page.go_back()
    assert "at=33" not in page.url


@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)])
def test_an_objective_is_asked_and_answered(open_page: Open, width: int, dark: bool) -> None:
    measured("slow", SLOW)
    for point in Point.objects.all():
        speed, ttft = point.value("interactivity_p50"), point.value("ttft_p50")
        Point.objects.filter(id=point.id).update(interactivity_p90=speed, ttft_p90=ttft)
    page = open_page("/slo/", width=width, dark=dark)
    assert drawn(page) == len(SLOW)
    page.get_by_label("Speed, at least").fill("1000")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator("#not-met")).to_contain_text("No measured configuration meets this.")
    assert "speed=1000" in page.url
    assert not sideways(page)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_history_and_cache_are_drawn(open_page: Open, clock: Clock, width: int, dark: bool) -> None:
    runs = nights(clock)
    Point.objects.filter(run=runs[-1]).update(gpu_cache_hit_rate=0.9, theoretical_cache_hit_rate=0.95)
    page = open_page("/history/", width=width, dark=dark)
    assert drawn(page) == len(runs)
    expect(page.locator("#changes")).to_contain_text("seen now, not stored")
    assert not sideways(page)
    with page.expect_download() as download:
        page.locator("[data-image=svg]").click()
    assert download.value.suggested_filename == "northstar-history.svg"
    page.get_by_role("link", name="Cache", exact=True).click()
    assert drawn(page) == 2
    assert not sideways(page)


def test_days_are_utc_days_whatever_zone_the_browser_is_in(
    own_browser: Browser, live_server: object, clock: Clock
) -> None:
    nights(clock)
    seen: set[tuple[object, ...]] = set()
    for zone in ("UTC", "Asia/Tokyo", "America/Los_Angeles"):
        context = own_browser.new_context(timezone_id=zone)
        page = context.new_page()
        page.goto(f"{live_server}/history/")
        page.wait_for_selector("#chart .points path")
        ticks = page.locator("#chart .xtick text").all_text_contents()
        assert ticks
        seen.add((tuple(ticks), page.locator("#chart .xtitle").text_content()))
        page.goto(f"{live_server}/")
        seen.add(tuple(page.locator("#points tbody time").all_text_contents()))
        context.close()
    assert len(seen) == 2
    assert "UTC" in {text for one in seen for text in one}
