/* Draws every figure of a page from the address it names, in the page's own colours, and saves pictures. */

const config = {
  responsive: true,
  displaylogo: false,
  showSendToCloud: false,
  scrollZoom: false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "toImage"],
};
/** Names beside the lines need room; the legend has them too. */
const NARROW = 520;
const loaded = new Map();

function theme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function colours(chart) {
  const style = getComputedStyle(chart);
  return {
    soft: style.color,
    text: style.caretColor,
    grid: style.borderTopColor,
    line: style.outlineColor,
    surface: style.backgroundColor,
  };
}

function tinted(trace, colour) {
  const own = trace.meta?.[theme()] ?? colour.soft;
  const copy = { ...trace };
  if (trace.line) copy.line = { ...trace.line, color: own };
  if (trace.marker) copy.marker = { ...trace.marker, color: own };
  if (trace.marker?.line) copy.marker.line = { ...trace.marker.line, color: own };
  if (trace.error_y) copy.error_y = { ...trace.error_y, color: own };
  if (trace.textfont) copy.textfont = { ...trace.textfont, color: colour.text };
  return copy;
}

function notes(chart, layout, colour) {
  const { annotations = [], meta = [] } = layout;
  if (chart.clientWidth < NARROW) return annotations.filter((note, place) => !meta[place]);
  return annotations.map((note, place) => ({
    ...note,
    font: { color: meta[place]?.[theme()] ?? colour.soft, size: 12 },
  }));
}

function axis(chart, of, colour) {
  // A narrow screen has no room for which way is better; the metric's card says it.
  const text = chart.clientWidth < NARROW ? of.title?.text?.split(" · ")[0] : of.title?.text;
  const font = { color: colour.soft, size: 12 };
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

function layout(chart, figure) {
  const colour = colours(chart);
  const family = getComputedStyle(document.body).fontFamily;
  const { shapes = [], height } = figure.layout;
  const axes = Object.entries(figure.layout).filter(([name]) => /^[xy]axis\d*$/.test(name));
  return {
    ...Object.fromEntries(axes.map(([name, of]) => [name, axis(chart, of, colour)])),
    ...(height ? { height } : {}),
    annotations: notes(chart, figure.layout, colour),
    shapes: shapes.map((shape) => ({ ...shape, line: { ...shape.line, color: colour.text } })),
    paper_bgcolor: colour.surface,
    plot_bgcolor: colour.surface,
    font: { family, size: 12, color: colour.soft },
    hoverlabel: { bgcolor: colour.surface, bordercolor: colour.line, align: "left", font: { family, size: 12, color: colour.text } },
    hovermode: "closest",
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    showlegend: false,
    margin: { l: 56, r: 16, t: 24, b: 48, ...figure.layout.margin },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour.soft, activecolor: colour.text },
  };
}

async function draw(chart) {
  const figure = loaded.get(chart);
  if (!figure) return;
  const colour = colours(chart);
  await window.Plotly.react(chart, figure.data.map((trace) => tinted(trace, colour)), layout(chart, figure), config);
}

function say(chart, text) {
  chart.classList.remove("loading");
  chart.replaceChildren(Object.assign(document.createElement("p"), { className: "failed", textContent: text }));
}

async function load(chart) {
  try {
    const response = await fetch(chart.dataset.figure);
    if (!response.ok) throw new Error(String(response.status));
    const figure = await response.json();
    if (!figure.data.length) { say(chart, chart.dataset.empty ?? chart.dataset.failed); return; }
    loaded.set(chart, figure);
    chart.classList.remove("loading");
    // Panels below each other need as much room as there are panels.
    if (figure.layout.height) chart.parentElement.style.height = `${figure.layout.height}px`;
    await draw(chart);
  } catch {
    say(chart, chart.dataset.failed);
  }
}

async function save(button) {
  const chart = document.getElementById(button.dataset.of);
  const figure = loaded.get(chart);
  if (!figure) return;
  const { savePicture } = await import("./picture.js");
  const colour = colours(chart);
  const caption = { title: escaped(heading(chart)), lines: [escaped(document.title)] };
  const data = figure.data.map((trace) => tinted(trace, colour));
  await savePicture({ chart, data, layout: layout(chart, figure), caption, format: button.dataset.image, name: chart.dataset.name });
}

function heading(chart) {
  return chart.closest("figure, article, section")?.querySelector("h2, h3")?.textContent.trim() ?? document.title;
}

/** Plotly's own markup shows the text literally. */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What lies far below is fetched when somebody comes near it. */
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    load(entry.target);
  }
}, { rootMargin: "400px" });

for (const chart of document.querySelectorAll("[data-figure]")) near.observe(chart);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-image]");
  if (button) save(button);
});
document.addEventListener("theme", () => { for (const chart of loaded.keys()) draw(chart); });
for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", (event) => {
    // Another model has other configurations: what depends on the changed choice is asked anew.
    const resets = (event.target.dataset.resets ?? "").split(" ").filter(Boolean);
    for (const name of resets) form.elements[name]?.removeAttribute("name");
    form.requestSubmit();
  });
}
