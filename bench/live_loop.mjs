// From a pointer move to the new bands of five kernels, in the browser.
//
//   tests/browser/run_browser_tests WORK ../../bench/live_loop.mjs build/release/instantgp [POINTS] [MOVES]
//
// A point of a drawing is dragged. First each move waits for the bands of the one before, then the pointer moves at every
// frame of the screen whether or not the server keeps up. Milliseconds from the event until the bands are on the canvas.
import {openPage, pixelOf, settled, startBrowser, startServer, until} from "../tests/browser/browser.mjs";

const [program, points = "50", moves = "300"] = process.argv.slice(2);

const quantile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(p * list.length))];
const line = (name, list) => console.log(`${name}: median ${quantile(list, 0.5).toFixed(1)} ms, 95th percentile ${quantile(list, 0.95).toFixed(1)} ms, ` +
                                         `largest ${quantile(list, 1).toFixed(1)} ms, ${list.length} moves`);

const server = await startServer(program);
try {
  const browser = await startBrowser(), page = await openPage(browser, server.address);
  await page.evaluate(n => {
    const text = Array.from({length: n}, (_, i) => [10 * i / (n - 1), Math.sin(1.7 * i * 10 / n) + 0.2 * Math.sin(91 * i)].join(","));
    const area = document.getElementById("points-text");
    area.value = text.join("\n");
    area.dispatchEvent(new Event("input"));
  }, Number(points));
  await until(page, n => window.instantgp.drawing.answer?.n === n, Number(points));
  const kernels = await page.evaluate(() => window.instantgp.drawing.answer.kernels.filter(k => k.mean).length);
  const point = await page.evaluate(() => window.instantgp.drawing.points[20]);
  await page.mouse.move(...await pixelOf(page, point));
  await page.mouse.down();
  await page.evaluate(() => {
    window.took = [];
    window.stale = 0;
    window.server = [];
    const {drawing, live} = window.instantgp, moved = new Map();
    // Before the page's own listener: the number that the message of this move will have. A move comes as it happens and
    // once more with the next frame, with the same time.
    let newest = 0;
    const note = event => {
      if (event.timeStamp > newest && !moved.has(live.seq + 1)) moved.set(live.seq + 1, event.timeStamp);
      newest = Math.max(newest, event.timeStamp);
    };
    for (const kind of ["pointerrawupdate", "pointermove"]) window.addEventListener(kind, note, true);
    const show = drawing.show.bind(drawing);
    let last = 0;
    drawing.show = (answer, focus) => {
      show(answer, focus);
      if (!answer?.seq) return;
      if (answer.seq < last) ++window.stale;
      last = answer.seq;
      if (moved.has(answer.seq)) {
        window.took.push(drawing.drawn.at - moved.get(answer.seq));
        window.server.push(answer.time_ms.total);
      }
    };
  });
  const drag = async wait => {
    await page.evaluate(() => { window.took.length = 0; window.server.length = 0; });
    const [x, y] = await pixelOf(page, point);
    for (let k = 0; k < Number(moves); ++k) {
      await page.mouse.move(x, y + 60 * Math.sin(k / 7));
      if (wait) await settled(page);
    }
    await settled(page);
    return page.evaluate(() => ({took: window.took, server: window.server, stale: window.stale}));
  };
  await drag(true);  // warm
  console.log(`${points} points, ${kernels} kernels`);
  const one = await drag(true);
  line("one move at a time", one.took);
  line("  of it the server", one.server);
  const all = await drag(false);
  line("without waiting", all.took);
  console.log(`stale answers drawn: ${one.stale + all.stale}`);
  await browser.close();
} finally {
  await server.stop();
}
