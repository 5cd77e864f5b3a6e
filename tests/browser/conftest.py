"""One Chromium for all browser tests; any console message or failed load fails the test."""

import os
import shutil
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, sync_playwright
from pytest_django import Settings

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PLOTLY = "**/plotly-basic.min*.js"
_FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]


@pytest.fixture(scope="session")
def chromium() -> str:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is not None:
        return path
    message = "no Chromium: apt-get install -y --no-install-recommends chromium"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def own_browser(chromium: str) -> Iterator[Browser]:
    # Playwright's synchronous interface runs an event loop in this thread, and Django would refuse queries.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(autouse=True)
def plain_static(settings: Settings, tmp_path: Path) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    settings.STATIC_ROOT = tmp_path


Open = Callable[..., Page]


def sideways(page: Page) -> bool:
    """Whether the page is wider than its window."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.fixture
def open_page(own_browser: Browser, live_server: object) -> Iterator[Open]:
    """``open_page("/", width=390, dark=True, language="zh-hans")``; complaints fail the test at its end.

    Without ``plotly`` its script cannot be had, which the console may say.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def note_failure(answer: Response) -> None:
        if answer.status >= 400:
            complaints.append(f"{answer.status} {answer.url}")

    def note_message(message: ConsoleMessage, *, plotly: bool) -> None:
        if plotly or not fnmatch(message.location["url"], _PLOTLY):
            complaints.append(f"{message.type}: {message.text}")

    def opened(
        address: str,
        *,
        width: int = 1280,
        dark: bool = False,
        language: str = "en",
        scripts: bool = True,
        touch: bool = False,
        plotly: bool = True,
    ) -> Page:
        context = own_browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            has_touch=touch,
        )
        context.add_cookies([{"name": "django_language", "value": language, "url": str(live_server)}])
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: note_message(message, plotly=plotly))
        page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
        page.on("response", note_failure)
        if not plotly:
            page.route(_PLOTLY, lambda route: route.abort())
        page.goto(f"{live_server}{address}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
