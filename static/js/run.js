/* The page of one run: sparklines of live telemetry, searching in the log. */

const root = document.querySelector("[data-parts]");
const COUNTERS = new Set(["generated_tokens", "prompt_tokens", "cached_tokens"]);
const KEPT = 200;
const history = [];

function remember() {
  const sample = JSON.parse(document.getElementById("telemetry").textContent);
  const last = history[history.length - 1];
  if (sample.at === undefined || (last && sample.at <= last.at)) return;
  history.push(sample);
  if (history.length > KEPT) history.shift();
}

/** Values of one number over time; a counter as its rate, a reset of the counter as a gap. */
function series(name) {
  if (!COUNTERS.has(name)) return history.filter((one) => name in one.values).map((one) => one.values[name]);
  const rates = [];
  for (let place = 1; place < history.length; place += 1) {
    const [before, now] = [history[place - 1], history[place]];
    const gain = now.values[name] - before.values[name];
    if (gain >= 0) rates.push(gain / (now.at - before.at));
  }
  return rates;
}

function element(name, attributes, ...children) {
  const namespace = "http://www.w3.org/2000/svg";
  const made = ["svg", "polyline"].includes(name) ? document.createElementNS(namespace, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function spark(text, values) {
  const top = Math.max(...values) || 1;
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, place) => `${(place * step).toFixed(2)},${(30 - (28 * value) / top).toFixed(2)}`).join(" ");
  const line = element("svg", { class: "spark", viewBox: "0 0 100 32", preserveAspectRatio: "none", "aria-hidden": "true" },
    element("polyline", { points: values.length > 1 ? points : `${points} 100,${points.split(",")[1]}` }));
  const newest = Number(values[values.length - 1].toPrecision(3)).toLocaleString("en");
  return element("div", {}, element("div", { class: "row row-between small" }, element("span", { class: "soft" }, text), element("span", {}, newest)), line);
}

function drawSparks() {
  const box = document.getElementById("sparks");
  if (!box) return;
  const words = JSON.parse(document.getElementById("telemetry-words").textContent);
  const drawn = Object.entries(words).map(([name, text]) => [text, series(name)]).filter(([, values]) => values.length);
  box.replaceChildren(...drawn.map(([text, values]) => spark(text, values)));
}

let wanted = "";
let whole = "";

function filterLog() {
  const log = document.getElementById("log");
  if (!log) return;
  const lines = whole.split("\n");
  const needle = wanted.toLowerCase();
  const fitting = needle ? lines.filter((line) => line.toLowerCase().includes(needle)) : lines;
  log.textContent = fitting.join("\n");
  document.getElementById("log-count").textContent = needle ? `${fitting.length} / ${lines.length}` : "";
}

function openLog() {
  const log = document.getElementById("log");
  if (!log) return;
  whole = log.textContent;
  const search = document.getElementById("log-search");
  search.value = wanted;
  filterLog();
  log.scrollTop = log.scrollHeight;
}

root.addEventListener("input", (event) => {
  if (event.target.id !== "log-search") return;
  wanted = event.target.value.trim();
  filterLog();
});
root.addEventListener("parts", (event) => {
  if (event.detail.includes("head")) { remember(); drawSparks(); }
  if (event.detail.includes("log")) openLog();
});
remember();
drawSparks();
openLog();
