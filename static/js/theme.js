/* Runs before the first paint, so that a remembered theme does not flash. */
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  let theme = null;
  try { theme = localStorage.getItem("northstar-theme"); } catch { /* storage may be forbidden */ }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
})();
