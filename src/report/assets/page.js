// Makes the charts of the page live: dygraphs draws and zooms; axes, legend and readout are made here, from
// text that never becomes markup. Without this script the page shows the same charts as still drawings.
"use strict";
(() => {
  // The library's own legend writes markup with inline styles, which the page forbids.
  Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

  const dashes = [null, [9, 5], [2, 5]];
  const dashOf = (i) => dashes[Math.floor(i / 4) % 3];
  const seriesClass = (i) => `series c${i % 8} d${Math.floor(i / 4) % 3}`;
  const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const format = (value) => {
    if (!Number.isFinite(value)) return "–";
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
    const size = Math.abs(value);
    return size >= 1e-4 && size < 1e6 ? String(Number(value.toPrecision(4)))
                                      : value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  };

  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const button = (label, title, action) => {
    const made = element("button", "", label);
    made.type = "button";
    made.setAttribute("aria-label", title);
    made.title = title;
    made.addEventListener("click", action);
    return made;
  };

  // Powers of ten, or where there are too few of them round multiples of such.
  const logTicks = (least, most, pixels) => {
    const wanted = Math.max(2, Math.floor(pixels / 36));
    const first = Math.floor(Math.log10(least)), last = Math.ceil(Math.log10(most));
    const places = [];
    const powers = last - first - 1;
    const multiples = powers >= 3 ? [1] : most / least > 10 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
    for (let power = first; power <= last; power += Math.max(1, Math.ceil(powers / wanted)))
      for (const multiple of multiples) places.push(multiple * 10 ** power);
    return places.filter((v) => v >= least && v <= most).map((v) => ({ v, label: format(v) }));
  };

  // The last point of a curve at or before x.
  const valueAt = (xs, ys, x) => {
    let low = 0, high = xs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] <= x) low = middle + 1; else high = middle;
    }
    return low > 0 ? ys[low - 1] : null;
  };

  class Chart {
    constructor(figure) {
      this.data = JSON.parse(figure.querySelector("script.chart-data").textContent);
      this.axis = 0;
      this.log = this.data.log;
      this.visible = this.data.series.map(() => true);
      this.plot = element("div", "plot");
      this.plot.tabIndex = 0;
      this.plot.setAttribute("role", "group");
      this.plot.setAttribute("aria-label", `${this.data.y}, a chart. Left and right read its values, plus and minus zoom, ` +
        "0 shows all.");
      this.xName = element("p", "axis-name x");
      this.yName = element("p", "axis-name", this.data.y);
      this.readout = element("p", "readout");
      this.readout.setAttribute("role", "status");
      const live = element("div", "live");
      live.append(this.makeControls(), this.yName, this.plot, this.xName, this.readout);
      if (this.data.series.length > 1) live.append(this.makeLegend());
      figure.querySelector(".static").before(live);
      figure.classList.add("is-live");
      this.draw();
      this.plot.addEventListener("keydown", (event) => this.key(event));
      this.plot.addEventListener("blur", () => this.clear());
    }

    makeControls() {
      const controls = element("div", "controls");
      if (this.data.x.length > 1) {
        const label = element("label", "", "over ");
        const select = element("select");
        this.data.x.forEach((name, i) => select.append(new Option(name, String(i))));
        select.addEventListener("change", () => {
          this.axis = Number(select.value);
          this.draw();
        });
        label.append(select);
        controls.append(label);
      }
      const label = element("label");
      const box = element("input");
      box.type = "checkbox";
      box.checked = this.log;
      box.addEventListener("change", () => {
        this.log = box.checked;
        this.draw();
      });
      label.append(box, " logarithmic");
      controls.append(label);
      const zoom = element("div", "zoom");
      zoom.append(button("+", "zoom in", () => this.zoom(0.5)), button("−", "zoom out", () => this.zoom(2)),
        button("←", "move left", () => this.pan(-0.25)), button("→", "move right", () => this.pan(0.25)),
        button("all", "show all", () => this.graph.resetZoom()));
      controls.append(zoom);
      return controls;
    }

    makeLegend() {
      const legend = element("div", "legend");
      legend.setAttribute("role", "group");
      legend.setAttribute("aria-label", "curves that are shown");
      this.data.series.forEach((series, i) => {
        const label = element("label");
        const box = element("input");
        box.type = "checkbox";
        box.checked = true;
        box.addEventListener("change", () => {
          this.visible[i] = box.checked;
          this.graph.setVisibility(i, box.checked);
        });
        const space = "http://www.w3.org/2000/svg";
        const swatch = document.createElementNS(space, "svg");
        swatch.setAttribute("class", "drawing");
        swatch.setAttribute("width", "28");
        swatch.setAttribute("height", "8");
        swatch.setAttribute("aria-hidden", "true");
        const stroke = document.createElementNS(space, "line");
        for (const [name, value] of [["x1", 2], ["y1", 4], ["x2", 26], ["y2", 4], ["class", seriesClass(i)]])
          stroke.setAttribute(name, value);
        swatch.append(stroke);
        label.append(box, swatch, element("span", "", series.name));
        legend.append(label);
      });
      return legend;
    }

    // One row for each x at which some curve has a point.
    rows() {
      const columns = this.data.series.length;
      const rows = new Map();
      this.data.series.forEach((series, i) => {
        series.x[this.axis].forEach((x, j) => {
          const y = series.y[j];
          if (x === null || y === null || (this.log && y <= 0)) return;
          if (!rows.has(x)) rows.set(x, [x, ...new Array(columns).fill(null)]);
          rows.get(x)[i + 1] = y;
        });
      });
      return [...rows.values()].sort((a, b) => a[0] - b[0]);
    }

    colors() {
      return this.data.series.map((_, i) => styleOf(`--c${i % 8}`));
    }

    draw() {
      if (this.graph) this.graph.destroy();
      this.table = this.rows();
      this.clear();
      this.xName.textContent = this.data.x[this.axis];
      const names = this.data.series.map((_, i) => `s${i}`);
      const series = {};
      names.forEach((name, i) => { series[name] = { strokePattern: dashOf(i) }; });
      const empty = this.table.length === 0;
      const interaction = { ...Dygraph.defaultInteractionModel };
      // A finger that moves over a chart scrolls the page; the buttons zoom.
      for (const touch of ["touchstart", "touchmove", "touchend"]) delete interaction[touch];
      this.graph = new Dygraph(this.plot, empty ? [[0, ...names.map(() => null)]] : this.table, {
        labels: ["x", ...names],
        series,
        colors: this.colors(),
        visibility: this.visible,
        logscale: this.log && !empty,
        connectSeparatedPoints: true,
        drawPoints: this.table.length <= 60,
        pointSize: 2,
        strokeWidth: 2,
        highlightCircleSize: 4,
        xRangePad: 6,
        yRangePad: 10,
        axisLabelFontSize: 12,
        axisLineColor: styleOf("--soft"),
        gridLineWidth: 0.8,
        gridLineColor: styleOf("--rule"),
        interactionModel: interaction,
        axes: {
          x: { axisLabelFormatter: format, pixelsPerLabel: 50, drawGrid: false, ticker: (...all) => this.wholeTicks(...all) },
          y: { axisLabelFormatter: format, axisLabelWidth: 66, pixelsPerLabel: 34, ticker: (...all) => this.ticks(...all) },
        },
        highlightCallback: (_event, x) => this.read(x),
        unhighlightCallback: () => this.clear(),
      });
    }

    // Half an epoch is nothing to mark.
    wholeTicks(...all) {
      const counted = this.data.series.every((series) => series.x[this.axis].every(Number.isInteger));
      return Dygraph.numericLinearTicks(...all).filter(({ v }) => !counted || Number.isInteger(v));
    }

    ticks(least, most, pixels, ...more) {
      const places = this.log && least > 0 ? logTicks(least, most, pixels) : [];
      return places.length > 3 ? places : Dygraph.numericLinearTicks(least, most, pixels, ...more);
    }

    read(x) {
      const parts = [];
      const where = element("span");
      where.append(`${this.data.x[this.axis]} `, element("b", "", format(x)));
      parts.push(where);
      this.data.series.forEach((series, i) => {
        if (!this.visible[i]) return;
        const value = valueAt(series.x[this.axis], series.y, x);
        if (value === null) return;
        const part = element("span");
        part.append(`${this.data.series.length > 1 ? series.name : this.data.y} `, element("b", "", format(value)));
        parts.push(part);
      });
      this.readout.replaceChildren(...parts.flatMap((part) => [part, " "]));
    }

    clear() {
      this.readout.textContent = "Point at the chart to read it; drag to zoom, double-click to see all.";
    }

    zoom(factor) {
      const [from, to] = this.graph.xAxisRange();
      const [least, most] = this.graph.xAxisExtremes();
      const middle = (from + to) / 2, half = (to - from) / 2 * factor;
      this.show(Math.max(least, middle - half), Math.min(most, middle + half));
    }

    pan(share) {
      const [from, to] = this.graph.xAxisRange();
      const [least, most] = this.graph.xAxisExtremes();
      const shift = Math.min(Math.max((to - from) * share, least - from), most - to);
      this.show(from + shift, to + shift);
    }

    show(from, to) {
      if (to > from) this.graph.updateOptions({ dateWindow: [from, to] });
    }

    key(event) {
      const keys = {
        ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), "+": () => this.zoom(0.5),
        "-": () => this.zoom(2), "0": () => this.graph.resetZoom(), Escape: () => this.clear(),
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    }

    step(by) {
      if (this.table.length === 0) return;
      const now = this.graph.getSelection();
      const next = now < 0 ? (by > 0 ? 0 : this.table.length - 1) : Math.min(Math.max(now + by, 0), this.table.length - 1);
      this.graph.setSelection(next);
      this.read(this.table[next][0]);
    }

    recolor() {
      this.graph.updateOptions({
        colors: this.colors(), axisLineColor: styleOf("--soft"), gridLineColor: styleOf("--rule"),
      });
    }
  }

  const charts = [...document.querySelectorAll("figure.chart")].map((figure) => new Chart(figure));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((chart) => chart.recolor()));
})();
