// Drives a browser over HTML reports and compares what it shows with `ser check --format json`.
//
// usage: node report.mjs BROWSER SPEC
// SPEC is a JSON file: { out, reports: [{ name, page, json }], index: { page, names },
// several: { page }, watch: { command, source, page, text } }, where `json` is what `ser check --format json` says about
// the same file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [executablePath, specification] = process.argv.slice(2);
const { out, reports, index, several, watch } = JSON.parse(readFileSync(specification, "utf8"));
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const WIDE = { width: 1400, height: 1000 };
const PHONE = { width: 400, height: 850 };

const folder = mkdtempSync(join(tmpdir(), "ser-browser-"));
const context = await chromium.launchPersistentContext(folder, {
  executablePath, args: FLAGS, viewport: WIDE, acceptDownloads: true, reducedMotion: "reduce",
});
const other = await chromium.launch({ executablePath, args: FLAGS });
const withoutScripts = await other.newContext({ javaScriptEnabled: false, viewport: WIDE });
try {
  for (const report of reports) await look(report);
  if (index) await lookAtIndex(index);
  if (several) await lookAtSeveral(several);
  if (watch) await lookWhileItChanges(watch);
} finally {
  await context.close();
  await other.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${reports.length} reports looked at; screenshots are in ${out}`);

/** Opens a page that must neither complain nor ask for anything. */
async function open(address, { name, javaScript = true }) {
  const page = await (javaScript ? context : withoutScripts).newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (request.url() !== address.split("#")[0] && !request.url().startsWith("blob:")) {
      complaints.push(`request: ${request.url()}`);
    }
  });
  await page.goto(address);
  page.verify = () => assert.deepEqual(complaints, [], name);
  return page;
}


async function look(report) {
  const { name, json } = report;
  const address = pathToFileURL(report.page).href;
  const page = await open(address, { name });
  await verdict(page, report);
  if (json.counterexample) {
    await interleaving(page, report, address);
    await stepsStayInView(page, report);
  }
  await hostile(page, name);
  if (json.verdict === "serializable" || json.counterexample) await certificate(page, name);
  await pictures(page, name);
  await opensWhereSomethingHappens(address, report);
  for (const colorScheme of ["light", "dark"]) {
    for (const [size, width] of [[WIDE, 1400], [PHONE, 400]]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await page.evaluate(() => scrollTo(0, 0));
      await fits(page, `${name} at ${width} px`);
      await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  await themes(page, name);
  page.verify();
  await page.close();
  await readableWithoutScripts(address, report);
}

async function verdict(page, { name, json }) {
  const headlines = {
    serializable: ["Serializable"], not_serializable: ["Not serializable"], unknown: ["Unknown"],
    error: ["Not understood", "Not readable"], reachable: ["Reachable"], unreachable: ["Unreachable"],
    sequentialized: ["Sequentialized"], proved: ["Proved"], refuted: ["Refuted"],
    not_inductive: ["Not inductive"],
  };
  const headline = (await page.textContent("h1")).trim();
  assert.ok(headlines[json.verdict].includes(headline), `${name}: ${headline}`);
  assert.equal(await page.textContent(".file"), json.file, name);
  const main = await page.textContent("main");
  if (json.proof) assert.ok(main.includes(json.proof.checked), `${name}: what was checked`);
  for (const text of json.tried ?? []) assert.ok(main.includes(text.slice(1)), `${name}: ${text}`);
  for (const error of json.errors ?? []) {
    assert.ok(main.includes(error.message.replaceAll("`", "").slice(1)), `${name}: ${error.message}`);
    if (error.line) await page.locator(`a[href="#L${error.line}"]`).first().waitFor();
  }
}

