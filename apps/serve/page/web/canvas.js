// The drawing: points under the hand, mean and bands of the kernel in focus, means of the others.
// Our own code rather than a plotting library: a frame is a few hundred line segments, and dragging needs the pointer.

const Z50 = 0.6744897501960817, Z95 = 1.959963984540054;
const NEAR = 14;  // pixels

// Round numbers between two ends, about `count` of them.
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough);
  const list = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * span; ++k) list.push(+(k * step).toPrecision(12));
  return list;
}

export class Drawing {
  // onChange(points, kind) after every change of a point or of the region held out.
  constructor(canvas, {onChange, announce}) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.onChange = onChange;
    this.announce = announce;
    this.points = [];
    this.region = null;
    this.view = [0, 10, -3, 3];
    this.selected = -1;
    this.cursor = null;
    this.answer = null;
    this.focus = -1;
    this.extra = null;
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    this.width = Math.max(50, box.width - 2);
    this.height = Math.max(50, box.height - 2);
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.redraw();
  }

  toPixel([x, y]) {
    const [x0, x1, y0, y1] = this.view;
    return [44 + (x - x0) / (x1 - x0) * (this.width - 56), 8 + (y1 - y) / (y1 - y0) * (this.height - 36)];
  }
  toData(px, py) {
    const [x0, x1, y0, y1] = this.view;
    return [x0 + (px - 44) / (this.width - 56) * (x1 - x0), y1 - (py - 8) / (this.height - 36) * (y1 - y0)];
  }

  nearest(px, py) {
    let best = -1, distance = NEAR;
    this.points.forEach((point, k) => {
      const [x, y] = this.toPixel(point), d = Math.hypot(x - px, y - py);
      if (d < distance) [best, distance] = [k, d];
    });
    return best;
  }

  listen() {
    const at = event => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let drag = null;
    this.canvas.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      const [px, py] = at(event);
      const edge = this.region?.findIndex(x => Math.abs(this.toPixel([x, 0])[0] - px) < 8) ?? -1;
      const hit = this.nearest(px, py);
      if (hit >= 0) {
        drag = {point: hit};
      } else if (edge >= 0) {
        drag = {edge};
      } else {
        this.points.push(this.toData(px, py));
        drag = {point: this.points.length - 1};
        this.changed("add");
      }
      this.selected = drag.point ?? -1;
      this.canvas.setPointerCapture(event.pointerId);
      this.redraw();
    });
    const move = event => {
      if (!drag) return;
      const [x, y] = this.toData(...at(event));
      if (drag.at?.[0] === x && drag.at[1] === y) return;
      drag.at = [x, y];
      if (drag.point !== undefined) {
        this.points[drag.point] = [x, y];
        this.changed("move");
      } else {
        this.region[drag.edge] = x;
        this.region.sort((a, b) => a - b);
        this.changed("region");
      }
      // The answer draws the point with its bands: a frame before that would take the time the answer needs.
      this.late ??= setTimeout(() => this.redraw(), 30);
    };
    // Moves as they happen, where the browser has them: pointermove waits for the next frame, eight milliseconds on average.
    this.canvas.addEventListener("pointerrawupdate", move);
    this.canvas.addEventListener("pointermove", move);
    const end = () => { drag = null; };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("dblclick", event => {
      const hit = this.nearest(...at(event));
      // The first click of the two added a point where there was none: that one goes.
      if (hit >= 0) this.remove(hit);
    });
    this.canvas.addEventListener("keydown", event => this.key(event));
    this.canvas.addEventListener("focus", () => {
      const [x0, x1, y0, y1] = this.view;
      this.cursor ??= [(x0 + x1) / 2, (y0 + y1) / 2];
      this.redraw();
    });
    this.canvas.addEventListener("blur", () => this.redraw());
  }

  key(event) {
    const [x0, x1, y0, y1] = this.view, step = event.shiftKey ? 0.05 : 0.01;
    const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    const where = k => `point ${k + 1} of ${this.points.length} at ${this.points[k].map(v => +v.toPrecision(3)).join(", ")}`;
    if (moves[event.key]) {
      const [dx, dy] = moves[event.key], from = this.selected >= 0 ? this.points[this.selected] : this.cursor;
      const to = [from[0] + dx * step * (x1 - x0), from[1] + dy * step * (y1 - y0)];
      this.cursor = to;
      if (this.selected >= 0) {
        this.points[this.selected] = to;
        this.changed("move");
        this.announce(where(this.selected));
      }
    } else if (event.key === "Enter" || event.key === " ") {
      this.points.push([...this.cursor]);
      this.selected = -1;
      this.announce("added " + where(this.points.length - 1));
      this.changed("add");
    } else if (event.key === "n" || event.key === "p" || event.key === "N" || event.key === "P") {
      if (!this.points.length) return;
      const order = this.points.map((_, k) => k).sort((a, b) => this.points[a][0] - this.points[b][0]);
      const place = order.indexOf(this.selected), forward = event.key.toLowerCase() === "n";
      const next = place < 0 ? (forward ? 0 : order.length - 1) : (place + (forward ? 1 : -1) + order.length) % order.length;
      this.selected = order[next];
      this.cursor = [...this.points[this.selected]];
      this.announce("chosen " + where(this.selected));
    } else if (event.key === "Delete" || event.key === "Backspace") {
      if (this.selected < 0) return;
      this.remove(this.selected);
      this.announce(`removed; ${this.points.length} points`);
    } else if (event.key === "Escape") {
      this.selected = -1;
    } else {
      return;
    }
    event.preventDefault();
    this.redraw();
  }

  remove(k) {
    this.points.splice(k, 1);
    this.selected = -1;
    this.changed("remove");
    this.redraw();
  }

  changed(kind) { this.onChange(kind); }

  held(point) { return this.region !== null && point[0] >= this.region[0] && point[0] <= this.region[1]; }

  // Drawn at once: the answer is on the screen one frame earlier than if it waited for the next one to be drawn.
  show(answer, focus) {
    clearTimeout(this.late);
    this.late = undefined;
    this.answer = answer;
    this.focus = focus;
    this.draw();
    this.drawn = {seq: answer?.seq ?? 0, at: performance.now()};
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.late = undefined;
      this.draw();
    });
  }

  colors() {
    const style = getComputedStyle(document.documentElement);
    const read = name => style.getPropertyValue(name).trim();
    return {text: read("--text"), muted: read("--muted"), line: read("--line"), ground: read("--ground"), held: read("--held"),
            kernels: [0, 1, 2, 3, 4, 5, 6, 7].map(k => read(`--k${k}`))};
  }

  draw() {
    const c = this.context, colors = this.colors(), [x0, x1, y0, y1] = this.view;
    c.clearRect(0, 0, this.width, this.height);
    c.save();
    c.beginPath();
    c.rect(44, 8, this.width - 56, this.height - 36);
    c.clip();
    if (this.region) {
      const [a, b] = this.region.map(x => this.toPixel([x, 0])[0]);
      c.fillStyle = colors.held;
      c.fillRect(a, 0, b - a, this.height);
      c.strokeStyle = colors.muted;
      c.setLineDash([4, 3]);
      for (const x of [a, b]) { c.beginPath(); c.moveTo(x, 0); c.lineTo(x, this.height); c.stroke(); }
      c.setLineDash([]);
    }
    const kernels = this.answer?.kernels ?? [];
    kernels.forEach((kernel, k) => { if (kernel.mean && k !== this.focus) this.line(kernel.mean, colors.kernels[k % 8], 1, 0.7); });
    const best = kernels[this.focus];
    if (best?.mean) {
      const color = colors.kernels[this.focus % 8];
      this.band(best, Z95, color, 0.14);
      this.band(best, Z50, color, 0.22);
      (best.samples ?? []).forEach(sample => this.line(sample, color, 1, 0.45));
      this.line(best.mean, color, 2.5, 1);
    }
    if (this.extra) {
      c.setLineDash([7, 4]);
      this.line(this.extra.mean, colors.text, 1.5, 1, this.extra.grid);
      c.setLineDash([2, 3]);
      for (const sign of [-1, 1]) {
        this.line(this.extra.mean.map((m, i) => m + sign * Z95 * this.extra.std[i]), colors.text, 1, 0.8, this.extra.grid);
      }
      c.setLineDash([]);
    }
    this.points.forEach((point, k) => {
      const [x, y] = this.toPixel(point), held = this.held(point);
      c.beginPath();
      c.arc(x, y, k === this.selected ? 7 : 4.5, 0, 2 * Math.PI);
      c.fillStyle = held ? colors.ground : colors.text;
      c.fill();
      c.lineWidth = k === this.selected ? 3 : 1.5;
      c.strokeStyle = k === this.selected ? colors.kernels[0] : held ? colors.text : colors.ground;
      c.stroke();
    });
    if (document.activeElement === this.canvas && this.cursor && this.selected < 0) {
      const [x, y] = this.toPixel(this.cursor);
      c.strokeStyle = colors.muted;
      c.lineWidth = 1.5;
      c.beginPath(); c.moveTo(x - 9, y); c.lineTo(x + 9, y); c.moveTo(x, y - 9); c.lineTo(x, y + 9); c.stroke();
    }
    c.restore();
    c.fillStyle = colors.muted;
    c.strokeStyle = colors.line;
    c.lineWidth = 1;
    c.font = "12px system-ui, sans-serif";
    c.strokeRect(44.5, 8.5, this.width - 57, this.height - 37);
    c.textAlign = "center";
    for (const x of ticks(x0, x1, Math.max(3, this.width / 110))) c.fillText(String(x), this.toPixel([x, 0])[0], this.height - 10);
    c.textAlign = "right";
    for (const y of ticks(y0, y1, Math.max(3, this.height / 60))) c.fillText(String(y), 40, this.toPixel([0, y])[1] + 4);
    if (!this.points.length) {
      c.textAlign = "center";
      c.font = "16px system-ui, sans-serif";
      c.fillText("Click to add points", this.width / 2, this.height / 2);
    }
  }

  line(values, color, width, alpha, grid = this.answer.grid) {
    const c = this.context;
    c.globalAlpha = alpha;
    c.strokeStyle = color;
    c.lineWidth = width;
    c.beginPath();
    values.forEach((y, i) => { const p = this.toPixel([grid[i], y]); if (i) c.lineTo(...p); else c.moveTo(...p); });
    c.stroke();
    c.globalAlpha = 1;
  }

  band(kernel, z, color, alpha) {
    const c = this.context, grid = this.answer.grid;
    c.globalAlpha = alpha;
    c.fillStyle = color;
    c.beginPath();
    kernel.mean.forEach((m, i) => c.lineTo(...this.toPixel([grid[i], m + z * kernel.std[i]])));
    for (let i = grid.length - 1; i >= 0; --i) c.lineTo(...this.toPixel([grid[i], kernel.mean[i] - z * kernel.std[i]]));
    c.fill();
    c.globalAlpha = 1;
  }

  // The view that shows all points, and to the right of them so much of their span.
  fit(horizon, least) {
    if (this.points.length < 2) {
      if (least) this.view = [...least];
      return;
    }
    const xs = this.points.map(p => p[0]), ys = this.points.map(p => p[1]);
    let [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    if (least) [x0, x1, y0, y1] = [Math.min(x0, least[0]), Math.max(x1, least[1]), Math.min(y0, least[2]), Math.max(y1, least[3])];
    const dx = x1 - x0 || 1, dy = y1 - y0 || 1;
    this.view = least ? [x0, x1 + dx * horizon, y0, y1] : [x0 - 0.02 * dx, x1 + dx * (0.02 + horizon), y0 - 0.25 * dy, y1 + 0.35 * dy];
  }
}
