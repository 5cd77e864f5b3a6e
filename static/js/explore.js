/* Draws the Explore figure in the page's own colours, and saves it as a picture. */

/** Absent where a figure is shown without its controls. */
const page = document.querySelector("[data-parts]");
const root = page ?? document.body;
const chart = document.getElementById("chart");
const frame = document.getElementById("chart-frame");
const config = {
  responsive: true,
  displaylogo: false,
  showSendToCloud: false,
  scrollZoom: false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "toImage"],
};
/** Names beside the lines need room; the legend has them too. */
const NARROW = 520;
const AXIS = /^[xy]axis\d*$/;
let starting = null;
let drawn = false;
let shown = null;

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function colours() {
  const style = getComputedStyle(chart);
  return {
    soft: style.color,
    text: style.caretColor,
    grid: style.borderTopColor,
    line: style.outlineColor,
    surface: style.backgroundColor,
  };
}

function tinted(trace, theme, colour) {
  const own = trace.meta[theme];
  const copy = { ...trace };
  if (trace.line) copy.line = { ...trace.line, color: own };
  if (trace.marker) copy.marker = { ...trace.marker, color: own };
  if (trace.marker?.line) copy.marker.line = { ...trace.marker.line, color: own };
  if (trace.textfont) copy.textfont = { ...trace.textfont, color: colour.text };
  return copy;
}

function narrow() {
  return chart.clientWidth < NARROW;
}

/** Titles of panels stay; names beside lines need room. */
function names(figure, theme, colour) {
  const { annotations, meta } = figure.layout;
  const kept = annotations.map((note, place) => [note, meta[place]]).filter(([, own]) => !own || !narrow());
  return kept.map(([note, own]) => ({ ...note, font: { color: own ? own[theme] : colour.text, size: 12 } }));
}

/** Panels stand below each other on a narrow screen, each with the titles of its axes. */
function stacked(layout) {
  if (!layout.grid || !narrow()) return layout;
  const axes = Object.entries(layout).filter(([name]) => AXIS.test(name));
  const titled = (letter) => axes.find(([name, of]) => name[0] === letter && of.title.text)[1].title;
  const own = Object.fromEntries(axes.map(([name, of]) => [name, { ...of, title: titled(name[0]), showticklabels: true }]));
  const rows = axes.length / 2;
  return { ...layout, ...own, grid: { ...layout.grid, rows, columns: 1, ygap: 0.34 }, height: rows * 260 };
}

function axis(of, colour) {
  const font = { color: colour.soft, size: 12 };
  // A narrow screen has no room for which way is better; the metric's card says it.
  const text = narrow() ? of.title.text.split(" · ")[0] : of.title.text;
  return {
    ...of,
    title: { ...of.title, text, font },
    tickfont: font,
    gridcolor: colour.grid,
    linecolor: colour.line,
    zerolinecolor: colour.line,
    showline: true,
    ticks: "outside",
    tickcolor: colour.line,
    // Powers of ten would be drawn with inline styles, which the policy refuses.
    exponentformat: "none",
    separatethousands: true,
  };
}

function layout(figure, theme, colour) {
  const family = getComputedStyle(document.body).fontFamily;
  const own = stacked(figure.layout);
  const axes = Object.entries(own).filter(([name]) => AXIS.test(name));
  return {
    ...Object.fromEntries(axes.map(([name, of]) => [name, axis(of, colour)])),
    ...(own.grid ? { grid: own.grid, height: own.height } : {}),
    annotations: names(figure, theme, colour),
    shapes: (own.shapes ?? []).map((shape) => ({ ...shape, layer: "below", line: { color: colour.line, width: 1, dash: "dash" } })),
    paper_bgcolor: colour.surface,
    plot_bgcolor: colour.surface,
    font: { family, size: 12, color: colour.soft },
    hoverlabel: { bgcolor: colour.surface, bordercolor: colour.line, align: "left", font: { family, size: 12, color: colour.text } },
    hovermode: "closest",
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    showlegend: false,
    // Room for all numbers and titles from the first: what Plotly finds too small it draws twice.
    margin: { l: 56, r: 16, t: 24, b: 48, ...own.margin },
    // Zoom survives new points, not another choice of axes.
    uirevision: JSON.stringify([...axes.map(([, of]) => [of.title.text, of.type]), own.grid]),
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour.soft, activecolor: colour.text },
  };
}

/** After the next frame, which a hidden page does not have, as soon as nothing else is to be done. */
function idle() {
  const rest = window.requestIdleCallback ?? ((act) => setTimeout(act));
  const wait = (act) => rest(act, { timeout: 1000 });
  return new Promise((resolve) => (document.hidden ? wait(resolve) : requestAnimationFrame(() => wait(resolve))));
}

/** Plotly takes longer to start than all else here, so what the server drew is shown and used first. */
async function start() {
  await idle();
  const script = Object.assign(document.createElement("script"), { src: chart.dataset.plotly });
  await new Promise((resolve, reject) => {
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
    document.head.append(script);
  });
}

function say(text) {
  chart.classList.remove("loading");
  chart.replaceChildren(Object.assign(document.createElement("p"), { className: "failed", textContent: text }));
}

async function draw() {
  const there = document.getElementById("figure");
  if (frame) frame.hidden = !there;
  if (!there || !chart) return;
  try {
    await (starting ??= start());
  } catch {
    starting = null;
    if (!frame?.querySelector(".sketch")) say(chart.dataset.failed);
    return;
  }
  // Another figure may have come meanwhile.
  const source = document.getElementById("figure");
  if (!source) return;
  const figure = JSON.parse(source.textContent);
  const theme = isDark() ? "dark" : "light";
  chart.classList.remove("loading");
  const colour = colours();
  const data = figure.data.map((trace) => tinted(trace, theme, colour));
  const around = layout(figure, theme, colour);
  if (frame) frame.style.height = around.height ? `${around.height}px` : "";
  if (drawn) window.Plotly.Plots.resize(chart);
  else chart.replaceChildren();
  shown = { chart, data, layout: around, caption: figure.caption ?? { title: document.title, lines: [] }, name: "explore" };
  await window.Plotly.react(chart, data, around, config);
  for (const before of frame?.querySelectorAll(".sketch, .sketch-label") ?? []) before.remove();
  if (!drawn && page) chart.on("plotly_click", (event) => pin(event.points[0]?.customdata));
  drawn = true;
}

function pin(identifier) {
  const base = root.querySelector("[data-part=figure]").dataset.pin;
  if (identifier) root.dispatchEvent(new CustomEvent("go", { detail: `${base}${identifier}` }));
}

async function save(format) {
  // Few readers save pictures, so nobody waits for how.
  const { savePicture } = await import("./picture.js");
  await savePicture({ ...shown, format });
}

root.addEventListener("click", (event) => {
  const button = event.target.closest("[data-image]");
  if (button && shown) save(button.dataset.image);
});
root.addEventListener("pin", (event) => pin(event.detail));
root.addEventListener("parts", (event) => {
  if (event.detail.includes("figure") || event.detail.includes("card")) draw();
});
document.addEventListener("theme", () => draw());
draw();