/** Steps through the run, forwards by keyboard and back by button, and looks at every step. */
async function interleaving(page, { name, json }, address) {
  const { steps } = json.counterexample;
  const at = async () => Number(await page.inputValue("#slider"));
  assert.equal(await at(), 0, name);
  for (let step = 1; step <= steps.length; step += 1) {
    await page.keyboard.press("ArrowRight");
    assert.equal(await at(), step, name);
    await compare(page, name, steps, step);
  }
  await page.keyboard.press("ArrowRight");
  assert.equal(await at(), steps.length, `${name}: there is nothing after the last step`);
  for (let step = steps.length - 1; step >= 1; step -= 1) {
    await page.click("#back");
    assert.equal(await at(), step, name);
    await compare(page, name, steps, step);
  }
  for (let step = 2; step <= steps.length; step += 1) {
    await page.click("#forward");
    await compare(page, name, steps, step);
  }
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Home");
  assert.equal(await at(), 0, name);
  await page.keyboard.press("End");
  assert.equal(await at(), steps.length, name);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await at(), steps.length - 1, name);

  // The step is in the address, so that it survives a reload.
  assert.ok(page.url().endsWith(`#step=${steps.length - 1}`), page.url());
  await page.reload();
  await compare(page, name, steps, steps.length - 1);

  // What is no step is the start; beyond the end is the end.
  for (const [wrong, expected] of [["-1", 0], ["abc", 0], ["", 0], ["1e1", 0], ["99999999999", steps.length]]) {
    await page.evaluate((hash) => { location.hash = hash; }, `#step=${steps.length - 1}`);
    await page.waitForFunction((value) => document.getElementById("slider").value === String(value), steps.length - 1);
    await page.evaluate((hash) => { location.hash = hash; }, `#step=${wrong}`);
    await page.waitForFunction((value) => document.getElementById("slider").value === String(value), expected);
  }

  // A click on a step of the figure, and the slider.
  await page.locator('.lanes [data-step="1"] .card').click({ position: { x: 4, y: 4 } });
  await compare(page, name, steps, 1);
  await page.focus("#slider");
  await page.keyboard.press("ArrowRight");
  assert.equal(await at(), 2, name);

  // Playing comes to the end by itself.
  await page.selectOption("#speed", "4");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press(steps.length > 20 ? "End" : "Home");
  if (steps.length > 20) for (let back = 0; back < 5; back += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press(" ");
  await page.waitForFunction((last) => document.getElementById("slider").value === String(last), steps.length);
  await compare(page, name, steps, steps.length);
  assert.equal(await page.getAttribute("#play", "aria-label"), "Play", name);

  // What comes closest one after the other.
  const rows = await page.locator(".runs tr, .quote li").count();
  const runs = (json.counterexample.closest_serial_runs ?? []).length;
  assert.ok(runs === 0 || rows > 0, `${name}: ${rows} rows for ${runs} runs`);
  for (const pause of json.counterexample.why?.pauses ?? []) {
    await page.locator(`#L${pause.line} .yield.blamed`).first().waitFor({ state: "attached" });
  }
  await page.goto("about:blank");
  await page.goto(`${address}#step=2`);
  await compare(page, name, steps, 2);
}

/** At every step, and on a phone too: controls, values and the step itself can be seen. */
async function stepsStayInView(page, { name, json }) {
  const last = json.counterexample.steps.length;
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Home");
    for (const key of [...Array(Math.min(last, 12)).fill("ArrowRight"), "End"]) {
      await page.keyboard.press(key);
      const seen = await page.evaluate(() => {
        const box = (what) => {
          const { top, bottom, width } = document.querySelector(what).getBoundingClientRect();
          return { top, bottom, width };
        };
        return { dock: box(".dock"), play: box("#play"), requests: box("#requests"), card: box(".lanes .current .card") };
      });
      const where = `${name} at ${size.width} px after ${key}: ${JSON.stringify(seen)}`;
      assert.ok(seen.play.top >= 0 && seen.requests.bottom <= size.height, where);
      assert.ok(seen.dock.bottom - seen.dock.top <= size.height / 2, where);
      assert.ok(seen.card.top >= seen.dock.bottom - 1, where);
      assert.ok(seen.card.bottom <= size.height + 1, where);
      assert.ok(seen.card.width >= 260, where);
    }
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height < 12000, `${name} at ${size.width} px: ${height} px`);
  }
  // Numbers of lines stay in one piece.
  const rows = await page.evaluate(() => [...document.querySelectorAll(".card li a, .code .no")].filter((link) => {
    const range = document.createRange();
    range.selectNodeContents(link);
    return new Set([...range.getClientRects()].map((box) => box.top)).size > 1;
  }).length);
  assert.equal(rows, 0, `${name}: numbers of lines that are broken`);
  await page.setViewportSize(WIDE);
}

