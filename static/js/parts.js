/* Pages that fill while work goes on: fetch the parts, swap what changed, keep focus and scroll. */

const root = document.querySelector("[data-parts]");

function address(query) {
  return query ? `${location.pathname}?${query}` : location.pathname;
}

/** Focus and scroll positions survive because both are found again by id or place. */
function swap(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  const scrolls = [...old.querySelectorAll(".table-box, .log")].map((box) => [box.scrollLeft, box.scrollTop]);
  const open = [...old.querySelectorAll("details")].map((item) => item.open);
  old.replaceWith(fresh);
  fresh.querySelectorAll(".table-box, .log").forEach((box, place) => {
    [box.scrollLeft, box.scrollTop] = scrolls[place] ?? [0, 0];
  });
  fresh.querySelectorAll("details").forEach((item, place) => { item.open = open[place] ?? item.open; });
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function isBusy(part) {
  const focus = document.activeElement;
  return part.contains(focus) && focus.matches("select, input[type=search], input[type=text]");
}

/** The HTML each part came as; scripts may have changed the part since. */
const sources = new Map();

/** A form control that somebody is using is left alone until the next look. */
function apply(page, asked) {
  const changed = [];
  for (const fresh of page.querySelectorAll("[data-part]")) {
    const name = fresh.dataset.part;
    const source = fresh.outerHTML;
    const old = root.querySelector(`[data-part="${name}"]`);
    if (!old || sources.get(name) === source || (!asked && isBusy(old))) continue;
    swap(old, fresh);
    sources.set(name, source);
    changed.push(name);
  }
  root.dataset.seconds = page.dataset.seconds;
  root.dataset.query = page.dataset.query;
  if (changed.length) root.dispatchEvent(new CustomEvent("parts", { detail: changed }));
}

let pending = null;
let timer = 0;

async function look(query, asked) {
  pending?.abort();
  const mine = pending = new AbortController();
  try {
    const response = await fetch(`${root.dataset.parts}?${query}`, { signal: mine.signal });
    if (response.status === 400 && asked) { location.href = address(query); return; }
    if (!response.ok) throw new Error(String(response.status));
    const text = await response.text();
    apply(new DOMParser().parseFromString(text, "text/html").body.firstElementChild, asked);
    lost(false);
    if (root.dataset.query) history.replaceState(null, "", address(root.dataset.query));
  } catch (error) {
    if (error.name === "AbortError") return;
    lost(true);
  }
  if (pending === mine) pending = null;
  plan();
}

function lost(is) {
  const strip = document.getElementById("lost");
  if (!is) strip?.remove();
  if (!is || strip) return;
  const fresh = Object.assign(document.createElement("div"), { id: "lost", className: "strip warn" });
  fresh.setAttribute("role", "status");
  fresh.append(Object.assign(document.createElement("p"), { textContent: document.body.dataset.lost }));
  root.before(fresh);
}

function plan() {
  clearTimeout(timer);
  const seconds = Number(root.dataset.seconds);
  if (seconds > 0) timer = setTimeout(() => (document.hidden ? plan() : look(location.search.slice(1), false)), seconds * 1000);
}

function go(query) {
  history.pushState(null, "", address(query));
  look(query, true);
}

function queryOf(form, changed) {
  const data = new FormData(form);
  const reset = changed?.dataset.resets;
  if (reset) data.delete(reset);
  return String(new URLSearchParams([...data].filter(([, value]) => value !== "")));
}

function listen() {
  for (const part of root.querySelectorAll("[data-part]")) sources.set(part.dataset.part, part.outerHTML);
  root.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    const target = event.target.closest("a[data-nav], button[data-go]");
    if (!target) return;
    event.preventDefault();
    go(new URL(target.dataset.go ?? target.href, location.href).search.slice(1));
  });
  root.addEventListener("change", (event) => {
    const form = event.target.form;
    if (form?.dataset.nav !== undefined && event.target.type !== "search") go(queryOf(form, event.target));
  });
  root.addEventListener("submit", (event) => {
    if (event.target.dataset.nav === undefined) return;
    event.preventDefault();
    go(queryOf(event.target));
  });
  root.addEventListener("go", (event) => go(event.detail));
  addEventListener("popstate", () => look(location.search.slice(1), true));
  document.addEventListener("visibilitychange", () => { if (!document.hidden && Number(root.dataset.seconds) > 0) look(location.search.slice(1), false); });
  if (root.dataset.query) history.replaceState(null, "", address(root.dataset.query));
  plan();
}

if (root) listen();
