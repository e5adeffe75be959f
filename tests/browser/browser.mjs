// A server of the program under test and Debian's chromium, for the tests of the page and its benchmark.
import {spawn} from "node:child_process";
import {existsSync} from "node:fs";
import {createRequire} from "node:module";

// playwright-core is beside the build, not beside this file.
const require = createRequire(process.env.INSTANTGP_NODE_MODULES + "/");
const {chromium} = require("playwright-core");

export async function startServer(program, ...options) {
  const child = spawn(program, ["serve", "--port", "0", "--quiet", ...options], {stdio: ["ignore", "pipe", "inherit"]});
  const address = await new Promise((resolve, reject) => {
    child.stdout.once("data", data => resolve(String(data).trim()));
    child.once("exit", code => reject(new Error(`the server ended with ${code}`)));
  });
  const ended = new Promise(resolve => child.once("exit", resolve));
  return {address, stop: () => { child.kill("SIGTERM"); return ended; }};
}

export async function startBrowser() {
  const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(p => p && existsSync(p));
  return chromium.launch({executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]});
}

// Asks until the answer is yes. (Playwright's own waitForFunction evaluates texts, which the page's policy forbids.)
export async function until(page, question, argument, patience = 30000) {
  for (const end = performance.now() + patience; performance.now() < end;) {
    if (await page.evaluate(question, argument)) return;
    await new Promise(resolve => setTimeout(resolve, 15));
  }
  throw new Error(`waited in vain for ${question}`);
}

// A page that fails the test when a script fails or anything is asked of another host.
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, acceptDownloads: true, ...options});
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", error => page.problems.push(String(error)));
  page.on("console", message => { if (message.type() === "error") page.problems.push(message.text()); });
  page.on("request", request => { if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) page.problems.push(request.url()); });
  await page.goto(address + (options.fragment ?? "/"));
  await until(page, () => window.instantgp?.live.socket.readyState === 1);
  return page;
}

// Until the newest message has been answered and drawn.
export const settled = page => until(page, () => {
  const {drawing, live} = window.instantgp;
  return live.seq > 0 && !live.next && drawing.drawn?.seq === live.seq && live.latest !== null;
});

export async function choosePreset(page, name) {
  const before = await page.evaluate(() => window.instantgp.live.seq);
  await page.selectOption("#preset", name);
  if (name === "free") return;
  await until(page, seq => window.instantgp.live.seq > seq, before);
  await settled(page);
}

// Where a point of the data is on the screen.
export const pixelOf = (page, point) => page.evaluate(p => {
  const {drawing} = window.instantgp, box = drawing.canvas.getBoundingClientRect(), [x, y] = drawing.toPixel(p);
  return [box.left + x, box.top + y];
}, point);
