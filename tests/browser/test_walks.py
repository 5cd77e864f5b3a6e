"""An engineer, a buyer and a maintainer walk through measured data, axe-core looks at every page.

Once wide and light in English, once narrow and dark in Chinese.
"""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from results.models import Comparison, Point, ResultFile, Upload
from results.services.load_catalogue import load_catalogue
from results.services.load_measured import load_measured
from tests.browser.conftest import Open, sideways
from tests.factories import make_upload
from tests.shipped import shipped_projects

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MODES = ((1280, False, "en"), (390, True, "zh-hans"))
#: Pages that stand for themselves; the walks see the rest.
ALONE = (
    "/cache/", "/history/", "/uploads/", "/quarantine/", "/metrics/", "/metrics/ttft_p50/", "/docs/",
    "/docs/glossary/", "/stack/", "/status/", "/hosts/", "/hosts/h200-2026-11-30/", "/embed/",
)  # fmt: skip


class Looker:
    """Notes what axe-core calls more than minor, and pages that scroll sideways."""

    def __init__(self) -> None:
        self.findings: list[str] = []
        self._axe = Axe()

    def look(self, page: Page) -> Page:
        page.wait_for_load_state("networkidle")
        # Charts further down are drawn when they come into view.
        expect(page.locator("#chart.loading")).to_have_count(0)
        place = f"{page.url.split('/', 3)[3]} {page.viewport_size}"
        if sideways(page):
            self.findings.append(f"{place}: scrolls sideways")
        for found in self._axe.run(page).response["violations"]:
            if found["impact"] != "minor":
                nodes = [node["html"][:200] for node in found["nodes"][:3]]
                self.findings.append(f"{place}: {found['id']}: {nodes}")
        return page


@pytest.fixture
def looker() -> Iterator[Looker]:
    found = Looker()
    yield found
    if found.findings:
        pytest.fail("\n".join(found.findings))


@pytest.fixture
def shown() -> None:
    load_catalogue()
    shipped_projects()
    load_measured()
    make_upload(files=2)


def follow(page: Page, selector: str) -> Page:
    """The first link that fits, as a click opens it."""
    page.locator(selector).first.click()
    return page


@pytest.mark.usefixtures("shown")
def test_people_find_their_way_and_every_page_is_accessible(
    open_page: Open, live_server: object, looker: Looker
) -> None:
    for width, dark, language in MODES:
        page = open_page("/", width=width, dark=dark, language=language)
        engineer(page, looker)
        buyer(page, looker, f"{live_server}/slo/")
        maintainer(page, looker, f"{live_server}/projects/")
        for address in (*ALONE, *_of_rows()):
            page.goto(f"{live_server}{address}")
            looker.look(page)


def engineer(page: Page, looker: Looker) -> None:
    """From the chart to a pinned point, its requests, its neighbour, its run and its raw files."""
    looker.look(page)
    follow(page, "#points tbody a")
    page.locator(".card").wait_for()
    looker.look(page)
    point = Point.objects.filter(load=4, current=True).order_by("id")[0]
    page.goto(f"{page.url.split('?')[0]}points/{point.id}/")
    looker.look(page)
    follow(page, "a[rel=next], a[rel=prev]")
    page.wait_for_url(re.compile(f"/points/(?!{point.id}/)"))
    looker.look(page)
    follow(page, "main a[href^='/runs/']")
    page.wait_for_url("**/runs/*/")
    looker.look(page)


def buyer(page: Page, looker: Looker, address: str) -> None:
    """From an objective to the offer's evidence and a comparison of two offers."""
    page.goto(address)
    looker.look(page)
    page.locator("#f-ttft").fill("60")
    page.locator("#f-ttft").press("Enter")
    page.wait_for_url("**ttft=60**")
    looker.look(page)
    page.locator("#offers tbody tr").nth(1).locator("a[href*='/compare/']").click()
    page.wait_for_url("**/compare/**")
    looker.look(page)


def maintainer(page: Page, looker: Looker, address: str) -> None:
    """From the projects to a pull request with evidence, its comparison and the badge to paste."""
    page.goto(address)
    looker.look(page)
    follow(page, "a[href='/projects/vllm/']")
    page.wait_for_url("**/projects/vllm/")
    looker.look(page)
    follow(page, "a[href='/pulls/vllm-project/vllm/43447/']")
    page.wait_for_url("**/pulls/**")
    looker.look(page)
    expect(page.locator("main")).to_contain_text("/badge.svg")


def _of_rows() -> list[str]:
    upload, file = Upload.objects.all()[0], ResultFile.objects.all()[0]
    comparison = Comparison.objects.all()[0]
    return [f"/uploads/{upload.id}/", f"/files/{file.id}/", f"/comparisons/{comparison.id}/"]
