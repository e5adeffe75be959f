// Small charts of the table mode as SVG, which scales and can be saved.
import {ticks} from "/canvas.js";

const WIDTH = 340, HEIGHT = 220, LEFT = 46, RIGHT = 8, TOP = 8, BOTTOM = 28;

const escape = text => String(text).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);

function range(...lists) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (const v of list) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (!(low < high)) [low, high] = [low - 1, low + 1];
  const pad = 0.04 * (high - low);
  return [low - pad, high + pad];
}

function frame([x0, x1], [y0, y1], xLabel, yLabel) {
  const px = x => LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT);
  const py = y => TOP + (y1 - y) / (y1 - y0) * (HEIGHT - TOP - BOTTOM);
  let axes = `<rect class="axis" fill="none" x="${LEFT}" y="${TOP}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT - TOP - BOTTOM}"/>`;
  for (const x of ticks(x0, x1, 4)) axes += `<text x="${px(x).toFixed(1)}" y="${HEIGHT - 14}" text-anchor="middle">${x}</text>`;
  for (const y of ticks(y0, y1, 4)) axes += `<text x="${LEFT - 4}" y="${(py(y) + 4).toFixed(1)}" text-anchor="end">${y}</text>`;
  axes += `<text x="${(LEFT + WIDTH) / 2}" y="${HEIGHT - 2}" text-anchor="middle">${escape(xLabel)}</text>`;
  return {px, py, axes, yLabel};
}

function figure(title, description, body) {
  const element = document.createElement("figure");
  element.innerHTML = `<figcaption>${escape(title)}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(description)}">${body}</svg>`;
  return element;
}

const dots = (f, xs, ys, kind) =>
  xs.map((x, i) => `<circle class="dot ${kind}" r="3" cx="${f.px(x).toFixed(1)}" cy="${f.py(ys[i]).toFixed(1)}"/>`).join("");
const path = (f, xs, ys) => xs.map((x, i) => `${i ? "L" : "M"}${f.px(x).toFixed(1)} ${f.py(ys[i]).toFixed(1)}`).join("");

// Up to a thousand rows, evenly.
function thin(rows) {
  const n = rows.observed.length, step = Math.max(1, Math.ceil(n / 1000));
  const pick = list => list.filter((_, i) => i % step === 0);
  return {how: rows.how, observed: pick(rows.observed), mean: pick(rows.mean), std: pick(rows.std)};
}

export function observedChart(diagnostics, target) {
  const train = thin(diagnostics.training), held = diagnostics.holdout && thin(diagnostics.holdout);
  const both = range(train.observed, train.mean, held?.observed ?? [], held?.mean ?? []);
  const f = frame(both, both, "predicted");
  const body = f.axes + `<path class="guide" d="${path(f, both, both)}"/>` + dots(f, train.mean, train.observed, "") +
    (held ? dots(f, held.mean, held.observed, "held") : "");
  return figure(`Observed against predicted (${train.how}${held ? "; held out in the other colour" : ""})`,
                `Observed ${target} against its prediction`, body);
}

export function residualChart(diagnostics) {
  const rows = thin(diagnostics.holdout ?? diagnostics.training);
  const z = rows.observed.map((y, i) => (y - rows.mean[i]) / rows.std[i]);
  const f = frame(range(rows.mean), range(z, [-3, 3]), "predicted");
  const ends = range(rows.mean), lines = [-1.96, 0, 1.96].map(v => `<path class="guide" d="${path(f, ends, [v, v])}"/>`).join("");
  return figure(`Residuals in standard deviations (${rows.how})`, "Standardised residuals against predictions",
                f.axes + lines + dots(f, rows.mean, z, ""));
}

// The share of rows inside the central interval of each probability; a calibrated model follows the diagonal.
export function calibrationChart(diagnostics) {
  const rows = diagnostics.holdout ?? diagnostics.training;
  const inside = rows.observed.map((y, i) => erf(Math.abs(y - rows.mean[i]) / rows.std[i] / Math.SQRT2));
  const levels = Array.from({length: 19}, (_, k) => (k + 1) / 20);
  const share = levels.map(p => inside.filter(v => v <= p).length / inside.length);
  const f = frame([0, 1], [0, 1], "nominal");
  return figure(`Calibration: share of rows inside each interval (${rows.how})`,
                `Of the 95 percent intervals ${(100 * share.at(-1)).toFixed(0)} percent hold their row`,
                f.axes + `<path class="guide" d="${path(f, [0, 1], [0, 1])}"/><path class="mean" d="${path(f, levels, share)}"/>` +
                dots(f, levels, share, ""));
}

export function effectChart(effect, target) {
  const f = frame(range(effect.x), range(effect.lower95, effect.upper95),
                  effect.from ? `${effect.column}: ${effect.from} to ${effect.to}` : effect.column);
  const back = [...effect.x].reverse(), below = [...effect.lower95].reverse();
  const band = path(f, effect.x, effect.upper95) + path(f, back, below).replace("M", "L") + "Z";
  return figure(`Effect of ${effect.column}`, `${target} along ${effect.column}, other columns at their medians`,
                f.axes + `<path class="band" d="${band}"/><path class="mean" d="${path(f, effect.x, effect.mean)}"/>`);
}

// Abramowitz and Stegun 7.1.26, to 1.5e-7.
function erf(x) {
  const t = 1 / (1 + 0.3275911 * x);
  return 1 - (((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-x * x);
}

export function bars(explanation) {
  const box = document.createElement("div");
  const add = (name, share) => {
    const row = document.createElement("div");
    row.className = "bar";
    row.innerHTML = `<span title="${escape(name)}">${escape(name)}</span>
      <meter min="0" max="1" value="${Math.max(0, share)}" aria-label="${escape(name)}"></meter>
      <span class="number">${(100 * share).toFixed(0)}%</span>`;
    box.append(row);
  };
  explanation.components.slice(0, 6).forEach(c => add(c.kernel, c.share));
  add("noise", explanation.residual_share);
  return box;
}
