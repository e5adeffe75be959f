// The table mode: a CSV in, a model out, with what a person wants to see of it.
import {Problem, download, post, stream} from "/service.js";
import {bars, calibrationChart, effectChart, observedChart, residualChart} from "/charts.js";
import {calls} from "/calls.js";

const $ = id => document.getElementById(id);
const cell = (row, text, number) => {
  const td = document.createElement("td");
  td.textContent = text;
  if (number) td.className = "number";
  row.append(td);
};
const short = v => v === undefined || v === null ? "" : Number(v).toPrecision(4).replace(/\.?0+$/, "");

let controller = null, current = null, described = 0;

export function save(name, content, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function describe() {
  const text = $("csv").value, turn = ++described;
  $("table-error").textContent = "";
  if (!text.trim()) return $("columns").replaceChildren();
  try {
    const table = await post("/v1/table", {csv: text});
    if (turn !== described) return;
    const kept = $("target").value;
    $("target").replaceChildren(...table.columns.map(c => new Option(c.column)));
    $("target").value = table.columns.some(c => c.column === kept) ? kept : table.columns.at(-1).column;
    const element = document.createElement("table");
    element.innerHTML = `<caption class="offscreen">Columns of the table</caption><thead><tr><th scope="col">column</th>
      <th scope="col">type</th><th class="number" scope="col">min</th><th class="number" scope="col">median</th>
      <th class="number" scope="col">max</th><th class="number" scope="col">missing</th></tr></thead>`;
    const body = element.createTBody();
    for (const c of table.columns) {
      const row = body.insertRow();
      cell(row, c.column);
      cell(row, c.kind === "number" ? "number" : c.words);
      for (const v of [c.min, c.median, c.max]) cell(row, short(v), true);
      cell(row, c.missing ?? "", true);
    }
    const count = document.createElement("p");
    count.className = "quiet";
    count.textContent = `${table.rows} rows, ${table.columns.length} columns`;
    $("columns").replaceChildren(element, count);
  } catch (error) {
    if (turn === described) $("table-error").textContent = error.message;
  }
}

function setText(text) {
  $("csv").value = text;
  return describe();
}

function options() {
  const chosen = {csv: $("csv").value, target: $("target").value, missing: $("missing").value, method: $("method").value,
                  kernel: $("table-kernel").value};
  if ($("table-holdout").value) chosen.holdout = Number($("table-holdout").value);
  return chosen;
}

function busy(is) {
  for (const id of ["fit", "ensemble", "search"]) $(id).disabled = is;
  $("cancel").disabled = !is;
}

async function run(what) {
  controller = new AbortController();
  busy(true);
  $("table-error").textContent = "";
  $("progress").removeAttribute("value");
  $("progress-text").textContent = `${what} …`;
  const asked = options(), request = {...asked, diagnostics: true, effects: true, plot: true};
  const started = performance.now();
  try {
    if (what !== "fit") delete request.kernel;
    if (what === "search") delete request.method;
    if (what !== "ensemble") request.explain = true;
    const document = what === "search"
        ? await stream("/v1/search", request, p => {
            $("progress").value = Math.min(1, p.round / p.of);
            $("progress-text").textContent = `${p.evaluated} structures, round ${p.round}`;
          }, controller.signal)
        : await post(`/v1/${what}`, request, controller.signal);
    current = {what, document, asked};
    $("progress-text").textContent = `${what} done in ${((performance.now() - started) / 1000).toFixed(2)} s`;
    show();
  } catch (error) {
    $("progress-text").textContent = error.name === "AbortError" ? `${what} cancelled` : "";
    if (error.name !== "AbortError") $("table-error").textContent = error instanceof Problem ? error.message : String(error);
  } finally {
    $("progress").value = 0;
    controller = null;
    busy(false);
  }
}

function line(box, label, text) {
  const p = document.createElement("p"), strong = document.createElement("strong");
  strong.textContent = `${label}: `;
  p.append(strong, text);
  box.append(p);
}

function show() {
  const {what, document: d, asked} = current, box = document.createElement("section");
  box.className = "card";
  const title = document.createElement("h2");
  title.textContent = {fit: "Fit", ensemble: "Ensemble", search: "Best structure"}[what];
  box.append(title);
  if (d.words) line(box, "In words", d.words);
  if (d.kernel_short) line(box, "Kernel", d.kernel_short);
  if (d.members) line(box, "Members", d.members.slice(0, 5).map(m => `${m.kernel_short ?? m.kernel} ${(100 * m.weight).toFixed(0)}%`).join(", "));
  if (d.holdout) {
    line(box, "Held out", `RMSE ${short(d.holdout.rmse)} (${short(d.holdout.rmse_standardized)} standardised), NLL ${short(d.holdout.nll)}, ` +
         `${(100 * d.holdout.coverage95).toFixed(0)}% inside the 95% interval`);
  }
  line(box, "Time", `${short(d.time_ms.total)} ms`);
  for (const warning of d.warnings ?? []) line(box, "Warning", warning);
  if (d.explanation) {
    const heading = document.createElement("h2");
    heading.textContent = "Components";
    box.append(heading, bars(d.explanation));
  }
  if (d.parameters) {
    const table = document.createElement("table");
    table.innerHTML = `<caption class="offscreen">Hyperparameters</caption>`;
    for (const p of d.parameters.slice(0, 24)) {
      const row = table.insertRow();
      cell(row, p.column); cell(row, p.symbol); cell(row, p.name);
      cell(row, p.in_words || short(p.value_original_units), true);
    }
    const more = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = "Hyperparameters in the units of the data";
    more.append(summary, table);
    box.append(more);
  }
  const downloads = document.createElement("div");
  downloads.className = "downloads";
  const button = (label, action) => {
    const b = document.createElement("button");
    b.textContent = label;
    b.addEventListener("click", () => action().catch(error => { $("table-error").textContent = error.message; }));
    downloads.append(b);
  };
  button("Download model", async () => save(what === "ensemble" ? "model.ens" : "model.gp", await download(`/v1/models/${d.model}`)));
  if (d.plot) button("Download SVG", async () => save("fit.svg", d.plot, "image/svg+xml"));
  button("Download JSON", async () => save(`${what}.json`, JSON.stringify(d, null, 2), "application/json"));
  if (d.predictions) button("Download predictions", async () => save("predictions.csv", predictionsCsv(d.predictions), "text/csv"));
  box.append(downloads);
  $("result").replaceChildren(box);
  const charts = [];
  if (d.diagnostics) charts.push(observedChart(d.diagnostics, d.target), residualChart(d.diagnostics), calibrationChart(d.diagnostics));
  for (const effect of d.effects ?? []) charts.push(effectChart(effect, d.target));
  $("charts").replaceChildren(...charts);
  $("new-rows").hidden = false;
  showCalls(calls(what, asked, location.origin));
}

function showCalls(texts) {
  $("calls").hidden = false;
  const choose = name => {
    $("call").textContent = texts[name];
    for (const b of $("call-tabs").children) b.setAttribute("aria-pressed", String(b.textContent === name));
  };
  $("call-tabs").replaceChildren(...Object.keys(texts).map(name => {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = name;
    b.addEventListener("click", () => choose(name));
    return b;
  }));
  choose("Command line");
}

function predictionsCsv(p) {
  return "mean,std,lower95,upper95\n" + p.mean.map((m, i) => [m, p.std[i], p.lower95[i], p.upper95[i]].join(",")).join("\n") + "\n";
}

async function predict() {
  $("predict-result").textContent = "";
  try {
    const d = await post("/v1/predict", {model: current.document.model, csv: $("rows-csv").value});
    save("predictions.csv", predictionsCsv(d), "text/csv");
    $("predict-result").textContent = `${d.n} rows predicted` + (d.scores ? `; RMSE ${short(d.scores.rmse)}` : "") +
      `: first ${short(d.mean[0])} ± ${short(1.96 * d.std[0])}`;
  } catch (error) {
    $("predict-result").textContent = error.message;
  }
}

export function startTable() {
  let timer = 0;
  $("csv").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(describe, 250); });
  $("choose").addEventListener("click", event => { event.preventDefault(); $("table-file").click(); });
  $("table-file").addEventListener("change", async event => {
    if (event.target.files[0]) setText(await event.target.files[0].text());
    event.target.value = "";
  });
  $("example").addEventListener("click", async event => {
    event.preventDefault();
    try { setText((await post("/v1/table", {example: true})).csv); } catch (error) { $("table-error").textContent = error.message; }
  });
  const drop = $("drop");
  drop.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", async event => {
    event.preventDefault();
    drop.classList.remove("over");
    const file = event.dataTransfer.files[0];
    setText(file ? await file.text() : event.dataTransfer.getData("text"));
  });
  $("options").addEventListener("submit", event => { event.preventDefault(); run("fit"); });
  $("ensemble").addEventListener("click", () => run("ensemble"));
  $("search").addEventListener("click", () => run("search"));
  $("cancel").addEventListener("click", () => controller?.abort());
  $("predict").addEventListener("click", predict);
}
