(() => {
  const root = document.documentElement, all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const stored = (value) => { try { if (value) localStorage.setItem("trialbalance-theme", value); return localStorage.getItem("trialbalance-theme"); } catch { return null; } };
  const theme = stored(); if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  all("[data-theme-toggle]").forEach((button) => button.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark"; stored(root.dataset.theme);
  }));
  all("[data-open]").forEach((button) => button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    all("details", document.querySelector(button.dataset.open)).forEach((one) => { one.open = open; });
    button.setAttribute("aria-expanded", String(open)); button.textContent = open ? "Collapse all" : "Expand all";
  }));
  all("[data-filter]").forEach((input) => {
    const target = input.dataset.filter, list = document.querySelector(target), pick = (name) => document.querySelector(`[data-${name}="${target}"]`);
    const rows = all(".entry", list).map((row) => [row, row.textContent.toLowerCase()]);
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean), kind = pick("kind").value, bad = pick("bad").checked;
      let shown = 0;
      rows.forEach(([row, text]) => {
        const fits = words.every((word) => text.includes(word)) && (!kind || row.dataset.kind === kind) && (!bad || row.dataset.tone === "bad");
        row.hidden = !fits; shown += fits;
      });
      pick("count").textContent = `${shown} shown`;
    };
    input.addEventListener("input", apply); pick("kind").addEventListener("change", apply); pick("bad").addEventListener("change", apply);
  });
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) { for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal); reveal();
  const tabs = all(".tabs a"), sections = tabs.map((tab) => document.querySelector(tab.getAttribute("href")));
  if (tabs.length) {
    const mark = () => {
      let at = 0; sections.forEach((section, index) => { if (section && section.getBoundingClientRect().top < 140) at = index; });
      tabs.forEach((tab, index) => index === at ? tab.setAttribute("aria-current", "true") : tab.removeAttribute("aria-current"));
    };
    addEventListener("scroll", mark, { passive: true }); mark();
  }
})();
