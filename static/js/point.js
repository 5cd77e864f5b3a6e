/* Draws the figures of a point in the page's own colours; the axes of time move together. */

const root = document.getElementById("point");
const config = {
  responsive: true,
  displaylogo: false,
  showSendToCloud: false,
  scrollZoom: false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "toImage"],
};
const BARS = {
  queue: { light: "#8b949d", dark: "#6b747d" },
  prefill: { light: "#f2a05c", dark: "#a34700" },
  decode: { light: "#0b57a4", dark: "#7db7f2" },
  other: { light: "#a32a1c", dark: "#f09386", pattern: "/" },
};
const NARROW = 520;
const TIMED = new Set();
let figure = null;

function theme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function colours(plot) {
  const style = getComputedStyle(plot);
  return {
    soft: style.color,
    text: style.caretColor,
    grid: style.borderTopColor,
    line: style.outlineColor,
    surface: style.backgroundColor,
  };
}

function axis(title, colour, more = {}) {
  const font = { color: colour.soft, size: 12 };
  return {
    title: { text: title, font, standoff: 8 },
    tickfont: font,
    gridcolor: colour.grid,
    linecolor: colour.line,
    zeroline: false,
    showline: true,
    ticks: "outside",
    tickcolor: colour.line,
    automargin: true,
    // Powers of ten would be drawn with inline styles, which the policy refuses.
    exponentformat: "none",
    separatethousands: true,
    ...more,
  };
}

function layout(plot, colour, more) {
  const family = getComputedStyle(document.body).fontFamily;
  return {
    paper_bgcolor: colour.surface,
    plot_bgcolor: colour.surface,
    font: { family, size: 12, color: colour.soft },
    hoverlabel: { bgcolor: colour.surface, bordercolor: colour.line, align: "left", namelength: -1, font: { family, size: 12, color: colour.text } },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    margin: { l: 48, r: 8, t: 8, b: 40 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour.soft, activecolor: colour.text },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { color: colour.text, size: 12 }, itemclick: "toggle" },
    uirevision: "point",
    ...more,
  };
}

function trace(line) {
  const own = line[theme()];
  const dots = line.kind === "markers";
  return {
    type: "scatter",
    name: line.name,
    x: line.x,
    y: line.y,
    mode: dots ? "markers" : "lines",
    line: { color: own, dash: line.dash, width: line.kind === "area" ? 0.5 : 2 },
    marker: { color: own, symbol: line.symbol, size: 5, opacity: 0.55, line: { color: own, width: 1 } },
    stackgroup: line.kind === "area" ? "one" : undefined,
    connectgaps: false,
    hovertemplate: dots ? "%{x}, %{y}<extra></extra>" : undefined,
  };
}

function drawChart(chart) {
  const plot = document.getElementById(`plot-${chart.key}`);
  if (!plot) return;
  plot.classList.remove("loading");
  const colour = colours(plot);
  const dots = chart.lines.some((line) => line.kind === "markers");
  const top = chart.y.top === null ? { rangemode: "tozero" } : { range: [0, chart.y.top * 1.02] };
  const made = layout(plot, colour, {
    xaxis: axis(chart.x.title, colour),
    yaxis: axis(chart.y.title, colour, top),
    hovermode: dots ? "closest" : "x unified",
    showlegend: chart.lines.length > 1 || chart.key === "power",
  });
  window.Plotly.react(plot, chart.lines.map(trace), made, config);
  if (!dots || chart.key.endsWith("-time")) follow(plot);
}

/** Hover text of one request; labels come escaped from the server. */
function about(place) {
  const { timeline: all, words } = figure;
  const number = (value, digits = 3) => Number(value.toPrecision(digits)).toLocaleString("en");
  // Bold would be an inline style, which the policy refuses.
  const lines = [all.labels[all.lane[place]]];
  if (all.turn[place] !== null) lines[0] += ` · ${words.turn} ${all.turn[place]}`;
  lines.push(words.outcomes[all.outcome[place]]);
  if (all.start[place] > all.issued[place]) lines.push(`${words.queue}: ${number(all.start[place] - all.issued[place])} s`);
  if (all.first[place] !== null) lines.push(`TTFT: ${number(all.first[place] - all.start[place])} s`);
  lines.push(`${words.total}: ${number(all.end[place] - all.start[place])} s`);
  for (const [key, name] of [["input_tokens", words.input], ["cached_tokens", words.cached], ["output_tokens", words.output]]) {
    if (all[key][place] !== null) lines.push(`${name}: ${all[key][place].toLocaleString("en")}`);
  }
  return lines.join("<br>");
}

