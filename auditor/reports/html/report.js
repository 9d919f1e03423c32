
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

  // Captions to browse. Their filters are the part of the address after `#browse?`. Whatever data contain is set as text.
  const make = (name, traits = {}, ...parts) => {
    const element = Object.assign(document.createElement(name), traits);
    element.append(...parts);
    return element;
  };
  const named = (raw) => { try { return raw ? location.hash.slice(1) : decodeURIComponent(location.hash.slice(1)); } catch { return ""; } };
  const browser = document.getElementById("browser");
  const held = browser && JSON.parse(document.getElementById("captions").textContent);
  const perPage = 25;
  const whole = (number) => number.toLocaleString("en");
  let browse = () => {};
  if (held) {
    const { datasets, kinds, metrics, listed, images } = held;
    const rows = images.flatMap(([dataset, image, split, captions]) => captions.map(([slot, text, drawn, found, scores]) =>
      ({ dataset, image, split: split ?? "", slot, text, drawn, found, scores, words: text.split(/\s+/).filter(Boolean).length })));
    const place = (name) => kinds.findIndex(([kind]) => kind === name);
    // Words of a caption, with punctuation within a word as a space or left out: tokenizers differ.
    const tokens = (text, between) => ` ${text.toLowerCase().split(/\s+/).map((part) => part.replace(/[^\p{L}\p{N}]+/gu, between).trim()).join(" ")} `;
    const holds = {
      dataset: (row, value) => datasets[row.dataset] === value,
      split: (row, value) => row.split === value,
      image: (row, value) => row.image === value,
      least: (row, value) => row.words >= Number(value),
      most: (row, value) => row.words <= Number(value),
      text: (row, value) => value.toLowerCase().split(/\s+/).every((word) => row.text.toLowerCase().includes(word)),
      word: (row, value) => [" ", ""].some((between) => tokens(row.text, between).includes(` ${value.toLowerCase()} `)),
      kind: (row, value) => value === "all" || (value === "any" ? row.found.length > 0 : row.found.some(([kind]) => kind === place(value))),
    };
    const options = (pairs) => pairs.map(([value, text]) => new Option(text, value));
    const controls = {
      dataset: make("select", {}, ...options([["", "all"], ...datasets.map((name) => [name, name])])),
      split: make("select", {}, ...options([["", "all"], ...[...new Set(rows.map((row) => row.split))].filter(Boolean).sort().map((name) => [name, name])])),
      kind: make("select", {}, ...options([["", "random sample"], ["all", "all on this page"], ["any", "any finding"], ...kinds])),
      least: make("input", { type: "number", min: 0, size: 4 }),
      most: make("input", { type: "number", min: 0, size: 4 }),
      text: make("input", { type: "search", autocomplete: "off" }),
    };
    const names = { least: "words from", most: "to", text: "text", kind: "show" };
    const bar = make("div", { className: "filter" }, ...Object.entries(controls).map(([name, control]) => make("label", {}, `${names[name] ?? name} `, control)));
    const status = make("p", { className: "notes" });
    status.setAttribute("role", "status");
    const list = make("div");
    const more = make("div", { className: "filter" });
    browser.replaceChildren(bar, status, list, more);
    const address = (filters) => `#browse?${new URLSearchParams(Object.entries(filters).filter(([, value]) => value))}`;
    const marked = ({ text, found }, kind) => {
      const [, , start, length] = found.find(([number]) => number === kind) ?? found.find((one) => one.length > 2) ?? [];
      if (start === undefined) return [text];
      return [text.slice(0, start), make("mark", {}, text.slice(start, start + length)), text.slice(start + length)];
    };
    const drawRow = (row, filters) => {
      const label = row.slot === null ? row.image : `${row.image}#${row.slot}`;
      const where = make("th", { scope: "row", dir: "auto" }, make("a", { href: address({ dataset: datasets[row.dataset], image: row.image, kind: "all" }) }, label));
      const text = make("td", { className: "long", dir: "auto" }, ...marked(row, place(filters.kind)));
      for (const [kind, why] of row.found) text.append(make("p", { className: "why" }, `${kinds[kind][1]}: ${why}`));
      const scores = metrics.map((_, number) => make("td", { className: "number" }, row.scores.length && row.scores[number] !== null ? row.scores[number].toFixed(3) : ""));
      return make("tr", {}, where, make("td", {}, datasets[row.dataset]), make("td", {}, row.split), text, ...scores);
    };
    const many = (shown, filters) => {
      const { kind = "", dataset, image, ...others } = filters;
      const counted = listed.filter((of, number) => (image || kind in of) && (!dataset || datasets[number] === dataset));
      const unfiltered = Object.keys(others).every((name) => name === "page");
      if (others.word) return [`${whole(shown)} captions with “${others.word}” on this page`];
      if (image) return [`Captions of ${image} on this page: ${whole(shown)}. All captions of the dataset: `, ...counted.map((of) => make("code", {}, of[""][1]))];
      if (!unfiltered || !counted.length) return [`${whole(shown)} of the captions on this page`];
      const all = counted.reduce((sum, of) => sum + of[kind][0], 0);
      const parts = [`${whole(shown)} of ${whole(all)}`];
      if (shown < all) parts.push(". All: ", ...counted.flatMap((of) => [make("code", {}, of[kind][1]), " "]));
      return parts;
    };
    browse = () => {
      const filters = Object.fromEntries([...new URLSearchParams(named(true).split("?")[1] ?? "")].filter(([, value]) => value));
      for (const [name, control] of Object.entries(controls)) if (control !== document.activeElement || control.tagName === "SELECT") control.value = filters[name] ?? "";
      const chosen = Object.entries(filters).filter(([name]) => name in holds);
      const kept = rows.filter((row) => (filters.kind || row.drawn) && chosen.every(([name, value]) => holds[name](row, value)));
      const last = Math.max(Math.ceil(kept.length / perPage), 1);
      const page = Math.min(Math.max(Number(filters.page) || 1, 1), last);
      status.replaceChildren(...many(kept.length, filters));
      const heads = ["caption of", "dataset", "split", "caption", ...metrics];
      const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head, number) => make("th", { scope: "col", className: number > 3 ? "number" : "" }, head)))),
        make("tbody", {}, ...kept.slice((page - 1) * perPage, page * perPage).map((row) => drawRow(row, filters))));
      const picture = filters.image && kept.length && all(`#images [data-of="${kept[0].dataset}"] img`).find((one) => one.dataset.image === filters.image);
      const scroll = make("div", { className: "scroll", tabIndex: 0 }, table);
      scroll.setAttribute("role", "group");
      scroll.setAttribute("aria-label", "Captions");
      list.replaceChildren(...(picture ? [picture.cloneNode()] : []), scroll);
      list.dataset.rows = kept.length;
      const step = (to, text) => make("a", { href: address({ ...filters, page: to }) }, text);
      more.replaceChildren(...(page > 1 ? [step(page - 1, "previous")] : []), `page ${page} of ${last}`, ...(page < last ? [step(page + 1, "next")] : []));
      if (filters.image) more.append(make("a", { href: address({ dataset: filters.dataset }) }, "all images"));
    };
    bar.addEventListener("input", () => {
      const filters = Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, control.value.trim()]));
      history.replaceState(null, "", address(filters));
      browse();
    });
  }

  // One tab is shown at a time: that of the link's target. A link into collapsed text opens it. Paper has all tabs.
  const panels = all(".panel");
  const tabs = all(".tabs a");
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
    if (target && target.id === "browse") browse();
    if (target && target !== panel && target.id !== "browse") target.scrollIntoView();
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
  browse();
  show();
  const folds = all("details.fold");
  addEventListener("beforeprint", () => folds.forEach((fold) => { fold.dataset.was = fold.open; fold.open = true; }));
  addEventListener("afterprint", () => folds.forEach((fold) => { fold.open = fold.dataset.was === "true"; }));

  // A click on a number shows the commands and the SELECTs behind it: those of its section, or of the one that it names.
  const origin = make("div", { id: "origin", hidden: true });
  origin.setAttribute("role", "status");
  document.body.append(origin);
  const numbers = "td.number, .mark, .strip dd, .plot .value";
  const source = (number) => {
    const named = number.closest("[data-of]");
    const section = named ? document.getElementById(named.dataset.of) : number.closest("section[id]");
    return section && !number.querySelector("a") && !number.closest("a") && section.querySelector(".command") ? section : null;
  };
  for (const number of all(numbers)) number.classList.toggle("known", source(number) !== null);
  document.addEventListener("click", ({ target }) => {
    const number = target.closest && target.closest(".known");
    if (target.closest && target.closest("#origin") && !target.closest("a, button")) return;
    origin.hidden = !number;
    if (!number) return;
    const section = source(number);
    const links = all(".notes a[href^='#sql-']", section).map((link) => make("li", {}, link.cloneNode(true)));
    const title = make("b", {}, section.querySelector("h2").textContent);
    origin.replaceChildren(make("button", { type: "button" }, "Close"), make("p", {}, title, ": commands that compute these numbers"),
      section.querySelector(".command").cloneNode(true), make("details", {}, make("summary", {}, `${links.length} SELECTs behind them`), make("ul", {}, ...links)));
  });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") origin.hidden = true; });

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
