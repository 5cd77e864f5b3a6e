"""A host and an article in a browser: figures are drawn, nothing scrolls sideways, no policy is broken."""

import json

import pytest

from results.models import Project
from results.services.host_probes import read_probe, record_probe
from results.services.load_measured import SHIPPED
from tests.browser.conftest import Open, sideways
from tests.browser.test_decide import drawn
from tests.factories import make_host

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ARTICLE = "# Title\n\n| a | b |\n|---|--:|\n| 1 | {point:h-1/a/4:ttft_p50} |\n"


def test_what_a_host_can_do_and_what_is_written_about_it(open_page: Open) -> None:
    probe = read_probe(json.loads((SHIPPED / "h200-2026-11-30" / "probe.json").read_text()))
    record_probe(host=make_host("h-1"), probe=probe)
    page = open_page("/hosts/h-1/", width=390, dark=True, language="zh-hans")
    # Four kinds of transfer in five sizes.
    assert drawn(page) == 20
    assert not sideways(page)
    Project.objects.create(
        slug="p", name="P", layer="kv-cache", repository="a/b", position=1, writeup_en=ARTICLE
    )
    page = open_page("/projects/p/", width=390)
    assert page.locator("#article .cite.missing").count() == 1
    assert not sideways(page)