/** What the page shows at a step is what the JSON says. */
async function compare(page, name, steps, step) {
  const shown = await page.evaluate(() => ({
    lines: [...document.querySelectorAll(".line.now")].map((line) => Number(line.dataset.line)),
    globals: Object.fromEntries([...document.querySelectorAll("[data-global]")].map((e) => [e.dataset.global, e.textContent])),
    requests: Object.fromEntries([...document.querySelectorAll("[data-request]")].map((row) => [
      row.dataset.request,
      {
        words: row.querySelector(".state").textContent,
        locals: Object.fromEntries([...row.querySelectorAll("[data-local]")].map((e) => [e.dataset.local, e.dataset.value])),
      },
    ])),
    stands: [...document.querySelectorAll(".stand b")].map((e) => e.textContent),
    current: [...document.querySelectorAll(".lanes .current")].map((row) => Number(row.dataset.step)),
    said: document.getElementById("say").textContent,
    folded: document.querySelector(".folded")?.textContent,
  }));
  const where = `${name}, step ${step}`;
  const now = steps[step - 1];
  assert.deepEqual(shown.lines, [...now.lines].sort((a, b) => a - b), `${where}: lines`);
  const text = (values) => Object.fromEntries(Object.entries(values).map(([k, v]) => [k, String(v)]));
  assert.deepEqual(shown.globals, text(now.globals), `${where}: globals`);
  const expected = {};
  for (const { request } of steps) expected[request] = { words: "not here yet", locals: {} };
  for (const done of steps.slice(0, step)) {
    const responded = done.responds !== undefined;
    expected[done.request] = { responded, responds: done.responds, locals: text(done.locals ?? {}) };
  }
  // Of many requests, only those in flight and the current one are listed; the others are counted.
  const folded = { done: 0, "not here yet": 0 };
  const many = Object.keys(expected).length > 8;
  for (const [number, { words, responded }] of Object.entries(expected)) {
    const matters = responded === false || Number(number) === now.request;
    if (!many || matters) continue;
    folded[words ?? "done"] += 1;
    delete expected[number];
  }
  const parts = Object.entries(folded).filter(([, count]) => count > 0);
  const count = folded.done + folded["not here yet"];
  const more = count > 0 ? `and ${count} more: ${parts.map(([what, n]) => `${n} ${what}`).join(", ")}` : undefined;
  assert.equal(shown.folded, more, where);
  assert.deepEqual(Object.keys(shown.requests), Object.keys(expected), where);
  let standing = 0;
  for (const [number, request] of Object.entries(expected)) {
    const found = shown.requests[number];
    assert.deepEqual(found.locals, request.locals, `${where}: locals of #${number}`);
    if (request.words) assert.equal(found.words, request.words, where);
    else if (request.responded) assert.equal(found.words, `responded ${request.responds}`, where);
    else assert.match(found.words, /^(paused|before line|in) /, where);
    if (request.responded === false) standing += 1;
  }
  if (now.lines.length > 0) assert.equal(shown.stands.length, standing, `${where}: who stands where`);
  assert.deepEqual(shown.current, [step], where);
  assert.ok(shown.said.startsWith(`#${now.request} ${now.name}`), `${where}: ${shown.said}`);
}

/** Names are text: nothing in them has become an element or has run. */
async function hostile(page, name) {
  const found = await page.evaluate(() => ({
    scripts: document.scripts.length,
    injected: document.querySelectorAll("main script, main img, main iframe, [onerror], [onload], [onclick]").length,
    ran: "ran" in window,
  }));
  assert.deepEqual(found, { scripts: 2, injected: 0, ran: false }, name);
}

async function certificate(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  const text = readFileSync(await download.path(), "utf8");
  assert.ok(JSON.parse(text).format !== undefined || text.includes("sha256"), `${name}: a certificate`);
}

async function pictures(page, name) {
  for (const fold of await page.locator(".pictures details").all()) {
    // A picture may be in a fold of a fold.
    await fold.evaluate((it) => {
      for (let at = it; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    });
    await fold.locator("svg").last().waitFor();
    const before = await fold.locator("svg").last().evaluate((svg) => svg.clientWidth);
    await fold.locator('[data-zoom="1.25"]').click();
    const after = await fold.locator("svg").last().evaluate((svg) => svg.clientWidth);
    assert.ok(after > before, `${name}: a picture that can be zoomed`);
  }
}

/** The page itself never scrolls sideways, and nothing hangs out of its box. */
async function fits(page, name) {
  const wide = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const out = [];
    if (document.documentElement.scrollWidth > width) out.push(`page: ${document.documentElement.scrollWidth}`);
    for (const element of document.querySelectorAll("body *")) {
      if (element.closest(".scroll, pre, .skip, svg") || element.matches(".skip")) continue;
      const box = element.getBoundingClientRect();
      if (box.width > 0 && box.right > width + 1) out.push(`${element.tagName}.${element.className}: ${box.right}`);
    }
    return out.slice(0, 5);
  });
  assert.deepEqual(wide, [], name);
}

