/** The parts that make the CLI's texts, and its table of exit codes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Comparison, Measured } from "../../../microbench/pairs/profiled.ts";
import * as errors from "../../../src/ground/base/errors.ts";
import { mean, median, quantile, standardDeviation } from "../../../src/ground/base/math.ts";
import { amountText, bytesText, durationText, percentText, ratioText } from "../../../src/ground/base/units.ts";
import { byteCount, milliseconds, numberList, wholeNumber } from "../../../src/interface/cli/terminal/arguments.ts";
import { errorEntry, errorText, exitCodeOf } from "../../../src/interface/cli/terminal/exit.ts";
import { CommandOutput } from "../../../src/interface/cli/terminal/output.ts";
import { showProgress } from "../../../src/interface/cli/terminal/progress.ts";
import { wrapText } from "../../../src/interface/cli/terminal/wrap.ts";
import { printComparison } from "../../../src/interface/cli/text/comparison-text.ts";
import { printCosts } from "../../../src/interface/cli/text/cost-text.ts";
import { tableText } from "../../../src/interface/cli/text/table.ts";
import { topologyText } from "../../../src/interface/cli/text/topology-text.ts";
import type { Topology } from "../../../src/machine/model/machine-model.ts";
import { guessModel } from "../../../src/machine/topology/guess.ts";
import { Kept } from "./support/kept.ts";

const test = suite("cli text");

test("numbers for people", () => {
  assert.equal([1, 1536, 32 * 1024 ** 2, 3 * 1024 ** 4].map(bytesText), ["1 B", "1.5 KiB", "32 MiB", "3 TiB"]);
  assert.equal([0, 0.1234, 4.567, 41.66, 12053.4].map(amountText), ["0", "0.123", "4.57", "41.7", "12053"]);
  assert.equal([0, 83, 12_500, 2.0607e6, 1.5e9].map(durationText), ["0 ns", "83 ns", "12.5 us", "2.061 ms", "1.5 s"]);
  assert.equal([1, 17.44, 230.4, Number.NaN].map(ratioText), ["1.00 x", "17.4 x", "230 x", "-"]);
  assert.equal([0.004, 0.55].map(percentText), ["0.4 %", "55 %"]);
});

test("few numbers for many", () => {
  assert.is(median([9, 1, 5]), 5);
  assert.is(median([9, 1, 5, 7]), 6);
  assert.is(median([1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]), Number.POSITIVE_INFINITY);
  assert.equal(
    [0, 0.25, 0.5, 1].map((p) => quantile([10, 2, 30], p)),
    [2, 6, 10, 30],
  );
  assert.is(mean([1, 2, 6]), 3);
  assert.is(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9]), 2);
  for (const none of [median([]), mean([])]) assert.ok(Number.isNaN(none));
});

test("progress on a terminal: a line that is written over, at most ten times a second, and removed", () => {
  const { stderr } = process;
  const { isTTY, columns, write } = stderr;
  const written: string[] = [];
  Object.assign(stderr, { isTTY: true, columns: 40, write: (text: string) => written.push(text) });
  try {
    const progress = showProgress(new CommandOutput(), "profile");
    progress.onProgress({ stage: "pass 1: pair 1 of 2", done: 0.25 });
    progress.onProgress({ stage: "at once again", done: 0.5 });
    progress.stop();
  } finally {
    Object.assign(stderr, { isTTY, columns, write });
  }
  const again = `\r${String.fromCharCode(27)}[K`;
  assert.equal(written, [`${again}profile [======------------------] 25 % `.slice(0, again.length + 39), again]);
});

test("progress in a pipe: a line for each stage, and what a long one is at and how long the rest may take", () => {
  const { stderr } = process;
  const { isTTY, write } = stderr;
  const written: string[] = [];
  let time = 0;
  Object.assign(stderr, { isTTY: false, write: (text: string) => written.push(text) });
  try {
    const { onProgress } = showProgress(new CommandOutput(), "profile", () => time);
    onProgress({ stage: "pass 1: pair 1 of 2", done: 0 });
    onProgress({ stage: "pass 1: pair 2 of 2", done: 0.25 });
    time = 20_000;
    onProgress({ stage: "pass 1: pair 2 of 2", done: 0.25 });
    time = 21_000;
    onProgress({ stage: "pass 1: again", done: 0.5 });
    onProgress({ stage: "pass 2", done: 0.5 });
    const quiet = showProgress(new CommandOutput({ quiet: true }), "profile", () => time);
    quiet.onProgress({ stage: "pass 1", done: 0 });
  } finally {
    Object.assign(stderr, { isTTY, write });
  }
  assert.equal(written, ["profile: pass 1\n", "profile: pass 1: pair 2 of 2, 25 %, 60 s left\n", "profile: pass 2\n"]);
});

test("long lines are broken between words, and what continues them is indented", () => {
  assert.is(
    wrapText("one two three\n  four five six\nseven", 2, 10),
    "one two\n  three\n  four\n    five\n    six\nseven",
  );
  assert.is(wrapText("a-word-that-has-no-break", 2, 10), "a-word-that-has-no-break");
  assert.is(wrapText(""), "");
});

test("options: numbers, lists, times, bytes", () => {
  assert.equal(numberList("5,0-2, 9"), [5, 0, 1, 2, 9]);
  for (const bad of ["", "1,,2", "2-1", "-1", "1.5", "0-99999999"]) assert.throws(() => numberList(bad), /Expected/);
  assert.throws(() => numberList("0-1000000000"), /at most 65536 numbers .* got 0-1000000000, .* too large/);
  assert.throws(() => numberList("1,5-3"), /ascending ranges, got 5-3/);
  assert.throws(() => numberList("4,0-2,1"), /each number once, got 1 twice/);
  assert.is(wholeNumber(1, 8)("8"), 8);
  assert.equal(["1e4", "1.5E3", "1_000_000", "2e+2"].map(wholeNumber(1)), [10_000, 1500, 1_000_000, 200]);
  for (const bad of ["0", "9", "1.0", "1.25e1", "1e-1", "1_", "_1", "1__0", "1e400", " 1", ""])
    assert.throws(() => wholeNumber(1, 8)(bad), /from 1 to 8/);
  assert.is(milliseconds("0.5"), 0.5);
  for (const bad of ["0", "-1", "", "Infinity"]) assert.throws(() => milliseconds(bad), /above 0/);
  assert.equal(["65536", "2G", "1.5k", "512MiB", "1e6", "1_000"].map(byteCount), [
    65536,
    2 ** 31,
    1536,
    2 ** 29,
    1e6,
    1000,
  ]);
  for (const bad of ["", "0", "G", "1T", "-1M", "_", "1e400"]) assert.throws(() => byteCount(bad), /number of bytes/);
});

test("tables: no lines, numbers to the right, nothing behind the last column", () => {
  const text = tableText(
    ["name", "ns"],
    [
      ["a", "1.0"],
      ["long", "100.0"],
    ],
  );
  assert.is(text, "name      ns\na        1.0\nlong   100.0");
  // colours take no room, and what is read as one character takes one place
  const esc = String.fromCharCode(27);
  const styled = `${esc}[31mred${esc}[39m`;
  assert.is(
    tableText(
      ["", "x"],
      [
        [styled, "1"],
        ["größer", "\u{1d7d9}"],
      ],
    ),
    `         x\n${styled}      1\ngrößer   \u{1d7d9}`,
  );
});

test("every error has its exit code", () => {
  const code = (error: unknown) => exitCodeOf(error);
  assert.is(code(new errors.UsageError("")), 2);
  assert.is(code(new errors.ModuleError("")), 2);
  assert.is(code(new errors.ModelError("", "")), 2);
  assert.is(code(new errors.HwlocError("")), 2);
  assert.is(code(new errors.NoHwlocError("")), 3);
  assert.is(code(new errors.NativeError("")), 3);
  assert.is(code(new errors.EnvironmentError("")), 3);
  assert.is(code(new errors.HeapError("")), 3);
  assert.is(code(new errors.AbortedError("")), 130);
  assert.is(code(new errors.TimeoutError("")), 1);
  assert.is(code(new errors.RankLostError(0, "")), 1);
  assert.is(code(new errors.RankLostError(0, "", { cause: new errors.ModuleError("") })), 2);
  assert.is(code(new TypeError("")), 1);
});

test("errors: causes once, stacks only when asked for", () => {
  const cause = new Error("no such file");
  const quoting = new errors.ModelError("", "a.json cannot be read: no such file", { cause });
  assert.is(errorText(quoting, false), "error ERR_TUNDISH_MODEL_INVALID: a.json cannot be read: no such file\n");
  assert.match(errorText(quoting, true), /\n {4}at [\s\S]*\n {2}caused by Error: no such file\n {4}at /);
  const other = new errors.EnvironmentError("it failed", { cause });
  assert.match(
    errorText(other, false),
    /^error ERR_TUNDISH_ENVIRONMENT: it failed\n {2}caused by Error: no such file\n$/,
  );
  assert.match(errorText(new TypeError("oops"), false), /^error TypeError: oops\n.*--verbose/);
  assert.match(errorText("a string", false), /^error a string\n/);
});

test("errors: causes that go in a circle are told once, as text and as a document", () => {
  const inner = new Error("inner");
  const outer = new Error("outer", { cause: inner });
  inner.cause = outer;
  const lost = new errors.RankLostError(1, "PE 1 threw", { cause: outer });
  assert.equal(errorEntry(lost).causes, ["Error: outer", "Error: inner"]);
  assert.is(errorText(lost, true).match(/caused by/g)?.length, 2);
});

const cache = (level: number, type: "data" | "unified", kib: number, ...cpus: number[]) => ({
  level,
  type,
  bytes: kib * 1024,
  lineBytes: 64,
  cpus,
});
/** Two cores of two threads under one cache, and a package of which little is known. */
const topology: Topology = {
  source: "sysfs",
  brand: "Test processor",
  isThisMachine: false,
  cpus: [
    { cpu: 0, core: 0, l3: 0, numa: 0, package: 0, allowed: true },
    { cpu: 1, core: 1, l3: 0, numa: 0, package: 0, allowed: false },
    { cpu: 2, core: 0, l3: 0, numa: 0, package: 0, allowed: true },
    { cpu: 3, core: 1, l3: 0, numa: 0, package: 0, allowed: true },
    { cpu: 4, core: 2, l3: null, numa: null, package: 1, allowed: true },
  ],
  caches: [cache(1, "data", 32, 0, 2), cache(2, "unified", 2048, 0, 1, 2, 3), cache(3, "unified", 8192, 0, 1, 2, 3)],
  numaNodes: [{ node: 0, bytes: 2 ** 30, cpus: [0, 1, 2, 3] }],
  memoryBytes: 2 ** 31,
  quota: 1.5,
  notes: [],
};

