"""How soon Chromium shows the first point of Explore and one that can be used, and what it fetches for both.

The same rows as raw JSON, fetched in the same visits, are what the times are compared with.
"""

import os
import shutil
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
#: Notes when a mark of the data is painted for the first time, whatever draws it, and when the first mark is
#: that somebody can point at and click; in milliseconds since the navigation began. What stands in the
#: document counts from the frame that shows it: a task that is queued inside a frame runs after it.
_WATCH = """
const note = (name) => { window[name] = performance.now(); };
const painted = (name) => requestAnimationFrame(() => setTimeout(note, 0, name));
const asked = new Set();
new MutationObserver((_changes, watch) => {
  const plot = document.querySelector(".scatterlayer .points path");
  const first = plot ?? document.querySelector(".sketch .marks use");
  for (const [name, mark] of [["firstPoint", first], ["interactivePoint", plot]]) {
    if (mark && !asked.has(name)) { asked.add(name); painted(name); }
  }
  if (plot) watch.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
_SEEN = "() => [window.firstPoint, window.interactivePoint]"
_TIMES = ("cold_ms", "warm_ms", "interactive_cold_ms", "interactive_warm_ms", "raw_json_ms")
_RAW = """async (address) => {
  const begin = performance.now();
  const rows = (await (await fetch(address, { cache: "no-store" })).json()).points.length;
  return [performance.now() - begin, rows];
}"""


def first_points(origin: str, address: str, raw: str, repeats: int) -> dict[str, Any]:
    """Medians and minima over ``repeats`` fresh profiles; ``raw`` answers the same rows as JSON.

    ``cold_ms`` and ``warm_ms`` end when the first mark is seen, which the page itself draws;
    ``interactive_*`` when Plotly's stands in its place.
    """
    visits = []
    with _browser() as browser:
        for _time in range(repeats):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            visits.append(_visit(_Traffic(context), f"{origin}{address}", raw))
            context.close()
    times = {name: [one[name] for one in visits] for name in _TIMES}
    summary = {f"{name}_{kind}": pick(values) for name, values in times.items()
               for kind, pick in (("median", statistics.median), ("fastest", min))}  # fmt: skip
    ratios = {f"{name}_over_raw_json": _ratio(visits, f"{name}_ms")
              for name in ("cold", "warm", "interactive_cold", "interactive_warm")}  # fmt: skip
    sizes = {name: visits[-1][name] for name in ("requests", "transferred_bytes", "raw_json_rows")}
    return {**summary, **ratios, **sizes}


def _ratio(visits: Sequence[Mapping[str, float]], name: str) -> float:
    return statistics.median(one[name] / one["raw_json_ms"] for one in visits)


def _visit(traffic: "_Traffic", address: str, raw: str) -> dict[str, float]:
    """Once with an empty cache, once more with what the first visit left there, then the rows alone."""
    cold = traffic.visit(address)
    totals = traffic.totals()
    warm = traffic.visit(address)
    milliseconds, rows = traffic.page.evaluate(_RAW, raw)
    times = (cold[0], warm[0], cold[1], warm[1], milliseconds)
    return {**dict(zip(_TIMES, times, strict=True)), "raw_json_rows": rows, **totals}


@contextmanager
def _browser() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        raise SystemExit("no Chromium: set CHROMIUM or leave the browser out with --no-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield browser
        browser.close()


class _Traffic:
    """One page of one profile; counts what comes over the wire since the last visit began."""

    def __init__(self, context: BrowserContext) -> None:
        self.page = context.new_page()
        self.page.add_init_script(_WATCH)
        self._session = context.new_cdp_session(self.page)
        self._session.send("Network.enable")
        self._session.on("Network.loadingFinished", self._finished)
        self._sizes: list[float] = []

    def _finished(self, event: dict[str, Any]) -> None:
        # Pictures that stand in the style sheet itself are reported, too, and cross no wire.
        if event["encodedDataLength"]:
            self._sizes.append(event["encodedDataLength"])

    def visit(self, address: str) -> tuple[float, float]:
        """Milliseconds until the first mark is seen, and until the first one that can be used."""
        self._sizes.clear()
        self.page.goto(address, wait_until="networkidle")
        self.page.wait_for_function("window.interactivePoint !== undefined")
        first, interactive = self.page.evaluate(_SEEN)
        return float(first), float(interactive)

    def totals(self) -> dict[str, float]:
        """Of the last visit: everything that was fetched until the network stood still."""
        return {"requests": len(self._sizes), "transferred_bytes": sum(self._sizes)}