/** Which span of a request each kind of bar shows; null where it has none. */
function span(kind, place) {
  const all = figure.timeline;
  const answered = ["ok", "warmup"].includes(all.outcome[place]);
  const [start, first, end] = [all.start[place], all.first[place], all.end[place]];
  if (kind === "queue") return all.issued[place] < start ? [all.issued[place], start] : null;
  if (!answered || first === null) return kind === "other" ? [start, end] : null;
  if (kind === "prefill") return [start, Math.min(first, end)];
  return kind === "decode" && first < end ? [first, end] : null;
}

function bars(kind, texts) {
  const colour = BARS[kind];
  const own = colour[theme()];
  const made = { x: [], y: [], base: [], hovertext: [] };
  texts.forEach((text, place) => {
    const found = span(kind, place);
    if (!found) return;
    made.base.push(found[0]);
    made.x.push(Math.max(found[1] - found[0], 0));
    made.y.push(figure.timeline.lane[place]);
    made.hovertext.push(text);
  });
  return {
    ...made,
    type: "bar",
    orientation: "h",
    width: kind === "queue" ? 0.3 : 0.7,
    name: figure.words[kind],
    hovertemplate: "%{hovertext}<extra></extra>",
    marker: {
      color: own,
      line: { width: 0 },
      pattern: colour.pattern ? { shape: colour.pattern, size: 4, solidity: 0.4 } : undefined,
    },
  };
}

function drawTimeline() {
  const plot = document.getElementById("plot-timeline");
  const all = figure.timeline;
  if (!plot || !all) return;
  plot.classList.remove("loading");
  const colour = colours(plot);
  const narrow = plot.clientWidth < NARROW;
  const labels = all.labels.map((label) => (narrow && label.length > 14 ? `…${label.replace(/&[a-z]+;/g, "·").slice(-12)}` : label));
  const texts = all.lane.map((_lane, place) => about(place));
  const made = layout(plot, colour, {
    xaxis: axis(figure.words.time, colour),
    yaxis: axis("", colour, {
      tickvals: labels.map((_label, place) => place), ticktext: labels, range: [labels.length - 0.5, -0.5],
      fixedrange: true, showgrid: false, ticks: "",
    }),
    barmode: "overlay",
    hovermode: "closest",
    showlegend: false,
    margin: { l: 8, r: 8, t: 8, b: 40 },
  });
  window.Plotly.react(plot, ["queue", "prefill", "decode", "other"].map((kind) => bars(kind, texts)), made, config);
  follow(plot);
}

/** A zoom in time on one chart is a zoom on all of them. */
function follow(plot) {
  if (TIMED.has(plot)) return;
  TIMED.add(plot);
  plot.on("plotly_relayout", (change) => {
    const reset = change["xaxis.autorange"];
    const range = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
    if (!reset && range[0] === undefined) return;
    for (const other of TIMED) {
      const now = other.layout.xaxis;
      if (other === plot || (reset ? now.autorange : now.range?.[0] === range[0] && now.range?.[1] === range[1])) continue;
      window.Plotly.relayout(other, reset ? { "xaxis.autorange": true } : { "xaxis.range": range });
    }
  });
}

function draw() {
  if (!figure) return;
  drawTimeline();
  figure.charts.forEach(drawChart);
}

async function load() {
  const response = await fetch(root.dataset.figure).catch(() => null);
  figure = response?.ok ? await response.json().catch(() => null) : null;
  if (figure) { draw(); return; }
  for (const plot of document.querySelectorAll(".plot.loading")) {
    plot.classList.remove("loading");
    plot.replaceChildren(Object.assign(document.createElement("p"), { className: "failed", textContent: root.dataset.failed }));
  }
}

async function save(button) {
  const plot = document.getElementById(`plot-${button.dataset.of}`);
  if (!figure || !plot) return;
  const { width, height } = plot.getBoundingClientRect();
  const format = button.dataset.image;
  const size = { format, width: Math.round(width), height: Math.round(height), scale: format === "png" ? 2 : 1 };
  const link = document.createElement("a");
  link.href = await window.Plotly.toImage(plot, size);
  link.download = `northstar-${button.dataset.of}.${format}`;
  link.click();
}

root.addEventListener("click", (event) => {
  const button = event.target.closest("[data-image]");
  if (button) save(button);
});
document.addEventListener("theme", draw);
load();
