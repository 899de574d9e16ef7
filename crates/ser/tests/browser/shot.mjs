import { chromium } from "playwright-core";
const out = process.argv[2];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless","--no-sandbox","--disable-gpu","--disable-quic","--no-first-run","--disable-background-networking","--disable-component-update","--disable-sync"] });
for (const arg of process.argv.slice(3)) {
  const [file, width, theme, step, full] = arg.split(",");
  const page = await browser.newPage({ viewport: { width: Number(width), height: width < 800 ? 850 : 1000 }, colorScheme: theme });
  page.on("console", (m) => console.log("console", m.text()));
  page.on("pageerror", (m) => console.log("error", m.message));
  await page.goto("file://" + file + (step ? "#step=" + step : ""));
  if (full === "open") for (const d of await page.$$("details")) await d.evaluate((e) => { e.open = true; });
  const name = file.split("/").pop() + "-" + width + "-" + theme + ".png";
  await page.screenshot({ path: out + "/" + name, fullPage: true });
  console.log(name, await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]));
  await page.close();
}
await browser.close();
