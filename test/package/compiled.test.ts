/** The library as it is published keeps V8's code of its parts between runs, and does without. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";

const test = suite("compiled");
const dir = mkdtempSync(join(tmpdir(), "tundish-compiled-"));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const file = join(dir, "program.mjs");
const lib = (name: string): string => JSON.stringify(pathToFileURL(join(root, `dist/lib/${name}.js`)).href);
writeFileSync(
  file,
  `import { isEntry, launch, spmd, u32 } from ${lib("index")};
  import { conveyor } from ${lib("conveyor")};
  export default spmd((pe) => {
    let sum = 0;
    conveyor(pe, u32).run((push) => push(1 - pe.rank, 7 + pe.rank), (x) => { sum += x; });
    return pe.allreduce(sum, "sum");
  });
  if (isEntry(import.meta)) console.log(JSON.stringify(await launch(import.meta.url, { pes: 2 })));`,
);
/** What each thread draws first: whether it looks for code that is not kept yet. No option of V8: the folder is the same. */
const draws = join(dir, "draws.cjs");
writeFileSync(
  draws,
  "const { random } = Math; Math.random = () => { Math.random = random; return Number(process.env.DRAWN); };",
);
/** @param last options, or another program */
const runDrawing = (drawn: number, cache: string, ...last: string[]): string => {
  const words = last.length > 0 && !last[0]?.startsWith("-") ? last : [...last, file];
  return execFileSync(process.execPath, ["--require", draws, ...words], {
    encoding: "utf8",
    env: { ...process.env, TUNDISH_CACHE: cache, DRAWN: `${drawn}` },
  }).trim();
};
/** As most processes: it does not look. */
const run = (cache: string, ...last: string[]): string => runDrawing(0.5, cache, ...last);

const cache = join(dir, "cache");
const code = join(cache, "v8-code");
/** The files of code, in all folders of it. */
const kept = (): string[] =>
  (existsSync(code) ? (readdirSync(code, { recursive: true }) as string[]) : [])
    .filter((name) => name.endsWith(".js"))
    .sort();
const generations = (): number[] => kept().map((name) => readFileSync(join(code, name)).readUInt32LE(0));

/** Each process needs them. */
const PARTS = ["main-chunk-base.js", "main-chunk-start.js", "thread-chunk-thread.js", "thread-chunk-sessions.js"];

test("what the first processes compile is kept, of the main thread and of one PE; then nothing is written", () => {
  const names = (): (string | undefined)[] => kept().map((name) => name.split("/").at(-1));
  const generation = (part: string): number => generations()[names().indexOf(part)] ?? 0;
  // a run that takes long keeps nothing, or not all
  for (let most = 0, i = 0; !PARTS.every((part) => generation(part) === 5) && i < 60; i++) {
    assert.is(run(cache), "[15,15]");
    const next = Math.max(0, ...generations());
    assert.ok(next === most || next === most + 1, `${most}, then ${next}`);
    most = next;
  }
  for (const part of PARTS) assert.is(generation(part), 5, `${part} in ${names()}`);
  // what a busy machine has loaded in some of the runs only is not complete yet
  const complete = generations();
  const files = kept();
  const stats = () => files.map((name) => statSync(join(code, name)));
  const before = stats();
  assert.is(run(cache), "[15,15]");
  for (const [i, { mtimeMs }] of stats().entries())
    assert.ok(complete[i] < 5 || mtimeMs === before[i].mtimeMs, files[i]);
});

test("what another program calls is kept later, by one of some processes", () => {
  const sessions = kept().find((name) => name.endsWith("thread-chunk-sessions.js")) as string;
  const bytes = (): number => readFileSync(join(code, sessions)).length;
  const before = bytes();
  const other = join(dir, "other.mjs");
  const columns = `const c = conveyor(pe, u32);
    const [dests, column] = [Uint32Array.of(1 - pe.rank), Uint32Array.of(7 + pe.rank)];
    c.begin();
    for (let i = 0; c.advance(i === 1); ) {
      i = c.pushAll(dests, column, i, 1);
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) sum += batch.columns[0];
    }
    c.reset();`;
  writeFileSync(other, readFileSync(file, "utf8").replace(/conveyor\(pe, u32\).*/, columns));
  // one in sixteen
  assert.is(runDrawing(1 / 16, cache, other), "[15,15]");
  assert.is(bytes(), before);
  // a run that takes long keeps nothing
  for (let i = 0; bytes() === before && i < 20; i++) assert.is(runDrawing(1 / 16 - 1e-9, cache, other), "[15,15]");
  assert.ok(bytes() > before);
  assert.is(readFileSync(join(code, sessions)).readUInt32LE(0), 5);
});

test("other options of Node.js have a folder of their own", () => {
  const before = readdirSync(code).length;
  assert.is(run(cache, "--max-old-space-size=200"), "[15,15]");
  assert.is(readdirSync(code).length, before + 1);
});

/** Changes the complete files; later runs make them again. */
function madeAgain(change: (whole: Buffer) => void): void {
  const isComplete = (name: string): boolean => readFileSync(join(code, name)).readUInt32LE(0) === 5;
  for (let i = 0; i < 10 && !kept().some(isComplete); i++) run(cache);
  const names = kept().filter(isComplete);
  assert.ok(names.length > 0);
  for (const name of names) {
    const whole = readFileSync(join(code, name));
    change(whole);
    writeFileSync(join(code, name), whole);
  }
  const isNew = (): boolean => !names.some(isComplete);
  for (let i = 0; i < 10 && !isNew(); i++) assert.is(run(cache), "[15,15]");
  assert.ok(isNew());
}

test("complete files that V8 refuses, as if they were of other options, are made again", () => {
  // the hash of V8's options is the fourth word of its code, which is there twice
  madeAgain((whole) => {
    for (const at of [8, 8 + (whole.length - 8) / 2])
      whole.writeUInt32LE((whole.readUInt32LE(at + 12) ^ 1) >>> 0, at + 12);
  });
});

test("files that were changed are made again", () => {
  madeAgain((whole) => whole.fill(0xa5, whole.length >> 2, (whole.length >> 2) + 64));
});

test("without a folder for it", () => {
  for (const none of ["off", "/proc/none"]) assert.is(run(none), "[15,15]");
  assert.not.ok(existsSync(join(dir, "off")));
});

test.run();
