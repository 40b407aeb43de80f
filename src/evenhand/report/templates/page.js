"use strict";
(() => {
  const specs = JSON.parse(document.getElementById("charts").textContent);
  const root = document.documentElement;

  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  // A model's way of answering goes on a line of its own: names have to fit a phone.
  const broken = "indexof(datum.label, ' (') > 0 ? split(replace(datum.label, ' (', '\\n('), '\\n') : datum.label";

  function config() {
    const [ink, muted, rule, paper, font] = ["--ink", "--muted", "--rule", "--paper", "--sans"].map(css);
    const text = { labelColor: ink, titleColor: muted, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" };
    return {
      font, background: "transparent", view: { stroke: null },
      axis: { ...text, gridColor: rule, domain: false, ticks: false, labelPadding: 6, labelExpr: broken },
      legend: { ...text, symbolSize: 90, labelLimit: 260 },
      header: { ...text, labelColor: ink, labelFontWeight: "bold", labelAnchor: "start", title: null, labelExpr: broken },
      title: { color: ink, anchor: "start" },
      text: { color: ink },
      rule: { color: muted },
      tick: { color: muted },
      style: { ink: { fill: ink, stroke: ink }, paper: { fill: paper, stroke: paper }, muted: { fill: muted, stroke: muted } },
    };
  }

  function stackLegends(node) {
    if (node === null || typeof node !== "object") return;
    if (node.legend && node.legend.orient === "top" && !node.legend.gradientLength) node.legend.columns = 1;
    Object.entries(node).forEach(([key, child]) => { if (key !== "data" && key !== "datasets") stackLegends(child); });
  }

  // A facet cannot follow its container's width by itself: choose how many panels fit in a row.
  function fitted(spec, panel, width) {
    const copy = structuredClone(spec);
    delete copy.config;
    if (width < 480) stackLegends(copy);
    if (copy.facet === undefined) {
      copy.width = width;
      copy.autosize = { type: "fit-x", contains: "padding" };
      return copy;
    }
    const { most = 3, gutter = 18, left = 10, each = 0 } = copy.usermeta ?? {};
    const room = width - left - 14 + gutter;
    const columns = Math.max(1, Math.min(most, Math.floor(room / (panel + each + gutter))));
    const inner = Math.floor(room / columns - gutter - each);
    copy.columns = columns;
    copy.spacing = { ...(typeof copy.spacing === "object" ? copy.spacing : {}), column: gutter, row: 22 };
    copy.spec.width = Math.min(inner, 420);
    for (const channel of ["facet", "row", "column"]) {
      const header = copy.facet[channel] ?? (channel === "facet" && copy.facet.field ? copy.facet : null);
      if (header) header.header = { ...header.header, labelLimit: copy.spec.width + 10 };
    }
    return copy;
  }

  async function draw(box) {
    const width = box.clientWidth;
    box.dataset.width = width;
    try {
      const spec = fitted(specs[box.id], Number(box.dataset.panelWidth), width);
      const result = await vegaEmbed(box, spec, {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, config: config(),
        tooltip: { theme: "custom" },
      });
      box.dataset.drawn = String(box.querySelectorAll("svg path, svg image, svg text").length);
      result.view.runAfter(() => undefined);
    } catch (error) {
      const line = document.createElement("p");
      line.className = "failed";
      line.textContent = `This chart could not be drawn: ${error.message}`;
      box.replaceChildren(line);
      console.error(error);
    }
  }

  const boxes = [...document.querySelectorAll(".chart")];
  async function drawAll(force) {
    for (const box of boxes) {
      if (force || Math.abs(Number(box.dataset.width ?? -1) - box.clientWidth) > 1) await draw(box);
    }
    root.dataset.ready = "true";
  }

  function makeSortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const keyed = [...table.tBodies[0].rows].map((row) => [row, row.cells[column].dataset.value]);
        const compare = (a, b) => {
          if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
          const order = a !== "" && b !== "" && !isNaN(a) && !isNaN(b) ? a - b : a.localeCompare(b);
          return up ? order : -order;
        };
        keyed.sort((a, b) => compare(a[1], b[1]));
        table.tBodies[0].append(...keyed.map(([row]) => row));
      });
    });
  }
  document.querySelectorAll("table.sortable").forEach(makeSortable);

  // Where a table or a chart is wider than its place, its title says so.
  const watcher = new ResizeObserver((entries) => entries.forEach(({ target }) => {
    target.parentElement.classList.toggle("wider", target.scrollWidth > target.clientWidth + 1);
  }));
  document.querySelectorAll(".scroll, .chart").forEach((box) => watcher.observe(box));

  // One drawing at a time. Watching the boxes rather than the window also sees a scroll bar appear.
  let timer, drawing = Promise.resolve();
  const redraw = (force) => { drawing = drawing.then(() => drawAll(force)); };
  const widths = new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(() => redraw(false), 150); });
  boxes.forEach((box) => widths.observe(box));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(true));
  redraw(true);
})();
