// Puts the page together: the drawing, its kernels and what the service says about them; the table mode beside it.
import {Drawing} from "/canvas.js";
import {Kernels} from "/kernels.js";
import {PRESETS, pointsFromText} from "/presets.js";
import {Live, post} from "/service.js";
import {bars} from "/charts.js";
import {fromFragment, toFragment} from "/state.js";
import {startTable} from "/table.js";

const $ = id => document.getElementById(id);
const short = v => Number(v).toPrecision(3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

let mode = "draw", pinned = -1, base = PRESETS.free.view, horizon = 0, latest = null;

const drawing = new Drawing($("canvas"), {
  onChange: kind => { drawing.extra = null; ask(kind === "move"); },
  announce: text => { $("announce").textContent = text; },
});
const kernels = new Kernels($("kernels"), {
  onChange: () => { drawing.extra = null; ask(); },
  onFocus: k => { pinned = pinned === k ? -1 : k; if (latest) show(latest); },
});
const live = new Live(show, text => { $("connection").textContent = text; });

// The newest state goes out as soon as the answer to the one before is there. While a point moves, the server goes on from
// its last answer, in a fraction of the time; once the hand rests it searches anew.
const REST = 120;  // milliseconds
let asking = false, follow = false, resting = 0, written = 0;
function ask(moving = false) {
  remember();
  clearTimeout(resting);
  if (moving) resting = setTimeout(ask, REST);
  follow = asking ? follow && moving : moving;
  if (asking) return;
  asking = true;
  live.whenFree(() => {
    asking = false;
    if (!follow) textFromPoints();
    const points = drawing.points.filter(p => !drawing.held(p)), held = drawing.points.filter(p => drawing.held(p));
    if (!points.length) {
      latest = null;
      drawing.show(null, -1);
      return;
    }
    live.send({points, held_out: held, kernels: kernels.texts(), low: drawing.view[0], high: drawing.view[1],
               grid: points.length > 80 ? 320 : 160, samples: $("samples").checked ? 4 : 0, follow});
  });
}

function show(answer) {
  if (answer.problem) {
    $("announce").textContent = answer.problem.detail;
    $("connection").textContent = answer.problem.detail.split("\n")[0];
    return;
  }
  $("connection").textContent = "";
  latest = answer;
  const best = answer.ranking?.[0] ?? -1;
  const focus = pinned >= 0 && answer.kernels[pinned]?.mean ? pinned : best;
  drawing.show(answer, focus);
  // While a hand moves a point its eyes are on the drawing: the texts follow ten times a second.
  if (follow && performance.now() - written < 100) return;
  written = performance.now();
  kernels.show(answer, focus);
  showBest(answer, best);
  showRanking(answer, focus);
  if (answer.time_ms) {
    const t = answer.time_ms;
    const rows = [["encode", t.encode], ["decode", t.decode], ["factorise", t.factorize], ["predict", t.predict], ["server, all", t.total],
                  ["round trip", answer.round_trip_ms]];
    $("times").replaceChildren(...rows.flatMap(([name, ms]) => {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = name;
      dd.textContent = Number.isFinite(ms) ? `${ms.toFixed(2)} ms` : "–";
      return [dt, dd];
    }));
  }
}

function showBest(answer, best) {
  const kernel = answer.kernels?.[best];
  $("best-kernel").textContent = kernel?.canonical ?? "";
  $("best-words").textContent = kernel?.words ?? "";
  $("components").replaceChildren(...(kernel?.explanation ? [bars(kernel.explanation)] : []));
  const body = $("parameters").tBodies[0];
  body.replaceChildren();
  for (const p of kernel?.parameters ?? []) {
    const row = body.insertRow();
    row.insertCell().textContent = p.symbol;
    row.insertCell().textContent = p.name;
    const value = row.insertCell();
    value.textContent = short(p.value_original_units);
    value.className = "number";
  }
  if (kernel) {
    const row = body.insertRow();
    row.insertCell().textContent = "noise";
    row.insertCell().textContent = "standard deviation";
    const value = row.insertCell();
    value.textContent = short(kernel.noise_std);
    value.className = "number";
  }
}

function showRanking(answer, focus) {
  $("ranking").replaceChildren(...(answer.ranking ?? []).map(k => {
    const kernel = answer.kernels[k], item = document.createElement("li"), button = document.createElement("button");
    const held = kernel.holdout ? `, held out RMSE ${short(kernel.holdout.rmse)}, NLL ${short(kernel.holdout.nll)}` : "";
    button.textContent = `${kernel.canonical}: ${(100 * kernel.weight).toFixed(1)}%, log evidence ${kernel.evidence.toFixed(1)}${held}`;
    button.setAttribute("aria-pressed", String(k === focus));
    button.style.borderLeft = `5px solid var(--k${k % 8})`;
    button.addEventListener("click", () => { pinned = pinned === k ? -1 : k; show(answer); });
    item.append(button);
    return item;
  }));
}

// One-shot and type-2 ML for the kernel in focus, on the same points; the dashed lines are those of ML.
async function against() {
  const points = drawing.points.filter(p => !drawing.held(p)), held = drawing.points.filter(p => drawing.held(p));
  if (!latest || points.length < 3) return;
  const focus = pinned >= 0 && latest.kernels[pinned]?.mean ? pinned : latest.ranking[0];
  const grid = latest.grid, kernel = kernels.texts()[focus];
  const columns = list => ({x: list.map(p => p[0]), y: list.map(p => p[1])});
  const result = $("against-result");
  result.textContent = "running …";
  try {
    const request = {columns: columns(points), target: "y", kernel, keep: false};
    const methods = [];
    for (const method of ["oneshot", "ml"]) {
      const fit = await post("/v1/fit", {...request, method, predict: {columns: {x: grid}}});
      const scored = held.length ? await post("/v1/fit", {...request, method, predict: {columns: columns(held)}}) : null;
      methods.push({method, fit, scores: scored?.prediction_scores});
    }
    drawing.extra = {grid, mean: methods[1].fit.predictions.mean, std: methods[1].fit.predictions.std};
    drawing.redraw();
    const table = document.createElement("table");
    table.innerHTML = `<caption class="offscreen">One-shot against type-2 ML</caption><thead><tr><th scope="col">method</th>
      <th class="number" scope="col">ms</th><th class="number" scope="col">NLML</th><th class="number" scope="col">RMSE*</th>
      <th class="number" scope="col">NLL*</th></tr></thead>`;
    const body = table.createTBody();
    for (const {method, fit, scores} of methods) {
      const row = body.insertRow();
      row.insertCell().textContent = method === "ml" ? "type-2 ML" : "one-shot";
      for (const v of [fit.time_ms.total, fit.nlml_per_point, scores?.rmse, scores?.nll]) {
        const value = row.insertCell();
        value.className = "number";
        value.textContent = v === undefined ? "–" : short(v);
      }
    }
    const note = document.createElement("p");
    const ratio = methods[1].fit.time_ms.total / methods[0].fit.time_ms.total;
    note.textContent = `${kernel}: type-2 ML took ${short(ratio)} times as long; dashed in the drawing. * of the points held out`;
    result.replaceChildren(table, note);
  } catch (error) {
    result.textContent = error.message;
  }
}

function load(preset) {
  base = preset.view ?? null;
  drawing.points = preset.points.map(p => [...p]);
  drawing.extra = null;
  drawing.selected = -1;
  kernels.set(preset.kernels);
  horizon = preset.horizon ?? 0;
  $("horizon").value = horizon;
  pinned = -1;
  frame();
  region();
  textFromPoints();
  ask();
}

function frame() { drawing.fit(horizon / 100, base); }

function region() {
  if (!$("holdout").checked) {
    drawing.region = null;
  } else if (!drawing.region) {
    const xs = drawing.points.map(p => p[0]);
    const [low, high] = xs.length > 1 ? [Math.min(...xs), Math.max(...xs)] : drawing.view;
    drawing.region = [high - 0.25 * (high - low), high + 0.001 * (high - low)];
  }
  drawing.redraw();
}

function textFromPoints() {
  if (document.activeElement === $("points-text")) return;
  $("points-text").value = drawing.points.map(p => p.map(v => +v.toPrecision(6)).join(",")).join("\n");
}

// The address follows the drawing, a moment after the hand rests.
let remembering = 0;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", "#" + fragment()), 300);
}
function fragment() {
  return toFragment({points: drawing.points, kernels: kernels.texts(), view: drawing.view, horizon,
                     samples: $("samples").checked, region: drawing.region, mode});
}

