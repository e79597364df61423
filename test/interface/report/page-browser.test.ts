/** The page of a report in headless Chromium: one browser for all cases. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReportDocument } from "../../../src/interface/report/document.ts";
import { reportPage } from "../../../src/interface/report/page/page.ts";
import { testUnless } from "../../support/skip.ts";
import { chromium } from "./support/chromium.ts";
import { fromModel, modelOf, withAll, withName } from "./support/documents.ts";
import { figureFaults, reachable, scrollsSideways } from "./support/in-page.ts";

const path = chromium();
const missing = path === undefined ? "install chromium, or name it in TUNDISH_TEST_CHROMIUM" : null;

const WIDTHS = [1280, 390] as const;
const SCHEMES = ["light", "dark"] as const;
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const two = withAll(modelOf("smelt-hist-brie"));
const documents: Readonly<Record<string, () => ReportDocument>> = {
  "4 PEs, all parts": () => two,
  "4 PEs, a model alone": () => fromModel(modelOf("smelt-hist-nos")),
  "16 PEs, names as of an attacker": () =>
    withName(withAll(modelOf("c2c-amd-ryzen-7-5700x")), `<script>fail()</script>"'&`),
  "64 PEs, all parts": () => withAll(modelOf("c2c-dual-intel-xeon-platinum-8358-cpu-2-60ghz"), 0),
  "192 PEs, all parts": () => withAll(modelOf("c2c-dual-amd-epyc-9654-96-core-processor"), 0),
};

const test = suite("pages in chromium");
const folder = mkdtempSync(join(tmpdir(), "tundish-report-"));
let browser: Browser | undefined;

const open = async (): Promise<Browser> => {
  browser ??= await puppeteer.launch({
    executablePath: path as string,
    // its sandbox does not start as root
    args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"],
  });
  return browser;
};
test.after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page that is watched: what it complains about, and what it asks for. */
interface Watched {
  readonly page: Page;
  readonly complaints: string[];
}

async function show(html: string, hasScript = true): Promise<Watched> {
  const page = await (await open()).newPage();
  const complaints: string[] = [];
  const file = join(folder, "report.html");
  const url = pathToFileURL(file).href;
  writeFileSync(file, html);
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error instanceof Error ? error.message : String(error)}`));
  page.on("request", (request) => {
    const asked = request.url();
    if (asked.split("#")[0] !== url && !asked.startsWith("data:")) complaints.push(`request: ${asked}`);
  });
  await page.setJavaScriptEnabled(hasScript);
  await look(page, 1280, "light");
  await page.goto(url);
  return { page, complaints };
}

async function look(page: Page, width: number, scheme: string): Promise<void> {
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

async function violations(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}

for (const [name, make] of Object.entries(documents)) {
  testUnless(test, missing, `in chromium: ${name}`, async () => {
    const report = make();
    // what axe looks at is the same in large pages, and takes seconds there
    const isSmall = report.machine.pes.length <= 16;
    const html = reportPage(report);
    assert.ok(html.length < 1e6, `${html.length} bytes`);
    const { page, complaints } = await show(html);
    // the page's policy does not let it in as a script of the page
    if (isSmall) await page.evaluate(readFileSync(axe, "utf8"));
    for (const width of WIDTHS)
      for (const scheme of SCHEMES) {
        await look(page, width, scheme);
        const where = `${width} px, ${scheme}`;
        assert.equal(await page.evaluate(figureFaults), [], where);
        assert.not.ok(await page.evaluate(scrollsSideways), `${where}: the page scrolls sideways`);
        if (isSmall) assert.equal(await violations(page), [], where);
      }
    assert.equal(complaints, []);
    await page.close();
  });
}

testUnless(test, missing, "in chromium: the scheme is chosen by a button, and remembered", async () => {
  const { page, complaints } = await show(reportPage(two));
  const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const pressed = () => page.$eval("#theme", (button) => button.getAttribute("aria-pressed"));
  const light = await paper();
  assert.is(await pressed(), "false");
  await page.focus("#theme");
  await page.keyboard.press("Enter");
  const dark = await paper();
  assert.is.not(dark, light);
  assert.is(await pressed(), "true");
  await page.reload();
  assert.is(await paper(), dark);
  assert.is(await pressed(), "true");
  await page.click("#theme");
  assert.is(await paper(), light);
  assert.equal(complaints, []);
  await page.close();
});

testUnless(test, missing, "in chromium: all that can be used is reached by Tab, in the order of the page", async () => {
  const { page } = await show(reportPage(two));
  await page.$$eval("details", (all) => {
    for (const one of all) (one as { open?: boolean }).open = true;
  });
  const expected = await page.evaluate(reachable);
  const reached: string[] = [];
  for (let i = 0; i < expected.length; i++) {
    await page.keyboard.press("Tab");
    reached.push(
      (await page.evaluate(
        "(() => { const e = document.activeElement; const s = getComputedStyle(e); return e.tagName + ' ' + (e.id || e.textContent.slice(0, 30)) + (s.outlineStyle === 'none' ? ' without outline' : ''); })()",
      )) as string,
    );
  }
  assert.equal(reached, expected);
  await page.close();
});

testUnless(test, missing, "in chromium: a cell of a heat map tells its value by pointer and by keys", async () => {
  const own = modelOf("c2c-dual-intel-xeon-platinum-8358-cpu-2-60ghz");
  for (const machine of [two.machine, own]) {
    const { page, complaints } = await show(reportPage(fromModel(machine, 0)));
    const told = () => page.$eval("#receive .readout", (p) => p.textContent ?? "");
    const before = await told();
    await page.focus("#receive .drawn");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    const [, from, to, value] = /^PE (\d+) to PE (\d+): (?:about )?([\d.]+) /.exec(await told()) ?? [];
    const real = machine.receive[Number(from)]?.[Number(to)] as number;
    assert.ok(Math.abs(Number(value) - real) <= 0.02 * real + 0.1, `${await told()}, expected ${real}`);
    const cells = await page.$("#receive .cells");
    const box = await cells?.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.99, box.y + box.height * 0.01);
    assert.match(await told(), new RegExp(`^PE 0 to PE ${machine.pes.length - 1}: `));
    await page.mouse.move(0, 0);
    await page.$eval("#receive .drawn", (drawn) => (drawn as { blur?: () => void }).blur?.());
    assert.is(await told(), before);
    assert.equal(complaints, []);
    await page.close();
  }
});

testUnless(test, missing, "in chromium: the page is complete without its script", async () => {
  const { page, complaints } = await show(reportPage(two), false);
  assert.equal(await page.evaluate(figureFaults), []);
  assert.is(await page.$eval("#theme", (button) => button.getClientRects().length), 0);
  await page.click("#receive summary");
  const box = await (await page.$("#receive table"))?.boundingBox();
  assert.ok(box !== null && box !== undefined && box.height > 0, "tables open");
  assert.equal(complaints, []);
  await page.close();
});

test.run();
