/** `tundish bench trees` on models in files, folders and from stdin. */
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ModelResult } from "../../../packages/tundish-bench/src/trees/bench-trees.ts";
import { type TreesTotals, totalsOf } from "../../../packages/tundish-bench/src/trees/bench-trees-summary.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { cli, cliHere, codeOf, emptyFolder, ended, model, startCli } from "../../interface/cli/support/cli.ts";

const test = suite("cli bench trees");
const xeon = model("smelt-intel-xeon-e5-v2-2x10");
const ryzen = model("c2c-amd-ryzen-9-7900x-12-core-processor");
const brie = model("smelt-hist-brie");
const big = model("c2c-amd-epyc-9754-128-core-processor");
const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as MachineModel;

interface Document {
  schema: string;
  node: string;
  options: object;
  totals: TreesTotals;
  models: ModelResult[];
}

/** A folder with three models, and what is no model. */
function folder(): string {
  const path = join(emptyFolder(), "machines");
  mkdirSync(path);
  copyFileSync(xeon, join(path, "c.json"));
  copyFileSync(ryzen, join(path, "a.json"));
  copyFileSync(brie, join(path, "b.json"));
  writeFileSync(join(path, "README.md"), "no model");
  return path;
}

test("a folder: a row per model in the order of their files, means over the larger ones", async () => {
  const { code, stdout, stderr } = await cli(["bench", "trees", folder()]);
  assert.is(code, 0, stderr);
  // on a busy machine it says what is left
  assert.match(stderr, /^bench: trees\n(bench: trees: .* left\n)*$/);
  const lines = stdout.split("\n");
  assert.match(lines[1], /^model +PEs +broadcast +unit +smelt +best static +which +above bound +reduce: smelt /);
  assert.match(lines[2], /^AMD Ryzen 9 7900X 12-Core Processor +24 +[\d.]+ +ns +1\.\d\d x +[\d.]+ x +\w+ /);
  assert.match(lines[3], /^brie, ETH 2013 +4 +[\d.]+ +cycles /);
  const { broadcast, baselines } = generateTrees(read(xeon));
  const ratio = ((baselines.find((row) => row.algorithm === "smelt")?.broadcast ?? 0) / broadcast.latency).toFixed(2);
  assert.ok(lines[4].startsWith("intel_xeon_e5_v2_2x10 (Smelt machinedb)"));
  assert.match(lines[4], new RegExp(` 20 +${broadcast.latency.toFixed(1)} +cycles +${ratio} x `));
  assert.match(stdout, /^Other algorithms' latencies relative to ours, over 2 models with 8 PEs or more$/m);
  for (const name of ["smelt", "best static", "sequential", "bad"]) {
    assert.match(stdout, new RegExp(`^${name}( +[\\d.]+ x){6}$`, "m"));
  }
  assert.match(stdout, /^Above the lower bound: broadcast [\d.]+ % \(at most [\d.]+ %\), reduce /m);
  assert.match(stdout, /^Ours above a published algorithm: 0 of 63 comparisons\. All trees in [\d.]+ s\.$/m);
  assert.not.match(stdout, /optimum|long searches/);
});

test("--json: one document, numbers that are the generator's", async () => {
  const { code, stdout, stderr } = await cliHere([
    "bench",
    "trees",
    xeon,
    brie,
    "--json",
    "--seed",
    "7",
    "--groups",
    "1",
    "-q",
  ]);
  assert.is(code, 0, stderr);
  assert.is(stderr, "");
  const { schema, node, options, totals, models } = JSON.parse(stdout) as Document;
  assert.is(schema, "tundish/bench-trees@1");
  assert.is(node, process.versions.node);
  assert.equal(options, { seed: 7, budget: null, groups: 1, runs: 0, ranks: 0 });
  assert.equal(
    models.map(({ file, name, pes, unit }) => [file, name, pes, unit]),
    [
      [xeon, read(xeon).name, 20, "cycles"],
      [brie, read(brie).name, 4, "cycles"],
    ],
  );
  assert.equal(totals, totalsOf(models));
  const trees = generateTrees(read(xeon), { seed: 7 });
  assert.is(models[0].broadcast.latency, trees.broadcast.latency);
  assert.is(models[0].reduce.bound, trees.bound.reduce);
  assert.is(models[0].barrier.kind, trees.barrier.kind);
  assert.is(models[0].groups.length, 1);
  assert.equal([models[0].runs, models[1].runs, models[1].groups], [null, null, []]);
  assert.is(totals.summary?.models, 1);
  assert.ok((totals.groups?.search.broadcast.mean ?? 0) >= 1 - 1e-9);
});

test("a pipe: - is stdin", async () => {
  const input = readFileSync(brie, "utf8");
  const { code, stdout, stderr } = await cli(["bench", "trees", "-", "--json"], { input });
  assert.is(code, 0, stderr);
  const { models } = JSON.parse(stdout) as Document;
  assert.equal([models.length, models[0].file, models[0].pes], [1, "-", 4]);
});

test("a reader that leaves early is no error", async () => {
  const child = startCli(["bench", "trees", brie, "--quiet"]);
  child.stdin?.end();
  child.stdout?.destroy();
  const { code, stderr } = await ended(child);
  assert.is(code, 0);
  assert.is(stderr, "");
});

test("without a file: machine.json here", async () => {
  const cwd = emptyFolder();
  copyFileSync(brie, join(cwd, "machine.json"));
  const { code, stdout, stderr } = await cliHere(["bench", "trees"], { cwd });
  assert.is(code, 0, stderr);
  assert.is(stderr, "machine model: machine.json\nbench: trees\n");
  assert.match(stdout, /^brie, ETH 2013 /m);
  assert.match(stdout, /^No model has 8 PEs or more: no means\.$/m);
  assert.match(stdout, /0 of 21 comparisons/);
});

test("--operation: every algorithm in one operation", async () => {
  for (const [operation, last] of [
    ["broadcast", "above bound"],
    ["reduce", "above bound"],
    ["barrier", "kind"],
  ]) {
    const { code, stdout } = await cliHere(["bench", "trees", brie, "--operation", operation, "-q"]);
    assert.is(code, 0);
    const head = `model +PEs +${operation} +unit +smelt +sequential +binary +fibonacci +mst +cluster +bad +${last}`;
    assert.match(stdout, new RegExp(`^Latency of our ${operation}, .*\n${head}\nbrie, ETH 2013 +4 `));
  }
});

test("--groups and --runs: the optimum and the best tree known", async () => {
  const args = ["--groups", "2", "--runs", "1", "--budget", "20"];
  const { code, stdout, stderr } = await cliHere(["bench", "trees", xeon, ...args]);
  assert.is(code, 0, stderr);
  assert.is(stderr, "bench: trees\nbench: groups\nbench: long runs\n");
  assert.match(stdout, /^Above the optimum, over 2 random groups of 8 to 13 PEs\n +operation +mean +at most +optimal/m);
  for (const who of ["search alone", "adaptive"]) {
    for (const operation of ["broadcast", "reduce"]) {
      assert.match(stdout, new RegExp(`^${who} +${operation} +-?[\\d.]+ % +-?[\\d.]+ % +[\\d.]+ %`, "m"));
    }
  }
  assert.match(stdout, /^Above the best known tree after long searches\nmodel +PEs +runs +broadcast +reduce$/m);
  assert.match(stdout, /^intel_xeon_e5_v2_2x10 \(Smelt machinedb\) +20 +1 +[\d.]+ % +[\d.]+ %$/m);
  assert.match(stdout, /^mean over 1 model with 8 PEs or more +[\d.]+ % +[\d.]+ %$/m);
});

test("a bad file: exit code 2 before any work, and the message names the file", async () => {
  const cwd = emptyFolder();
  const bad = read(xeon) as unknown as { send: unknown[][] };
  bad.send[3][7] = "x";
  mkdirSync(join(cwd, "mixed"));
  mkdirSync(join(cwd, "empty"));
  copyFileSync(big, join(cwd, "mixed/a.json"));
  writeFileSync(join(cwd, "mixed/b.json"), JSON.stringify(bad));
  writeFileSync(join(cwd, "text.json"), "no JSON");
  const cases: [paths: string[], message: RegExp][] = [
    [["missing.json"], /^error ERR_TUNDISH_MODEL_INVALID: missing\.json: .*ENOENT/],
    [[xeon, "text.json"], /^error ERR_TUNDISH_MODEL_INVALID: text\.json: expected JSON/],
    [["mixed"], /^error ERR_TUNDISH_MODEL_INVALID: mixed\/b\.json: send\.3\.7: expected a number >= 0, got "x"\n$/],
    [["empty"], /^error ERR_TUNDISH_USAGE: empty: expected a machine model, or a folder of them/],
  ];
  for (const [paths, message] of cases) {
    const { code, stdout, stderr } = await cliHere(["bench", "trees", ...paths, "--json"], { cwd });
    assert.is(code, 2);
    assert.ok(stderr.includes(`error ${codeOf(stdout)}: `));
    assert.match(stderr, message);
    assert.not.match(stderr, /^ +at /m, "no stack");
  }
});

const wrong: [args: string[], message: RegExp][] = [
  [["--groups", "0"], /Expected a whole number from 1 to 100000/],
  [["--runs", "many"], /Expected a whole number from 1 to 1000/],
  [["--seed", "-1"], /Expected a whole number from 0 on/],
  [["--budget", "0"], /Expected a number of milliseconds above 0/],
  [["--operation", "gather"], /Allowed choices are broadcast, reduce, barrier/],
];
for (const [args, message] of wrong) {
  test(`wrong usage: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere(["bench", "trees", xeon, ...args]);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.ok(stderr.startsWith("error ERR_TUNDISH_USAGE: "), stderr);
    assert.match(stderr, message);
  });
}

test("Ctrl-C in the middle of a search: exit code 130, at once", async () => {
  const child = startCli(["bench", "trees", big, "--budget", "120000"]);
  const end = ended(child);
  const stderrOf = child.stderr as NonNullable<typeof child.stderr>;
  for (let said = ""; !said.includes("bench: trees"); ) said += (await once(stderrOf, "data"))[0];
  const began = performance.now();
  child.kill("SIGINT");
  const { code, stdout, stderr } = await end;
  assert.is(code, 130, stderr);
  assert.is(stdout, "");
  assert.ok(performance.now() - began < 10_000);
});

test.run();