test("topology: every level that is known, from packages inwards", () => {
  assert.is(
    topologyText(topology),
    [
      "Test processor: 3 cores, 5 hardware threads, 2 GiB of memory (as sysfs tells)",
      "Package 0",
      "  NUMA node 0 (1 GiB)",
      "    L3 8 MiB",
      "      Core 0: CPUs 0,2; L2 2 MiB shared by 4 CPUs, L1d 32 KiB",
      "      Core 1: CPUs 1,3; L2 2 MiB shared by 4 CPUs",
      "Package 1",
      "  Core 2: CPU 4",
      "not allowed to this process: CPU 1",
      "CPU quota of this process: 1.5 cores",
    ].join("\n"),
  );
});

test("costs: matrices of few PEs, a summary of many", () => {
  const few = new Kept();
  printCosts(guessModel(topology), few); // the quota leaves one PE
  assert.match(few.text, /^One PE:/);
  const two = new Kept();
  printCosts(guessModel({ ...topology, quota: null }), two);
  assert.match(two.text, /^PE 0 \(CPU 0\) +- +18\.0 +66\.0$/m);
  const cpus = Array.from({ length: 20 }, (_, cpu) => ({
    ...topology.cpus[0],
    cpu,
    core: cpu,
    l3: cpu >> 2,
  }));
  const many = new Kept();
  printCosts(guessModel({ ...topology, cpus, quota: null }), many);
  assert.match(many.text, /^same last-level cache +60 +18\.0 +42\.0 +60\.0 +60\.0 +60\.0$/m);
  assert.match(many.text, /^same NUMA node +320 /m);
  assert.match(many.text, /20 PEs make 20 x 20 numbers/);
});

