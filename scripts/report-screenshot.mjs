// Pictures of a report for the documentation: node scripts/report-screenshot.mjs report.html docs/report.png
//   [--width 1280] [--dark] [--height PIXELS] [--part ID]
// The first --height pixels of the page, or the element with that id. Needs Chromium (TUNDISH_TEST_CHROMIUM, else the
// chromium in PATH).
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import puppeteer from "puppeteer-core";
import { chromium } from "../dist/test/interface/report/support/chromium.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: "string", default: "1280" },
    height: { type: "string" },
    dark: { type: "boolean", default: false },
    part: { type: "string" },
  },
});
const [page, picture] = positionals;
if (page === undefined || picture === undefined) {
  console.error("expected a page and a picture: node scripts/report-screenshot.mjs report.html docs/report.png");
  process.exit(2);
}
const executablePath = chromium();
if (executablePath === undefined) {
  console.error("chromium is not in PATH: install it, or name it in TUNDISH_TEST_CHROMIUM");
  process.exit(3);
}

// Chromium's own sandbox does not start as root
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--hide-scrollbars"] });
try {
  const tab = await browser.newPage();
  const width = Number(values.width);
  await tab.setViewport({ width, height: 900, deviceScaleFactor: 1 });
  await tab.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: values.dark ? "dark" : "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await tab.goto(pathToFileURL(resolve(page)).href);
  const whole = values.part === undefined ? tab : await tab.$(`[id="${values.part}"]`);
  if (whole === null) throw new Error(`${page}: expected an element with the id ${values.part}`);
  const all = await tab.evaluate(() => document.documentElement.scrollHeight);
  const height = Math.min(all, Number(values.height ?? all));
  await (values.part === undefined
    ? tab.screenshot({ path: picture, captureBeyondViewport: true, clip: { x: 0, y: 0, width, height } })
    : whole.screenshot({ path: picture }));
} finally {
  await browser.close();
}
