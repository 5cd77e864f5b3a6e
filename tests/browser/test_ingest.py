"""A stranger walks from quarantine to points, in both themes and languages, also on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from results.models import Point, ResultFile, Upload
from results.services.load_catalogue import load_catalogue
from results.services.tokens import create_token
from tests.browser.conftest import Open, sideways
from tests.results.services.deliveries import IDENTITY, bench, deliver, without, zipped

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def waiting(tmp_path: Path) -> ResultFile:
    """One file that lacks its hardware, beside one of an unknown model and a damaged archive."""
    load_catalogue()
    partial = without(IDENTITY, "recipe", "roles")
    files = {
        "results/a.json": bench(16),
        "results/a-file-with-a-very-long-name-that-does-not-fit-on-a-phone-at-all.json": bench(
            8, model_id="someone/a-model-of-a-very-long-name-indeed"
        ),
        "cut.zip": zipped({"b.json": bench(1)})[:-9],
    }
    deliver(tmp_path, files, identity=partial)
    return ResultFile.objects.get(path="results/a.json")


def fill(page: Page, secret: str, gpus: str) -> None:
    page.get_by_label("/recipe/roles/serve/hardware").fill("h200")
    page.get_by_label("/recipe/roles/serve/gpus").fill(gpus)
    page.get_by_label("API token with scope worker").fill(secret)
    page.get_by_role("button", name="State and read again").click()


def test_a_stranger_completes_identity_and_sees_the_points(open_page: Open, waiting: ResultFile) -> None:
    secret = create_token(name="stranger", scope="worker")[1]
    page = open_page("/runs/")
    page.get_by_role("link", name="Quarantine").click()
    page.get_by_role("link", name="results/a.json").click()
    expect(page.locator("#waiting")).to_contain_text("/recipe/roles/serve/hardware")
    expect(page.locator("#content")).to_contain_text("openai/gpt-oss-120b")
    fill(page, secret, "8")
    expect(page.locator("#saved")).to_contain_text("1 point stands in it now")
    expect(page.locator("#waiting")).to_have_count(0)
    page.locator("#points").get_by_role("link").first.click()
    expect(page.locator("h1")).to_contain_text("Run")
    expect(page.locator("main")).to_contain_text("H200")
    assert Point.objects.count() == 1


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_nothing_scrolls_sideways(open_page: Open, waiting: ResultFile, language: str, dark: bool) -> None:
    upload = Upload.objects.get()
    other = ResultFile.objects.exclude(id=waiting.id).filter(path__startswith="results/").get()
    addresses = ("/uploads/", f"/uploads/{upload.id}/", "/quarantine/", f"/files/{other.id}/")
    for width in (390, 1280):
        for address in addresses:
            page = open_page(address, width=width, dark=dark, language=language)
            assert not sideways(page), (address, width)
