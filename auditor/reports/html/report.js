
"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Light and dark: the system's choice until the reader makes another.
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light colors" : "Dark colors"; };
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  system.addEventListener("change", nameTheme);
  theme.hidden = false;
  nameTheme();

  // The label of a mark is shown next to the pointer. Titles would show it a second time.
  const says = document.getElementById("says");
  for (const mark of all(".mark")) {
    const title = mark.querySelector("title");
    mark.dataset.says = title.textContent;
    title.remove();
  }
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest && event.target.closest(".mark");
    says.hidden = !mark;
    if (!mark) return;
    if (says.textContent !== mark.dataset.says) says.textContent = mark.dataset.says;
    const box = says.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - box.width - 4);
    const top = event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18;
    says.style.transform = `translate(${Math.max(left, 4)}px, ${Math.max(top, 4)}px)`;
  });

  // A legend's button shows and hides its series.
  for (const button of all(".legend button")) {
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      const series = button.dataset.series;
      for (const part of all(`.plot [data-series="${series}"]`, button.closest("figure"))) part.classList.toggle("off", !shown);
    });
  }

  // A click on a column head sorts the table: numbers as numbers, empty cells last.
  const number = (text) => (/^[-+]?[\d,.]+(e[-+]?\d+)?$/i.test(text) ? Number(text.replaceAll(",", "")) : NaN);
  const key = (row, column) => row.cells[column].textContent.trim();
  const compare = (a, b) => (Number.isNaN(number(a)) || Number.isNaN(number(b)) ? a.localeCompare(b, "en", { numeric: true }) : number(a) - number(b));
  const sort = (table, column, down) => {
    const rows = all("tbody tr", table).map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => (a === "" || b === "" ? (a === "") - (b === "") : down ? compare(b, a) : compare(a, b)));
    table.classList.add("sorted");
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const table of all("table:not(.findings)")) {
    if (table.tBodies[0].rows.length < 2) continue;
    all("thead th", table).forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, head.cellIndex, down);
      });
    });
  }

  // One tab is shown at a time: that of the link's target. A link into collapsed text opens it. Paper has all tabs.
  const panels = all(".panel");
  const tabs = all(".tabs a");
  const named = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; } };
  const show = () => {
    const target = document.getElementById(named().split("?")[0]);
    const panel = target ? target.closest(".panel") : panels[0];
    if (panel) panels.forEach((one, number) => {
      one.classList.toggle("off", one !== panel);
      tabs[number].setAttribute("aria-selected", String(one === panel));
      tabs[number].tabIndex = one === panel ? 0 : -1;
    });
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    const folded = target && target.querySelector(":scope > details.fold");
    if (folded) folded.open = true;
    if (target && target !== panel) target.scrollIntoView();
    else if (target) scrollTo(0, 0);
  };
  tabs.forEach((tab, number) => {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panels[number].id);
    panels[number].setAttribute("role", "tabpanel");
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -number, End: -1 - number }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const next = tabs[(number + step + tabs.length) % tabs.length];
      history.pushState(null, "", next.hash);
      show();
      next.focus();
    });
  });
  if (tabs.length) tabs[0].parentElement.setAttribute("role", "tablist");
  addEventListener("hashchange", show);
  show();
  const folds = all("details.fold");
  addEventListener("beforeprint", () => folds.forEach((fold) => { fold.dataset.was = fold.open; fold.open = true; }));
  addEventListener("afterprint", () => folds.forEach((fold) => { fold.open = fold.dataset.was === "true"; }));

  // A table with filter columns gets menus of their values, a search, and a count of the rows shown.
  for (const table of all("table[data-filters]")) {
    const rows = [...table.tBodies[0].rows];
    const bar = document.createElement("div");
    bar.className = "filter";
    const count = document.createElement("output");
    const labeled = (text, control) => {
      const label = document.createElement("label");
      label.append(text + " ", control);
      bar.append(label);
      return control;
    };
    const chosen = table.dataset.filters.split(" ").map(Number).map((column) => {
      const values = [...new Set(rows.map((row) => row.cells[column].textContent.trim()))].sort();
      const select = document.createElement("select");
      select.append(new Option("all", ""), ...values.filter(Boolean).map((value) => new Option(value, value)));
      return [column, labeled(table.tHead.rows[0].cells[column].textContent.trim(), select)];
    });
    const text = labeled("search", Object.assign(document.createElement("input"), { type: "search", autocomplete: "off" }));
    const shown = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let number = 0;
      for (const row of rows) {
        const kept = chosen.every(([column, { value }]) => !value || row.cells[column].textContent.trim() === value)
          && words.every((word) => row.textContent.toLowerCase().includes(word));
        row.classList.toggle("off", !kept);
        number += kept;
      }
      count.textContent = `${number.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    };
    bar.addEventListener("input", shown);
    bar.append(count);
    table.closest(".scroll").before(bar);
    shown();
  }
})();
