"""How soon Chromium shows the first point of Explore and one that can be used, and what it fetches for them.

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
#: Three moments in milliseconds since the navigation began: a mark of the data is painted for the first time,
#: whatever draws it; a mark that is seen tells its point to whoever points at it, which is found out by
#: pointing at one from then on in each frame until a label is seen; the first mark of Plotly. What stands in
#: the document counts from the frame that shows it: a task that is queued inside a frame runs after it.
_WATCH = """
const noted = {};
const moment = (name) => new Promise((note) => { noted[name] = note; });
const first = moment("first");
window.moments = Promise.all([first, moment("usable"), moment("plotly")]);
const asked = new Set();
const SKETCHED = ".sketch .marks use", DRAWN = ".scatterlayer .points path";
new MutationObserver((_changes, watch) => {
  const plot = document.querySelector(DRAWN);
  for (const [name, mark] of [["first", plot ?? document.querySelector(SKETCHED)], ["plotly", plot]]) {
    if (!mark || asked.has(name)) continue;
    asked.add(name);
    requestAnimationFrame(() => setTimeout(() => noted[name](performance.now())));
  }
  if (plot) watch.disconnect();
}).observe(document, { childList: true, subtree: true });
const LABEL = ".sketch-label:not([hidden]), .hoverlayer .hovertext";
const label = () => document.querySelector(LABEL)?.textContent;
const point = () => {
  const mark = [...document.querySelectorAll(`${SKETCHED}, ${DRAWN}`)].at(-1);
  if (!mark) return;
  const box = mark.getBoundingClientRect();
  const place = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  const under = document.elementFromPoint(place.clientX, place.clientY);
  under?.dispatchEvent(new PointerEvent("pointermove", place));
  under?.dispatchEvent(new MouseEvent("mousemove", place));
};
const ask = () => {
  if (!label()) point();
  if (!label()) { requestAnimationFrame(ask); return; }
  setTimeout(() => {
    window.told = label();
    // Plotly came in between and asks for another try.
    if (!window.told) { ask(); return; }
    noted.usable(performance.now());
    document.getElementById("chart-frame").dispatchEvent(new PointerEvent("pointerleave"));
  });
};
first.then(() => requestAnimationFrame(ask));
"""
_SEEN = "() => window.moments"
#: Whether what the label told begins with a name that the figure has for a point.
_TOLD = """() => {
  const { data } = JSON.parse(document.getElementById("figure").textContent);
  const names = data.flatMap(({ hovertext = [] }) => hovertext.map((text) => text.split("<br>")[0]));
  return names.some((name) => window.told.startsWith(name));
}"""
_MOMENTS = ("cold", "warm", "usable_cold", "usable_warm", "plotly_cold", "plotly_warm")
_RAW = """async (address) => {
  const begin = performance.now();
  const rows = (await (await fetch(address, { cache: "no-store" })).json()).points.length;
  return [performance.now() - begin, rows];
}"""


def first_points(origin: str, address: str, raw: str, repeats: int) -> dict[str, Any]:
    """Medians and minima over ``repeats`` fresh profiles; ``raw`` answers the same rows as JSON.

    ``cold_ms`` and ``warm_ms`` end when the first mark is seen, which the page itself draws; ``usable_*``
    when one tells its point to the pointer; ``plotly_*`` when Plotly's stands in its place.
    """
    visits = []
    with _browser() as browser:
        for _time in range(repeats):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            visits.append(_visit(_Traffic(context), f"{origin}{address}", raw))
            context.close()
    times = {name: [one[name] for one in visits] for name in (*map("{}_ms".format, _MOMENTS), "raw_json_ms")}
    summary = {f"{name}_{kind}": pick(values) for name, values in times.items()
               for kind, pick in (("median", statistics.median), ("fastest", min))}  # fmt: skip
    ratios = {f"{name}_over_raw_json": _ratio(visits, f"{name}_ms") for name in _MOMENTS}
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
    moments = [moment for pair in zip(cold, warm, strict=True) for moment in pair]
    times = {f"{name}_ms": moment for name, moment in zip(_MOMENTS, moments, strict=True)}
    return {**times, "raw_json_ms": milliseconds, "raw_json_rows": rows, **totals}


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

    def visit(self, address: str) -> list[float]:
        """Milliseconds until the first mark is seen, until one answers, and until Plotly's first."""
        self._sizes.clear()
        self.page.goto(address, wait_until="networkidle")
        moments: list[float] = self.page.evaluate(_SEEN)
        assert self.page.evaluate(_TOLD), "the label names no point"
        return moments

    def totals(self) -> dict[str, float]:
        """Of the last visit: everything that was fetched until the network stood still."""
        return {"requests": len(self._sizes), "transferred_bytes": sum(self._sizes)}
