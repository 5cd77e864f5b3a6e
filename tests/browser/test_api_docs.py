"""The API's browser works under the site's own policy: no inline script, no inline style, no complaint."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.results.api.test_schema import DESCRIPTION

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_docs_list_and_call_the_api(open_page: Open) -> None:
    page = open_page("/api/v1/docs/")
    expect(page.get_by_role("heading", name="Northstar API")).to_be_visible()
    operations = sum(len(item) for item in DESCRIPTION["paths"].values())
    expect(page.locator(".opblock")).to_have_count(operations)
    page.locator("#operations-metrics-list_metrics .opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    expect(page.locator(".live-responses-table .response-col_description").last).to_contain_text("ttft_mean")
