"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (tag, text, parent, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    if (parent) parent.append(element);
    return element;
  };

  // ---- words and tables

  document.title = `${report.name} - Penstock bench`;
  $("name").textContent = report.name;
  $("question").textContent = report.question;
  $("summary").textContent = report.summary;
  $("rough").hidden = !report.rough;
  $("command").textContent = report.command;
  for (const [name, value] of Object.entries(report.circumstances)) {
    make("dt", name, $("circumstances"));
    make("dd", value, $("circumstances"));
  }
  if (report.about) {
    $("about").hidden = false;
    $("about").querySelector("p").textContent = report.about;
  }
  if (report.notCounted.length) {
    $("not-counted").hidden = false;
    for (const why of report.notCounted) make("li", why, $("not-counted").querySelector("ul"));
  }
  for (const table of report.tables) {
    make("h2", table.title, $("tables"));
    const element = make("table", undefined, make("div", undefined, $("tables"), "scroll"));
    table.rows.forEach((row, i) => {
      const line = make("tr", undefined, element);
      row.forEach((cell) => make(i ? "td" : "th", cell, line, cell === "better" || cell === "worse" ? cell : ""));
    });
  }

  // ---- plots

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colours = () =>
    dark.matches
      ? ["#6db3f2", "#ffb454", "#5ecb8a", "#ff8f85", "#c4a1ff", "#5fd3d3", "#e6d36b", "#f29ac4"]
      : ["#0b63a5", "#c77700", "#147a3d", "#b3261e", "#6b3fa0", "#0b7a7a", "#7a6a00", "#a8326d"];
  const ink = () => getComputedStyle(document.documentElement).getPropertyValue("--soft").trim();
  const lines = () => getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
  const short = (value) =>
    value == null ? "" : Math.abs(value) >= 10000 ? `${Math.round(value / 1000).toLocaleString("en")}k` : Number(value.toPrecision(3)).toLocaleString("en");
  let plots = [];

  /** Brings lists of [x, y] of several series onto one axis, as the library wants them. */
  const joined = (all) => uPlot.join(all.map((points) => [points.map((p) => p[0]), points.map((p) => p[1])]), all.map((points) => points.map(() => 2)));

  const plot = (parent, title, names, all, height, options = {}) => {
    if (!all.some((points) => points.length)) return;
    const box = make("div", undefined, parent, "plot");
    if (title) make("h3", title, box);
    const axis = () => ({ stroke: ink(), grid: { stroke: lines(), width: 1 }, ticks: { stroke: lines(), width: 1 } });
    plots.push(
      new uPlot(
        {
          width: Math.max(260, box.clientWidth),
          height,
          scales: { x: { time: false, ...(options.until ? { range: [0, options.until] } : {}) }, y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.05 : 1] } },
          axes: [
            { ...axis(), values: options.xValues, splits: options.xSplits },
            { ...axis(), size: 56, values: (_, ticks) => ticks.map(short) },
          ],
          legend: { show: options.legend !== false },
          cursor: { sync: options.sync ? { key: options.sync } : undefined, drag: { x: true, y: false } },
          series: [
            { label: options.xLabel || "s", value: options.xValue },
            ...names.map((name, i) => ({ label: name, stroke: colours()[i % 8], width: 1.5, dash: i >= 8 ? [5, 4] : undefined, points: { show: all[i].length < 3 }, value: (_, v) => short(v) })),
          ],
        },
        joined(all),
        box,
      ),
    );
  };

  const cells = report.cells.filter((cell) => cell.rounds.length);
  const rounds = [...new Set(cells.flatMap((cell) => cell.rounds.map((round) => round.round)))].sort((a, b) => a - b);
  rounds.forEach((round) => $("round").append(new Option(`round ${round}`, round)));
  cells.forEach((cell, i) => $("cell").append(new Option(cell.name, i)));
  const of = (cell) => cell.rounds.find((round) => round.round === Number($("round").value)) || cell.rounds[0];

  const draw = () => {
    plots.forEach((each) => each.destroy());
    plots = [];
    ["rates", "latency", "strips"].forEach((id) => $(id).replaceChildren());
    if (!cells.length) return;
    const names = cells.map((cell) => cell.name);
    plot($("rates"), "documents/s", names, cells.map((cell) => of(cell).series["documents/s"] || []), 300);
    // The rare ones are what matters: an axis on which each nine has as much room as the one before.
    const nines = ([percent, ms]) => [-Math.log10(1 - Math.min(percent, 99.995) / 100), ms];
    const percent = (x) => `${Number((100 * (1 - 10 ** -x)).toFixed(3))}%`;
    plot($("latency"), "", names, cells.map((cell) => of(cell).quantiles.map(nines)), 280, {
      xLabel: "no slower",
      xValue: (_, x) => (x == null ? "" : percent(x)),
      xValues: (_, ticks) => ticks.map(percent),
      xSplits: () => [0, 50, 90, 99, 99.9, 99.99].map((p) => nines([p])[0]),
    });
    const one = cells[Number($("cell").value)] || cells[0];
    const series = of(one).series;
    const until = Math.max(1, ...Object.values(series).flatMap((points) => points.map((p) => p[0])));
    for (const [name, points] of Object.entries(series)) {
      plot($("strips"), name, [name], [points], 110, { sync: "strips", legend: false, until });
    }
  };

  $("round").addEventListener("change", draw);
  $("cell").addEventListener("change", draw);
  dark.addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) {
      width = innerWidth;
      draw();
    }
  });
  draw();
  document.documentElement.dataset.plots = plots.length;
})();
