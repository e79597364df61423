/** Parts of the built package as scripts, and V8's code of them: what another process finds, and what is not believed. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vm from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isGrowing, keepCompiled, readCompiled } from "../../../../src/ground/base/parts/compiled.ts";
import { type Script, scriptOf } from "../../../../src/ground/base/parts/script.ts";

const test = suite("parts");
const above = mkdtempSync(join(tmpdir(), "tundish-parts-"));
const folder = join(above, "code/0123456789abcdef");
test.after(() => rmSync(above, { recursive: true, force: true }));

const run = (text: string, ...args: Parameters<Script>): ReturnType<Script> =>
  (vm.runInThisContext(scriptOf(text)) as Script)(...args);
const nothing: Parameters<Script> = [() => ({}), "", () => Promise.reject(), () => Promise.reject()];

test("a module becomes a script with the same exports, and the same lines", () => {
  const text = [
    'import "./chunk-first.js";',
    'import { a, $b as b, c as d$1 } from "./chunk-x.js";',
    "const $url = import.meta.url;",
    'const $import = (name) => ({ "./chunk-y.js": () => import("./chunk-y.js") })[name]();',
    "const sum = a + b + d$1;",
    "const later = () => $import('./chunk-y.js');",
    "const own = () => new Error().stack;",
    "",
    "export { sum, $url as place, later as default, own };",
  ].join("\n");
  const loaded: string[] = [];
  const load = (name: string) => {
    loaded.push(name);
    return { a: 1, $b: 20, c: 300 };
  };
  const part = run(text, load, "file:///here", (name) => Promise.resolve(`the part ${name}`), nothing[3]);
  assert.equal(loaded, ["./chunk-first.js", "./chunk-x.js"]);
  assert.equal(Object.keys(part), ["sum", "place", "default", "own"]);
  assert.is(part.sum, 321);
  assert.is(part.place, "file:///here");
  assert.match((part.own as () => string)(), /:7:/);
  return (part.default as () => Promise<string>)().then((is) => assert.is(is, "the part ./chunk-y.js"));
});

test("without imports, without exports, and with an export at once", () => {
  assert.equal(run("const x = 1;\nexport { x as y };\n", ...nothing), { y: 1 });
  assert.equal(run("globalThis.partRan = 1;\n", ...nothing), {});
  assert.equal(run("export {  };", ...nothing), {});
  assert.throws(() => scriptOf('import all, { one } from "./chunk-x.js";\n'), /expected an import of names/);
});

const script = `(() => { ${"x".repeat(10)}: for (;;) { break ${"x".repeat(10)}; } return 7; })`;
const code = new vm.Script(script).createCachedData();

test("another process finds what was kept, and how often", () => {
  assert.is(readCompiled(folder, "one", 9), undefined);
  assert.ok(isGrowing(undefined));
  keepCompiled(folder, "one", { code, generation: 1, source: 9 });
  const kept = readCompiled(folder, "one", 9);
  assert.is(kept?.generation, 1);
  const { cachedDataRejected, runInThisContext } = new vm.Script(script, { cachedData: kept?.code });
  assert.type(runInThisContext, "function");
  assert.is(cachedDataRejected, false);
  assert.ok(isGrowing(kept));
  keepCompiled(folder, "one", { code, generation: 5, source: 9 });
  assert.not.ok(isGrowing(readCompiled(folder, "one", 9)));
  assert.is(readCompiled(folder, "one", 8), undefined, "of another source");
  assert.equal(readdirSync(folder), ["one"], "no file of which a part is written");
});

test("a file that was changed, cut off, or cannot be read is none", () => {
  const file = join(folder, "one");
  const whole = readFileSync(file);
  for (let at = 8; at < whole.length; at += 97) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(file, changed);
    assert.is(readCompiled(folder, "one", 9), undefined, `byte ${at}`);
  }
  for (const length of [0, 7, 8, 9, whole.length - 1]) {
    writeFileSync(file, whole.subarray(0, length));
    assert.is(readCompiled(folder, "one", 9), undefined, `${length} bytes`);
  }
  writeFileSync(file, whole);
  assert.ok(readCompiled(folder, "one", 9));
});

test("nothing is thrown where nothing can be kept", () => {
  for (const place of ["/proc/none", join(folder, "one/below")]) {
    keepCompiled(place, "one", { code, generation: 1, source: 9 });
    assert.is(readCompiled(place, "one", 9), undefined);
  }
});

test("a new folder removes the old ones beside it, and nothing that is not one", () => {
  const [old, recent, users] = ["0".repeat(16), "1".repeat(16), "thesis"].map((name) => join(above, "code", name));
  for (const [one, days] of [
    [old, 31],
    [recent, 29],
    [users, 3000],
  ] as const) {
    mkdirSync(one as string);
    const at = Date.now() / 1000 - days * 24 * 3600;
    utimesSync(one as string, at, at);
  }
  keepCompiled(join(above, "code/fedcba9876543210"), "one", { code, generation: 1, source: 9 });
  assert.equal(readdirSync(join(above, "code")).sort(), [
    "0123456789abcdef",
    "1".repeat(16),
    "fedcba9876543210",
    "thesis",
  ]);
});

test.run();
