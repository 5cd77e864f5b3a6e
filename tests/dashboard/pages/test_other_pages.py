"""Metric cards, docs, health, errors, headers and languages."""

import re
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError
from django.http import HttpRequest
from django.test import Client, RequestFactory

from dashboard.views.errors import server_error
from results.metrics import METRICS

PAGES = [
    "/",
    "/runs/",
    "/metrics/",
    "/metrics/ttft_p50/",
    "/docs/",
    "/docs/glossary/",
    "/docs/importing/",
    "/uploads/",
    "/quarantine/",
    "/hosts/",
    "/status/",
]


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
def test_pages_carry_a_strict_policy_and_nothing_inline(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 200
    policy = response.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    page = response.content.decode()
    assert not re.search(r'\sstyle="|\son[a-z]+="|<style', page)
    scripts = re.findall(r"<script([^>]*)>", page)
    assert all("src=" in script or "application/json" in script for script in scripts)
    assert response.headers["X-Frame-Options"] == "DENY"


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
def test_every_link_of_the_site_leads_somewhere(client: Client, address: str) -> None:
    page = client.get(address).content.decode()
    links = set(re.findall(r'href="(/[^"#]*)', page)) - set(re.findall(r'href="(/static/[^"]*)', page))
    for link in sorted(links)[:40]:
        assert client.get(link.replace("&amp;", "&")).status_code == 200, link


@pytest.mark.django_db
def test_pages_speak_chinese(client: Client) -> None:
    page = client.get("/", headers={"accept-language": "zh-CN"}).content.decode()
    assert 'lang="zh-hans"' in page
    assert "还没有任何测量结果" in page
    assert "单 GPU 输出吞吐" in page


@pytest.mark.parametrize("key", ["ttft_p50", "duration", "joules_per_request"])
def test_a_card_says_everything_about_its_metric(client: Client, key: str) -> None:
    page = client.get(f"/metrics/{key}/?part=1").content.decode()
    metric = METRICS[key]
    for text in (metric.unit, metric.formula, metric.denominator, metric.source, key):
        assert text in page
    assert "<html" not in page


def test_an_unknown_metric_or_document_is_404(client: Client) -> None:
    for address in ("/metrics/speed/", "/docs/secrets/", "/nowhere"):
        response = client.get(address)
        assert response.status_code == 404
        assert response.headers["X-Request-ID"] in response.content.decode()


def test_the_500_page_works_without_a_database() -> None:
    request: HttpRequest = RequestFactory().get("/")
    request.META["REQUEST_ID"] = "abc-12345"
    response = server_error(request)
    assert response.status_code == 500
    assert "abc-12345" in response.content.decode()


@pytest.mark.django_db
def test_health_reports_a_broken_broker_and_stays_healthy(client: Client) -> None:
    with patch("dashboard.views.health.app.connection_for_write", side_effect=OSError("no")):
        response = client.get("/healthz")
    answer: dict[str, Any] = response.json()
    assert response.status_code == 200
    assert answer["database"]["ok"] is True
    assert answer["broker"] == {"ok": False, "error": "OSError"}


def test_health_fails_with_the_database(client: Client) -> None:
    with patch("dashboard.views.health._ask_database", side_effect=OperationalError("secret host")):
        response = client.get("/healthz")
    assert response.status_code == 503
    assert "secret" not in response.content.decode()


def test_raw_html_in_documents_is_escaped(tmp_path: Any) -> None:
    from dashboard.views.documents import _render

    source = tmp_path / "doc.md"
    source.write_text("# T\n\n<script>alert(1)</script> [x](javascript:alert(1)) [g](glossary.md)\n")
    body = _render(source, 1, True).body
    assert "<script" not in body
    assert 'href="javascript' not in body
    assert 'href="/docs/glossary/"' in body


def test_writing_methods_are_refused(client: Client) -> None:
    for address in ("/", "/runs/", "/healthz"):
        assert client.post(address).status_code == 405
