"use strict";
(() => {
  const home = document.getElementById("traces");
  const el = (name, text, attributes = {}) => {
    const node = document.createElement(name);
    if (text !== undefined && text !== null) node.textContent = text;
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  async function inflate(id) {
    const packed = atob(document.getElementById(id).textContent.trim());
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  const size = (stretches) => stretches.reduce((sum, [first, last]) => sum + last - first + 1, 0);

  function majorityAt(item) {
    const is = new Uint8Array(item.n + 1);
    let at = 1;
    item.runs.forEach((length, kind) => {
      if (kind % 2 === 0) is.fill(1, at, at + length);
      at += length;
    });
    return is;
  }

  function strip(item) {
    const frame = el("div", null, { class: "strip" });
    const canvas = el("canvas", null, { role: "img" });
    canvas.setAttribute("aria-label",
      `The ${item.n} records in order; the trace names ${size(item.named)} of them and mentions ${size(item.mentioned)} numbers that may be records.`);
    canvas.style.height = "74px";
    frame.append(canvas);
    frame.paint = () => {
      const width = frame.clientWidth, ratio = devicePixelRatio || 1, height = 74;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      const draw = canvas.getContext("2d");
      draw.scale(ratio, ratio);
      const cell = width / item.n;
      let from = 0;
      item.runs.forEach((length, kind) => {
        draw.fillStyle = css(kind % 2 ? "--minority" : "--majority");
        const tall = kind % 2 ? 18 : 36;
        draw.fillRect(from * cell, 36 - tall, Math.max(length * cell, 0.5), tall);
        from += length;
      });
      const bars = (stretches, top, tall, colour) => {
        draw.fillStyle = css(colour);
        for (const [first, last] of stretches) {
          draw.fillRect((first - 1) * cell, top, Math.max((last - first + 1) * cell, 1), tall);
        }
      };
      bars(item.mentioned, 40, 9, "--muted");
      bars(item.named, 40, 22, "--ink");
      bars(item.ranges, 66, 4, "--effect");
    };
    return frame;
  }

  function marked(item) {
    const letters = Array.from(item.text), is = majorityAt(item);
    const body = el("pre", null, { tabindex: "0" });
    const slice = (from, to) => letters.slice(from, to).join("");
    let at = 0;
    for (const [start, end, first, last] of item.marks) {
      if (start < at) continue;
      body.append(slice(at, start));
      const kind = item.runs.length ? (is[first] ? "majority" : "minority") : "label unknown";
      const words = first === last ? `record ${first}: ${kind}` : `records ${first} to ${last}`;
      const mark = el("mark", slice(start, end), { title: words });
      mark.style.cssText = `color:inherit;font-style:normal;font-weight:600;border-bottom:3px ${first === last ? "solid" : "dotted"} ${
        first !== last || !item.runs.length ? "var(--muted)" : is[first] ? "var(--majority)" : "var(--minority)"}`;
      body.append(mark);
      at = end;
    }
    body.append(slice(at, letters.length));
    return body;
  }

  function view(item) {
    const facts = el("dl");
    const fact = (name, value) => {
      const row = el("div");
      row.append(el("dt", name), el("dd", value));
      facts.append(row);
    };
    const share = (count) => `${count.toLocaleString("en")} (${(100 * count / item.n).toFixed(1)}%)`;
    fact("Outcome", item.outcome);
    fact("The reading ends", item.class);
    fact("Mentioned (any number)", share(size(item.mentioned)));
    fact("Named", share(size(item.named)));
    fact("Nearly all named up to", item.stopped.toLocaleString("en"));
    fact("Majority label", item.majority);
    const picture = strip(item);
    const place = home.querySelector("[data-trace]");
    place.replaceChildren(el("h4", item.id), facts, picture, marked(item));
    place.repaint = picture.paint;
    picture.paint();
  }

  inflate("traces-data").then((items) => {
    const list = home.querySelector("[data-traces]");
    list.append(...items.map((item) => el("option", `${item.id} · ${item.model} · ${item.class}`)));
    list.addEventListener("change", () => view(items[list.selectedIndex]));
    const repaint = () => home.querySelector("[data-trace]").repaint?.();
    addEventListener("resize", repaint);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    view(items[0]);
    home.dataset.ready = "true";
  }).catch((error) => {
    home.append(el("p", `The traces could not be unpacked: ${error.message}`, { class: "prose warning" }));
    console.error(error);
  });
})();
