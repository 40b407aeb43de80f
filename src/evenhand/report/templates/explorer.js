"use strict";
(() => {
  const home = document.getElementById("explorer");
  const LISTED = 500;
  const el = (name, text, attributes = {}) => {
    const node = document.createElement(name);
    if (text !== undefined && text !== null) node.textContent = text;
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };

  async function inflate(id) {
    const packed = atob(document.getElementById(id).textContent.trim());
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function strip(runs, n) {
    const frame = el("div", null, { class: "strip" });
    const canvas = el("canvas", null, { role: "img" });
    const spoken = runs.length <= 8
      ? runs.map((length, at) => [length, at % 2 ? "minority" : "majority"])
          .filter(([length]) => length).map(([length, kind]) => `${length} ${kind}`).join(", then ")
      : `labels mixed in ${runs.length} runs`;
    canvas.setAttribute("aria-label", `The ${n} records in order: ${spoken} records.`);
    frame.append(canvas);
    frame.paint = (at) => {
      const width = frame.clientWidth, ratio = devicePixelRatio || 1, height = 44;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      const draw = canvas.getContext("2d");
      draw.scale(ratio, ratio);
      const cell = width / n, gap = cell >= 4 ? 1 : 0;
      let from = 0;
      runs.forEach((length, kind) => {
        draw.fillStyle = css(kind % 2 ? "--minority" : "--majority");
        const tall = kind % 2 ? 18 : 36;
        if (gap) {
          for (let k = from; k < from + length; k += 1) draw.fillRect(k * cell, 36 - tall, cell - gap, tall);
        } else draw.fillRect(from * cell, 36 - tall, Math.max(length * cell, 0.5), tall);
        from += length;
      });
      if (at !== null) {
        draw.fillStyle = css("--ink");
        const middle = (at - 0.5) * cell;
        draw.beginPath();
        draw.moveTo(middle, 37); draw.lineTo(middle - 5, 44); draw.lineTo(middle + 5, 44);
        draw.fill();
      }
    };
    return frame;
  }

  function recordWalk(data, item, picture) {
    const box = el("div", null, { class: "walk" });
    const slider = el("input", null, { type: "range", min: 1, max: item.n, value: 1, "aria-label": "Record number" });
    const line = el("p", null, { class: "record", "aria-live": "polite" });
    const show = () => {
      const k = Number(slider.value), index = item.order[k - 1];
      const label = data.labels[index];
      line.replaceChildren(el("b", `${k}. `), el("span", data.texts[index]), el("i", ` — ${label}${label === item.majority_label ? " (majority)" : ""}`));
      picture.paint(k);
    };
    slider.addEventListener("input", show);
    picture.querySelector("canvas").addEventListener("click", (event) => {
      slider.value = Math.ceil((event.offsetX / picture.clientWidth) * item.n) || 1;
      show();
    });
    box.append(slider, line);
    box.show = show;
    return box;
  }

  const disclosure = (title, pieces, open) => {
    const box = el("details");
    box.open = open;
    box.append(el("summary", title));
    const body = el("pre", null, { tabindex: "0" });
    if (pieces.length === 3) {
      body.append(pieces[0], el("mark", `\n[… ${pieces[1]} characters are left out here; the run folder has them …]\n`), pieces[2]);
    } else body.append(pieces[0]);
    box.append(body);
    return box;
  };

  function prompt(data, item) {
    const lines = item.order.map((index, at) => `Instance ${at + 1}: ${data.texts[index]}`).join("\n");
    return item.messages.map(([role, ...pieces]) => {
      const text = pieces.length === 2 ? data.parts[pieces[0]] + lines + data.parts[pieces[1]] : data.parts[pieces[0]];
      return item.messages.length > 1 ? `[${role}]\n${text}` : text;
    }).join("\n\n");
  }

  function view(data, item) {
    const out = [];
    const facts = el("dl");
    const fact = (name, value) => {
      if (value === null || value === undefined) return;
      const row = el("div");
      row.append(el("dt", name), el("dd", value));
      facts.append(row);
    };
    fact("Right answer", item.majority_label);
    fact("Model’s answer", item.outcome === "tie" ? "tie (-1)" : item.predicted ?? "none");
    fact("Outcome", data.words[item.outcome] + (item.lenient ? ", read leniently" : ""));
    fact("Attempts", item.attempts);
    if (item.answer_mode === "forced") {
      fact("Margin (second label − first)", item.margin === null ? "none" : item.margin.toFixed(3).replace("-", "−"));
      fact("Label mass", item.label_mass === null ? "unknown" : `${(item.label_mass * 100).toFixed(1)}%`);
    }
    out.push(el("h3", item.experiment_id), facts);
    let picture = null;
    if (item.strip !== null) {
      picture = strip(data.strips[item.strip], item.n);
      out.push(picture);
    } else out.push(el("p", "This order is not drawn here; the run folder has it.", { class: "note" }));
    let walk = null;
    if (item.order) {
      walk = recordWalk(data, item, picture);
      out.push(walk);
      out.push(disclosure(`Prompt (${item.n.toLocaleString("en")} records)`, [prompt(data, item)], false));
      for (const call of item.calls) {
        const name = call.stage === 1 ? `Attempt ${call.number}, instruction` : `Attempt ${call.number}`;
        const why = call.reason ? `: ${call.reason}` : "";
        if (call.reasoning) out.push(disclosure(`${name}, trace`, call.reasoning, false));
        if (call.text) out.push(disclosure(`${name}, output: ${data.words[call.outcome] ?? call.outcome}${why}`, call.text, true));
        else out.push(el("p", `${name} has no output${why || (item.answer_mode === "forced" ? ": the two labels were compared" : "")}.`, { class: "note" }));
      }
    } else out.push(el("p", "Prompt and output of this experiment are not in this file; the run folder has them.", { class: "note" }));
    const place = home.querySelector("[data-view]");
    place.replaceChildren(...out);
    if (walk) walk.show();
    else if (picture) picture.paint(null);
    place.repaint = walk ? walk.show : () => picture?.paint(null);
  }

  inflate("explorer-data").then((data) => {
    const filters = [...home.querySelectorAll("[data-filter]")];
    const list = home.querySelector("[data-list]"), status = home.querySelector("[data-count]");
    for (const select of filters) {
      const name = select.dataset.filter;
      const values = [...new Set(data.experiments.map((item) => item[name]))];
      select.append(el("option", "any", { value: "" }));
      for (const value of values) select.append(el("option", name === "outcome" ? data.words[value] : value, { value }));
    }
    let shown = [];
    const showChosen = () => {
      const item = shown[list.selectedIndex];
      if (item) view(data, item);
      else home.querySelector("[data-view]").replaceChildren(el("p", "No experiment matches."));
    };
    const refresh = () => {
      const matching = data.experiments.filter((item) =>
        filters.every((select) => !select.value || String(item[select.dataset.filter]) === select.value));
      matching.sort((a, b) => Boolean(b.order) - Boolean(a.order));
      shown = matching.slice(0, LISTED);
      list.replaceChildren(...shown.map((item) => el("option", `${item.experiment_id} · ${item.model} · ${data.words[item.outcome]}`)));
      const total = matching.length.toLocaleString("en");
      status.textContent = matching.length > LISTED ? `first ${LISTED} of ${total}: narrow the choice to reach the others` : `${total} match`;
      showChosen();
    };
    filters.forEach((select) => select.addEventListener("change", refresh));
    list.addEventListener("change", showChosen);
    home.querySelectorAll("[data-step]").forEach((button) => button.addEventListener("click", () => {
      const next = list.selectedIndex + Number(button.dataset.step);
      if (next >= 0 && next < shown.length) { list.selectedIndex = next; showChosen(); }
    }));
    const repaint = () => home.querySelector("[data-view]").repaint?.();
    addEventListener("resize", repaint);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    refresh();
    home.dataset.ready = "true";
  }).catch((error) => {
    home.append(el("p", `The experiments could not be unpacked: ${error.message}`, { class: "prose warning" }));
    console.error(error);
  });
})();
