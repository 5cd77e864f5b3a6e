/* What every page has: theme, keyboard, dialogs, copying, dismissing, the filter drawer. */

const root = document.documentElement;

function isDark() {
  if (root.dataset.theme) return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function switchTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  try { localStorage.setItem("northstar-theme", root.dataset.theme); } catch { /* forbidden: forget it */ }
  document.dispatchEvent(new CustomEvent("theme"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  document.dispatchEvent(new CustomEvent("theme"));
});

async function openCard(link) {
  const dialog = document.getElementById("card");
  const response = await fetch(`${link.href}?part=1`);
  if (!response.ok) { location.href = link.href; return; }
  document.getElementById("card-body").innerHTML = await response.text();
  if (!dialog.open) dialog.showModal();
}

async function copy(button) {
  const text = button.dataset.copyLink === undefined
    ? button.parentElement.querySelector("pre").textContent : button.href;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = button.dataset.before ?? button.textContent;
  button.dataset.before = before;
  button.textContent = document.body.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 1500);
}

function dismiss(button) {
  document.cookie = `${button.dataset.dismiss}=off; path=/; max-age=31536000; samesite=lax`;
  document.getElementById(button.dataset.target).remove();
  document.getElementById("main").focus();
}

function rail(open) {
  const panel = document.getElementById("rail");
  panel.toggleAttribute("data-open", open);
  document.querySelector("[data-rail=open]")?.setAttribute("aria-expanded", String(open));
  if (open) panel.querySelector("select, input, button")?.focus();
  else document.querySelector("[data-rail=open]")?.focus();
}

document.addEventListener("click", (event) => {
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
  const find = (selector) => event.target.closest(selector);
  if (find("#theme")) switchTheme();
  else if (find("[data-close]")) find("dialog").close();
  else if (find("[data-rail]")) rail(find("[data-rail]").dataset.rail === "open");
  else if (find("[data-dismiss]")) dismiss(find("[data-dismiss]"));
  else if (find("[data-copy], [data-copy-link]")) { event.preventDefault(); copy(find("[data-copy], [data-copy-link]")); }
  else if (plain && find("a[data-card]")) { event.preventDefault(); openCard(find("a[data-card]")); }
  else if (event.target.matches("dialog")) event.target.close();
  else if (document.querySelector(".rail[data-open]") && !find(".rail")) rail(false);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.querySelector(".rail[data-open]")) rail(false);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, [contenteditable], dialog")) return;
  if (event.key === "/") { event.preventDefault(); document.getElementById("search").focus(); }
  if (event.key === "?") document.getElementById("help").showModal();
  if (event.key === "t") switchTheme();
});

document.querySelector("[data-language]").addEventListener("submit", (event) => {
  event.currentTarget.elements.next.value = location.pathname + location.search;
});