/** Of a long source, the lines of the run can be seen at once. */
async function opensWhereSomethingHappens(address, { name, json }) {
  const line = json.counterexample?.steps.flatMap((step) => step.lines)[0];
  if (line === undefined) return;
  const page = await open(address, { name });
  const [at, box] = await page.evaluate((number) => {
    const line = document.getElementById(`L${number}`);
    return [line, line.closest(".scroll")].map((e) => ({ top: e.getBoundingClientRect().top, bottom: e.getBoundingClientRect().bottom }));
  }, line);
  assert.ok(at.top >= box.top && at.bottom <= box.bottom, `${name}: line ${line}`);
  await page.close();
}

/** Light and dark follow the system, and the button turns them around. */
async function themes(page, name) {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await colour();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await colour();
  assert.notEqual(light, dark, name);
  await page.click("#theme");
  assert.equal(await colour(), light, name);
  await page.click("#theme");
  assert.equal(await colour(), dark, name);
  await page.evaluate(() => localStorage.clear());
}

async function readableWithoutScripts(address, { name, json }) {
  const page = await open(address, { name, javaScript: false });
  await verdict(page, { name, json });
  assert.equal(await page.isVisible(".player"), false, name);
  const { steps } = json.counterexample ?? { steps: [] };
  assert.equal(await page.locator(".lanes li.row:visible").count(), steps.length > 0 ? steps.length + 1 : 0, name);
  for (const [i, step] of steps.entries()) {
    const row = await page.textContent(`.lanes [data-step="${i + 1}"]`);
    assert.ok(row.includes(`#${step.request} ${step.name}`), `${name}: ${row}`);
    if (step.responds !== undefined) assert.ok(row.includes(`responds ${step.responds}`), `${name}: ${row}`);
  }
  page.verify();
  await page.close();
}

async function lookAtIndex({ page: path, names }) {
  const page = await open(pathToFileURL(path).href, { name: "index" });
  assert.deepEqual(await page.locator(".files tbody th").allTextContents(), names);
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    await fits(page, `index at ${size.width} px`);
  }
  page.verify();
  for (const link of await page.locator(".files a").all()) {
    const answer = await context.newPage();
    await answer.goto(new URL(await link.getAttribute("href"), page.url()).href);
    await answer.locator("h1").waitFor();
    await answer.close();
  }
  await page.close();
}

/** Several runs on one page: each has its own player, and the listing shows the one touched last. */
async function lookAtSeveral({ page: path }) {
  const address = pathToFileURL(path).href;
  const page = await open(address, { name: "several" });
  const at = () => page.evaluate(() => ["slider", "slider-2"].map((id) => Number(document.getElementById(id).value)));
  const now = () => page.evaluate(() => [...document.querySelectorAll(".line.now")].map((l) => Number(l.dataset.line)));
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await at(), [1, 0]);
  const first = await now();
  await page.click("#forward-2");
  assert.deepEqual(await at(), [1, 1]);
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await at(), [1, 2], "keys are for the run that was touched last");
  assert.ok(page.url().endsWith("#run=2&step=2"), page.url());
  const second = await now();
  assert.ok(first.length > 0 && second.length > 0);
  await page.reload();
  assert.deepEqual([await at(), await now()], [[0, 2], second], "the address names run and step");
  await page.locator(".lanes").first().locator('[data-step="1"] .card').click({ position: { x: 4, y: 4 } });
  assert.deepEqual([await at(), await now()], [[1, 2], first]);
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((e) => e.id));
  assert.equal(new Set(ids).size, ids.length, "ids are unique");
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    await fits(page, `several at ${size.width} px`);
  }
  page.verify();
  await page.close();
}

/** A page that `ser check --watch` writes follows its source, and keeps its step. */
async function lookWhileItChanges({ command, source, page: path, text }) {
  writeFileSync(source, text);
  const child = spawn(command, ["check", "--watch", "--format", "json", "--html", path, source]);
  try {
    await once(child.stdout, "data");
    const page = await open(pathToFileURL(path).href, { name: "watch" });
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const now = () => page.evaluate(() => [...document.querySelectorAll(".line.now")].map((l) => Number(l.dataset.line)));
    const lines = await now();
    assert.ok(lines.length > 0);
    writeFileSync(source, `\n\n${text}`);
    await page.waitForFunction((line) => document.querySelector(`#L${line}.now`), lines[0] + 2);
    assert.deepEqual(await now(), lines.map((line) => line + 2));
    assert.equal(await page.inputValue("#slider"), "2");
    page.verify();
    await page.close();
  } finally {
    child.kill("SIGINT");
    await once(child, "exit");
  }
}