test("comparison: ratios to the rival of the same thing, and what could not be measured", () => {
  const time = (name: string, what: string, ns: number): Measured => ({
    name,
    what,
    ns,
    low: ns * 0.9,
    high: ns * 1.1,
    batch: 10,
    batches: 15,
  });
  const comparison: Comparison = {
    pes: 2,
    probe: [100, 110],
    likeProfile: false,
    turns: 12,
    left: 3,
    predictions: [{ operation: "barrier", algorithm: "dissemination", predicted: 100, measured: 125 }],
    ours: [time("tundish", "barrier", 50), time("tundish", "broadcast f64", 100)],
    rivals: [time("postMessage", "round trip", 20_000), time("npm multithreading", "barrier", 1000)],
    missing: [{ name: "a rival", reason: "not installed" }],
  };
  const output = new Kept();
  printComparison(comparison, output);
  assert.match(output.text, /^ +1\.25 x +barrier +dissemination +100\.0 +125\.0$/m);
  assert.match(output.text, /^ *100 x +round trip \(two broadcasts\) +200\.0 .*postMessage +20000/m);
  assert.match(output.text, /^20\.0 x +barrier +50\.0 +45\.0 to 55\.0 +npm multithreading/m);
  assert.match(output.text, /^not measured: a rival \(not installed\)$/m);
  assert.match(output.text, /^Probe: .* 100\.0 to 110\.0 ns over 12 turns, 3 of them excluded.* NOT as near/m);
});

test.run();