function choose(next) {
  mode = next;
  for (const name of ["draw", "table"]) {
    $(name).hidden = name !== mode;
    $(`tab-${name}`).setAttribute("aria-selected", String(name === mode));
    $(`tab-${name}`).tabIndex = name === mode ? 0 : -1;
  }
  if (mode === "draw") drawing.resize();
  remember();
}

function start() {
  for (const [key, preset] of Object.entries(PRESETS)) $("preset").append(new Option(preset.name, key));
  $("preset").addEventListener("change", () => {
    if ($("preset").value === "csv") return $("points-file").click();
    drawing.region = null;
    load(PRESETS[$("preset").value]);
  });
  $("points-file").addEventListener("change", async event => {
    const file = event.target.files[0];
    if (file) load({kernels: kernels.texts(), points: pointsFromText(await file.text())});
    event.target.value = "";
  });
  $("holdout").addEventListener("change", () => { region(); ask(); });
  $("samples").addEventListener("change", ask);
  $("horizon").addEventListener("input", () => { horizon = Number($("horizon").value); frame(); ask(); });
  $("clear").addEventListener("click", () => load({...PRESETS.free, kernels: kernels.texts()}));
  $("share").addEventListener("click", async () => {
    const address = `${location.origin}/#${fragment()}`;
    history.replaceState(null, "", address);
    try { await navigator.clipboard.writeText(address); $("connection").textContent = "link copied"; }
    catch { $("connection").textContent = "the address of this page is the link"; }
  });
  $("add-kernel").addEventListener("click", () => { kernels.add("SE"); ask(); });
  $("points-text").addEventListener("input", () => {
    drawing.points = pointsFromText($("points-text").value);
    drawing.redraw();
    ask();
  });
  $("against").addEventListener("click", against);
  $("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme
        ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    drawing.redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawing.redraw());
  const tabs = [$("tab-draw"), $("tab-table")];
  tabs.forEach((tab, k) => {
    tab.addEventListener("click", () => choose(tab.id.slice(4)));
    tab.addEventListener("keydown", event => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      tabs[1 - k].focus();
      choose(tabs[1 - k].id.slice(4));
    });
  });
  startTable();
  const shared = fromFragment(location.hash);
  if (shared) {
    base = shared.view;
    drawing.points = shared.points;
    drawing.view = shared.view;
    drawing.region = shared.region;
    $("holdout").checked = shared.region !== null;
    $("samples").checked = shared.samples;
    horizon = shared.horizon;
    $("horizon").value = horizon;
    kernels.set(shared.kernels);
    textFromPoints();
    choose(shared.mode);
    ask();
  } else {
    $("preset").value = "periods";
    load(PRESETS.periods);
  }
}

start();
window.instantgp = {drawing, live};  // for the tests of the page
