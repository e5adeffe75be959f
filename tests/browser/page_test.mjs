// The page in a real browser. page_test.mjs PROGRAM AIRLINE.csv [SCREENSHOTS]
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {choosePreset, openPage, pixelOf, settled, startBrowser, startServer, until} from "./browser.mjs";

const [program, airline, screenshots] = process.argv.slice(2);
const shoot = async (page, name) => {
  if (!screenshots) return;
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({path: join(screenshots, name)});
};
const means = page => page.evaluate(() => window.instantgp.drawing.answer.kernels.map(k => k.mean));
const count = page => page.evaluate(() => window.instantgp.drawing.points.length);

async function clickAt(page, point) {
  const before = await page.evaluate(() => window.instantgp.live.seq);
  await page.mouse.click(...await pixelOf(page, point));
  await until(page, seq => window.instantgp.live.seq > seq, before);
  await settled(page);
}

const tests = {
  async "clicks add points, a drag moves the band, a double click removes"(page) {
    await choosePreset(page, "free");
    const points = [[1, 0], [2, 1], [3, 0.5], [4, -0.5], [6, -1], [7, 0], [8, 1.2]];
    for (const point of points) await clickAt(page, point);
    assert.equal(await count(page), points.length);
    const before = await means(page), image = await page.evaluate(() => document.getElementById("canvas").toDataURL());
    assert.equal(before.filter(Boolean).length, 5);
    await page.mouse.move(...await pixelOf(page, [6, -1]));
    await page.mouse.down();
    await page.mouse.move(...await pixelOf(page, [6, 2]), {steps: 8});
    await page.mouse.up();
    await settled(page);
    const after = await means(page);
    assert.equal(await count(page), points.length);
    after.forEach((mean, k) => assert.notDeepEqual(mean, before[k]));
    assert.notEqual(await page.evaluate(() => document.getElementById("canvas").toDataURL()), image);
    await page.mouse.dblclick(...await pixelOf(page, [6, 2]));
    await settled(page);
    assert.equal(await count(page), points.length - 1);
    assert.match(await page.textContent("#times"), /encode\d+\.\d\d ms/);
  },

  async "a broken kernel is marked in its place and mended"(page) {
    await choosePreset(page, "periods");
    const chip = page.locator(".chip").nth(1), input = chip.locator("input");
    await input.fill("SE + PEER");
    await until(page, () => document.querySelectorAll(".chip input")[1].getAttribute("aria-invalid") === "true");
    assert.match(await chip.locator(".message").textContent(), /unknown symbol.*PEER/);
    assert.equal(await chip.locator(".caret").textContent(), "     ^");
    assert.equal((await page.evaluate(() => window.instantgp.drawing.answer.ranking)).length, 4);
    await input.fill("SE + PER");
    await until(page, () => document.querySelectorAll(".chip input")[1].getAttribute("aria-invalid") === "false");
    assert.equal(await chip.locator(".message").textContent(), "");
    await page.click("#add-kernel");
    await settled(page);
    assert.equal(await page.locator(".chip").count(), 6);
    await page.locator(".chip .remove").last().click();
    await until(page, () => document.querySelectorAll("#ranking li").length === 5);
  },

  async "held-out points are scored, and type-2 ML stands beside one-shot"(page) {
    await choosePreset(page, "airline");
    await page.check("#holdout");
    await page.check("#samples");
    await until(page, () => window.instantgp.drawing.answer.kernels[0].holdout && window.instantgp.drawing.answer.kernels[0].samples);
    assert.match(await page.textContent("#ranking"), /held out RMSE/);
    assert.match(await page.textContent("#best-words"), /period/);
    await page.click("#against");
    await page.waitForSelector("#against-result table");
    assert.equal(await page.locator("#against-result tbody tr").count(), 2);
    assert.match(await page.textContent("#against-result"), /type-2 ML took/);
    await shoot(page, "server-draw.png");
  },

  async "the address carries the drawing"(page, browser, address) {
    await choosePreset(page, "step");
    await clickAt(page, [5, 0]);
    await until(page, () => location.hash.includes("s="));
    await page.waitForTimeout(400);
    const points = await page.evaluate(() => window.instantgp.drawing.points.length);
    const other = await openPage(browser, address, {fragment: "/" + await page.evaluate(() => location.hash)});
    await settled(other);
    assert.equal(await count(other), points);
    await other.context().close();
    const broken = await openPage(browser, address, {fragment: "/#s=%7Bbroken"});
    await settled(broken);
    await broken.context().close();
  },

  async "the keyboard alone is enough"(page) {
    await choosePreset(page, "free");
    await page.focus("body");
    for (let k = 0; k < 40; ++k) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement.id === "canvas")) break;
    }
    assert.equal(await page.evaluate(() => document.activeElement.id), "canvas");
    for (let k = 0; k < 5; ++k) {
      await page.keyboard.press("Enter");
      for (let i = 0; i < 3; ++i) await page.keyboard.press("Shift+ArrowRight");
      await page.keyboard.press(k % 2 ? "Shift+ArrowUp" : "Shift+ArrowDown");
    }
    await settled(page);
    assert.equal(await count(page), 5);
    assert.match(await page.textContent("#announce"), /added point 5 of 5/);
    await page.keyboard.press("n");
    const before = await page.evaluate(() => [...window.instantgp.drawing.points[window.instantgp.drawing.selected]]);
    await page.keyboard.press("ArrowUp");
    const after = await page.evaluate(() => [...window.instantgp.drawing.points[window.instantgp.drawing.selected]]);
    assert.ok(after[1] > before[1]);
    await page.keyboard.press("Delete");
    await settled(page);
    assert.equal(await count(page), 4);
    // On to the kernels, and to the other mode by the arrow keys of its tabs.
    for (let k = 0; k < 10; ++k) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement.closest(".chip") !== null)) break;
    }
    assert.ok(await page.evaluate(() => document.activeElement.closest(".chip") !== null));
    await page.focus("#tab-draw");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.isVisible("#table"), true);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.isVisible("#draw"), true);
    // Everything that can be used has a name.
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, canvas")]
        .filter(e => !e.hidden && !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map(e => e.outerHTML));
    assert.deepEqual(nameless, []);
  },

  async "every width from 390 to 1600 pixels, without jumps"(page) {
    await choosePreset(page, "co2");
    for (const [width, height] of [[390, 844], [768, 1024], [1600, 1000]]) {
      await page.setViewportSize({width, height});
      await page.waitForTimeout(100);
      for (const tab of ["table", "draw"]) {
        await page.click(`#tab-${tab}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${tab} at ${width}`);
      }
      const box = await page.locator("#canvas").boundingBox();
      assert.ok(box.width > 0.5 * Math.min(width, 900) - 40 && box.height >= 290, JSON.stringify(box));
      await shoot(page, `server-${width}.png`);
    }
    await page.evaluate(() => {
      window.shift = 0;
      new PerformanceObserver(list => { for (const e of list.getEntries()) window.shift += e.value; }).observe({type: "layout-shift"});
    });
    const point = await page.evaluate(() => window.instantgp.drawing.points[20]);
    await page.mouse.move(...await pixelOf(page, point));
    await page.mouse.down();
    for (let k = 1; k <= 20; ++k) await page.mouse.move(...await pixelOf(page, [point[0], point[1] + k / 10]));
    await page.mouse.up();
    await settled(page);
    assert.ok(await page.evaluate(() => window.shift) < 0.02);
    await page.emulateMedia({colorScheme: "dark"});
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, "rgb(20, 23, 27)");
    await shoot(page, "server-dark.png");
    await page.click("#theme");
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  },

  async "a dropped table is searched, explained, and its model predicts on the command line"(page) {
    await page.click("#tab-table");
    const text = readFileSync(airline, "utf8");
    const data = await page.evaluateHandle(csv => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([csv], "airline.csv", {type: "text/csv"}));
      return transfer;
    }, text);
    await page.dispatchEvent("#drop", "drop", {dataTransfer: data});
    await page.waitForSelector("#columns table");
    assert.match(await page.textContent("#columns"), /144 rows/);
    await page.click("#search");
    await page.waitForSelector("#result .card", {timeout: 60000});
    assert.match(await page.textContent("#result"), /In words:.*12/);
    assert.ok(await page.locator("#charts figure").count() >= 4);
    assert.match(await page.textContent("#call"), /^instantgp search data.csv/);
    await page.locator("#call-tabs button", {hasText: "Python"}).click();
    assert.match(await page.textContent("#call"), /instantgp\.search/);
    await shoot(page, "server-table.png");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download model")]);
    const folder = mkdtempSync(join(tmpdir(), "instantgp-page-")), model = join(folder, "model.gp");
    await download.saveAs(model);
    writeFileSync(join(folder, "new.csv"), text.split("\n").slice(0, 4).join("\n") + "\n");
    const predicted = JSON.parse(execFileSync(program, ["predict", model, join(folder, "new.csv"), "--json"], {encoding: "utf8"}));
    await page.fill("#rows-csv", text.split("\n").slice(0, 4).join("\n") + "\n");
    const [, reply] = await Promise.all([page.click("#predict"), page.waitForResponse("**/v1/predict")]);
    assert.deepEqual((await reply.json()).mean, predicted.mean);
  },

  async "errors of a table are said, a search can be cancelled, an ensemble runs"(page) {
    await page.click("#tab-table");
    await page.fill("#csv", "a,y\n1,2\n3");
    await until(page, () => document.getElementById("table-error").textContent.includes("line 3"));
    const rows = Array.from({length: 400}, (_, i) => `${Math.sin(i)},${(i * 37) % 101},${(i * 17) % 97},${Math.cos(i * 0.7)}`);
    await page.fill("#csv", "a,b,c,y\n" + rows.join("\n"));
    await page.waitForSelector("#columns table");
    await page.click("#search");
    await page.click("#cancel");
    await until(page, () => document.getElementById("progress-text").textContent.includes("cancelled"));
    await page.fill("#csv", "a,y\n" + rows.slice(0, 30).map((r, i) => `${i},${r.split(",")[0]}`).join("\n"));
    await until(page, () => document.getElementById("columns").textContent.includes("30 rows"));
    await page.click("#ensemble");
    await until(page, () => document.getElementById("result").textContent.includes("Members"));
    page.problems = page.problems.filter(p => !/422/.test(p));  // the browser reports the refused table
  },
};

const server = await startServer(program);
let failed = 0, code = 1;
try {
  const browser = await startBrowser();
  for (const [name, test] of Object.entries(tests)) {
    const started = performance.now(), page = await openPage(browser, server.address);
    page.setDefaultTimeout(30000);
    try {
      await test(page, browser, server.address);
      assert.deepEqual(page.problems, []);
      console.log(`ok   ${name} (${Math.round(performance.now() - started)} ms)`);
    } catch (error) {
      ++failed;
      console.log(`FAIL ${name}\n${error.stack}\n${page.problems.join("\n")}`);
    }
    await page.context().close();
  }
  await browser.close();
} finally {
  code = await server.stop();
}
if (code !== 0) console.log(`FAIL the server ended with ${code}`);
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length} passed`);
process.exit(failed || code !== 0 ? 1 : 0);
