/* Marks of the sketch answer to the pointer as Plotly's do, until Plotly's stand in their place. */

/** Absent where a figure is shown without its controls: there nothing can be pinned. */
const page = document.querySelector("[data-parts]");
const frame = document.getElementById("chart-frame");
const sketch = frame?.querySelector(".sketch");
/** Pixels from its edge at which a mark still answers, and the least radius of one, as in Plotly. */
const REACH = 20;
const LEAST = 3;
/** Pixels between a mark and its label, in which the label's tip lies. */
const TIP = 6;
const PLACED = /%\{([\w.]+)(?::[^}]*)?\}/g;
const MEANT = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
const label = Object.assign(document.createElement("div"), { className: "sketch-label", hidden: true });
label.setAttribute("aria-hidden", "true");
/** Who follows a pin runs after the page has been read; this script does not wait for it. */
const ready = new Promise((resolve) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", resolve, { once: true });
  else resolve();
});
/** Read when somebody points for the first time, not before the page is seen. */
let source = document.getElementById("figure");
let marks = null;
let shown = null;

/** What is skipped by the pointer lies below or around points. */
function answering(trace) {
  return trace.mode.includes("markers") && trace.hoverinfo !== "skip";
}

/** Share of an axis that lies before a value. */
function share({ range: [low, high], type }, value) {
  return ((type === "log" ? Math.log10(value) : value) - low) / (high - low);
}

/** In the order in which they are drawn; x and y are shares of the drawing area, the radius is in pixels. */
function marksOf({ data, layout }) {
  return data.filter(answering).flatMap((trace) => trace.x.map((value, place) => ({
    x: share(layout.xaxis, value),
    y: 1 - share(layout.yaxis, trace.y[place]),
    radius: Math.max(LEAST, trace.marker.size / 2),
    trace,
    place,
  })));
}

function clamped(value, most) {
  return Math.max(0, Math.min(value, most));
}

/** Three digits, as the templates ask for. The browser's own way takes longer to start than all else here. */
function number(value) {
  const rounded = Number(value.toPrecision(3));
  const places = clamped(2 - Math.floor(Math.log10(Math.abs(rounded) || 1)), 100);
  const [whole, part] = rounded.toFixed(places).split(".");
  const rest = part?.replace(/0+$/, "");
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}

/** The lines that Plotly would write from the template of the trace. */
function linesOf({ trace, place }) {
  const values = {
    hovertext: trace.hovertext[place],
    x: number(trace.x[place]),
    y: number(trace.y[place]),
    "meta.about": trace.meta.about,
  };
  const template = trace.hovertemplate.replace("<extra></extra>", "");
  const text = template.replace(PLACED, (_all, name) => values[name] ?? "");
  return text.split("<br>").map((line) => line.replace(/&(?:amp|lt|gt);/g, (one) => MEANT[one]));
}

/** Pixels of the window. */
function drawingArea() {
  const box = sketch.getBoundingClientRect();
  const style = getComputedStyle(sketch);
  const [left, right, top, bottom] = ["Left", "Right", "Top", "Bottom"].map((side) => parseFloat(style[`padding${side}`]));
  return { left: box.left + left, top: box.top + top, width: box.width - left - right, height: box.height - top - bottom };
}

/** The nearest mark within reach; of two at one place the last, which lies on top. */
function nearest({ clientX, clientY }) {
  const area = drawingArea();
  let found = null;
  let least = REACH;
  marks ??= marksOf(JSON.parse(source.textContent));
  for (const mark of marks) {
    const away = Math.hypot(area.left + mark.x * area.width - clientX, area.top + mark.y * area.height - clientY);
    const distance = Math.max(away - mark.radius, 1 - LEAST / mark.radius);
    if (distance > least) continue;
    [found, least] = [mark, distance];
  }
  return found;
}

/** Beside the mark where the frame has room, right before left; else above it or below. */
function put(mark) {
  const [area, around] = [drawingArea(), frame.getBoundingClientRect()];
  const x = area.left - around.left + mark.x * area.width;
  const y = area.top - around.top + mark.y * area.height;
  label.style.left = label.style.top = "0";
  const { width, height } = label.getBoundingClientRect();
  const gap = mark.radius + TIP;
  const side = x + gap + width <= around.width ? "right" : x - gap - width >= 0 ? "left" : "over";
  const over = y - gap - height >= 0 ? y - gap - height : y + gap;
  const left = { right: x + gap, left: x - gap - width, over: clamped(x - width / 2, around.width - width) }[side];
  const top = clamped(side === "over" ? over : y - height / 2, around.height - height);
  label.dataset.side = side;
  label.style.left = `${left}px`;
  label.style.top = `${top}px`;
  label.style.setProperty("--tip", `${y - top}px`);
}

/** Texts of people never become markup. */
function show(mark) {
  const changed = mark !== shown;
  shown = mark;
  label.hidden = !mark;
  if (!mark || !changed) return;
  label.replaceChildren(...linesOf(mark).flatMap((line) => [document.createElement("br"), line]).slice(1));
  put(mark);
}

async function pin(event) {
  const mark = nearest(event);
  const identifier = mark?.trace.customdata[mark.place];
  await ready;
  if (identifier) frame.dispatchEvent(new CustomEvent("pin", { detail: identifier, bubbles: true }));
}

function drawn() {
  const { data, layout } = JSON.parse(source.textContent);
  return JSON.stringify([data, layout]);
}

/** What was drawn of other data may not stay; whoever pins a point sees the same data again. */
function check(event) {
  if (!event.detail.includes("figure")) return;
  const before = drawn();
  source = document.getElementById("figure");
  marks = null;
  show(null);
  if (source && drawn() === before) return;
  sketch.remove();
  label.remove();
}

function listen() {
  const ended = new AbortController();
  const on = (target, name, act) => target.addEventListener(name, (event) => {
    if (sketch.isConnected) act(event);
    else ended.abort();
  }, { signal: ended.signal });
  label.classList.toggle("pins", Boolean(page));
  frame.append(label);
  for (const name of ["pointermove", "pointerdown"]) on(frame, name, (event) => show(nearest(event)));
  // A finger covers what it points at: its label stays when it is lifted.
  on(frame, "pointerleave", (event) => { if (event.pointerType !== "touch") show(null); });
  if (page) on(frame, "click", pin);
  if (page) on(page, "parts", check);
  new ResizeObserver(() => { if (shown && sketch.isConnected) put(shown); }).observe(frame);
}

if (sketch) listen();
