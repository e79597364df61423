/** `tundish simulate`: the table, the document, options, what is wrong, and thousands of PEs. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SimulationResult } from "../../../src/simulate.ts";
import { rounds } from "../../support/long.ts";
import { root } from "../../support/paths.ts";
import { cli, cliHere, emptyFolder, model, program } from "./support/cli.ts";

const test = suite("cli simulate");
const histogram = join(root, "dist/apps/simulated-histogram.js");

/** Where programs in other folders import it from. */
const library = pathToFileURL(join(root, "dist/lib/index.js")).href;

/** A file with a program of these lines. */
function file(code: string, name = "program.mjs"): string {
  const path = join(emptyFolder(), name);
  writeFileSync(path, code);
  return path;
}

/** The document of a run that goes well. */
async function simulated(...args: string[]): Promise<SimulationResult> {
  const { code, stdout, stderr } = await cli(["simulate", ...args, "--json"]);
  assert.is(code, 0, stderr);
  return JSON.parse(stdout) as SimulationResult;
}

test("a table by conveyor and hop", async () => {
  const { code, stdout, stderr } = await cli([
    "simulate",
    histogram,
    ...["--pes", "8", "--nodes", "2", "--args", '{"hops":2,"items":20}'],
  ]);
  assert.is(code, 0, stderr);
  assert.is(stderr, "");
  const lines = stdout.split("\n");
  assert.match(lines[0] as string, /^8 PEs on 2 nodes: \d+(\.\d+)? us of virtual time \(seed 1, \d+ events\); /);
  assert.is(lines[2], "Buffers sent, by conveyor and hop");
  assert.match(lines[3] as string, /^conveyor +hop +messages +bytes +items +items each +between nodes/);
  // 160 items with tags of a byte; the first hop stays on its node
  assert.match(lines[4] as string, /^ +0 +1 +\d+ +800 +160 +\d[\d.]+ +0 +0 /);
  assert.match(lines[5] as string, /^ +2 +\d+ +800 +160 /);
});

test("--json: one document, the same for the same seed", async () => {
  const args = [histogram, "-n", "6", "--seed", "5", "--jitter", "3"];
  const one = await simulated(...args);
  assert.is(one.schema, "tundish/simulation@1");
  assert.is(one.seed, 5);
  assert.is(one.results.length, 6);
  assert.is(one.conveyors[0]?.hops[0]?.items, 300);
  assert.equal(await simulated(...args), one);
  assert.is.not((await simulated(...args.with(4, "6"))).time, one.time);
});

test("a program for real PEs, as tundish run takes it", async () => {
  const program = join(root, "dist/test/running/virtual/programs/one-source.program.js");
  const { results } = await simulated(program, "-n", "4", "--nodes", "2");
  const threads = await cli(["run", program, "-n", "4", "--json"]);
  assert.is(threads.code, 0, threads.stderr);
  assert.equal((JSON.parse(threads.stdout) as { results: unknown }).results, results);
});

test("costs of the network and of a machine count", async () => {
  const args = [histogram, "-n", "8", "--nodes", "2"];
  const { time } = await simulated(...args);
  for (const more of [
    ["--alpha", "90000"],
    ["--beta", "100"],
    ["--receiver", "9000"],
    ["--machine", model("smelt-intel-xeon-e5-v2-2x10")],
  ]) {
    assert.is.not((await simulated(...args, ...more)).time, time, more.join(" "));
  }
});

test("networks by name, as JSON and as measured", async () => {
  const args = [histogram, "-n", "8", "--nodes", "4"];
  const { code, stdout, stderr } = await cli(["simulate", ...args, "--network", "paragon"]);
  assert.is(code, 0, stderr);
  assert.match(stdout, /^Network\n\d+ messages in \d+ packets of \d+ bytes between nodes; /m);
  assert.match(stdout, /^ +ejection +[\d.]+ us +\d+ %$/m);
  const named = await simulated(...args, "--network", "paragon");
  assert.ok((named.network?.messages ?? 0) > 0);
  assert.equal(await simulated(...args, "--network", '{"like":"paragon"}'), named);
  assert.is.not((await simulated(...args, "--network", "paragon", "--alpha", "9000")).time, named.time);
  assert.is((await simulated(...args)).network, undefined);
});

const prints = `export default function* (pe, args) {
  console.log("said by", pe.rank);
  return pe.rank < 20 ? { args, at: 1n } : undefined;
}`;

test("what the program returns and prints", async () => {
  const plain = await cliHere(["simulate", file(prints), "-n", "20", "--args", "[1]"]);
  assert.match(plain.stdout, /^said by 19$/m);
  assert.match(
    plain.stdout,
    /^15: \{ args: \[ 1 \], at: 1n \}\n… and 4 more results; --json has them all\n\n20 PEs on 1 node: /m,
  );
  assert.not.match(plain.stdout, /Buffers sent/);
  const json = await cliHere(["simulate", file(prints), "-n", "1", "--json"]);
  assert.equal((JSON.parse(json.stdout) as SimulationResult).results, [{ at: "1" }]);
  assert.is(json.stderr, "said by 0\n");
});

test("a CommonJS module, and TypeScript where it can be read", async () => {
  const cjs = await cli(["simulate", file("module.exports = function* () { return 1 }", "a.cjs"), "-n", "1"]);
  assert.match(cjs.stdout, /^0: 1$/m);
  const ts = await cli([
    "simulate",
    file("export default function* (): Generator { return 2 as number }", "a.mts"),
    "-n",
    "1",
  ]);
  assert.ok(ts.code === 0 ? /^0: 2$/m.test(ts.stdout) : /does not read TypeScript/.test(ts.stderr), ts.stderr);
});

const wrong: [what: string, args: string[], code: number, message: RegExp][] = [
  [
    "no --pes",
    [histogram],
    2,
    /ERR_TUNDISH_USAGE: pes: expected a whole number >= 1, or a plan that must fit, got undefined/,
  ],
  ["no PEs", [histogram, "-n", "0"], 2, /Expected a whole number from 1 to 1048576/],
  ["nodes that do not divide", [histogram, "-n", "8", "--nodes", "3"], 2, /USAGE: nodes: expected a divisor of the/],
  ["args that are no JSON", [histogram, "-n", "8", "--args", "{x"], 2, /'\{x' is invalid\. Expected JSON, such as/],
  ["a latency below 0", [histogram, "-n", "8", "--alpha", "-1"], 2, /Expected a number of 0 or more/],
  [
    "a network that is not known",
    [histogram, "-n", "8", "--network", "cm5"],
    2,
    /USAGE: network\.like: expected one of "cm-5", .* got "cm5"/,
  ],
  [
    "parts of a network that are no JSON",
    [histogram, "-n", "8", "--network", "{queue:2}"],
    2,
    /Expected JSON, such as/,
  ],
  [
    "measured without a measurement",
    [histogram, "-n", "8", "--network", "measured"],
    2,
    /expected a machine model with internode for "measured"/,
  ],
  ["no file", ["missing.js", "-n", "8"], 2, /ERR_TUNDISH_MODULE: .*does not exist/],
  ["no program", [program("no-program"), "-n", "8"], 2, /expected `export default spmd\(async \(pe, args\)/],
  [
    "a program for real PEs that blocks",
    [file(`import { spmd } from ${JSON.stringify(library)}; export default spmd((pe) => pe.barrier());`), "-n", "8"],
    1,
    /barrier: expected a call that does not block, .*use await barrierAsync\(\)/,
  ],
  ["no generator", [file("export default () => 1"), "-n", "8"], 2, /expected a generator function .*got a plain one/],
  ["no model", [histogram, "-n", "8", "--machine", "none.json"], 2, /MODEL_INVALID: none\.json/],
  [
    "a model of too few PEs",
    [histogram, "-n", "64", "--machine", model("c2c-apple-m1-air")],
    2,
    /machine: expected a model of at least 64 PEs/,
  ],
  [
    "a program that throws",
    [file('export default function* f(pe) { yield; throw new RangeError("oh " + pe.rank) }'), "-n", "1"],
    1,
    /RANK_LOST: PE 0 threw RangeError: oh 0 \(\S+:\d+\)\n {2}caused by RangeError: oh 0\n {4}at f /,
  ],
  [
    "a program without end",
    [file("export default function* () { for (;;) yield }"), "-n", "2", "--timeout", "3"],
    1,
    /TIMEOUT: The simulation took longer than 3 ms of virtual time \(timeout\); not finished: PE 0, 1/,
  ],
  [
    "a memory that is full",
    [histogram, "-n", "64", "--memory", "64K"],
    1,
    /threw HeapError: The virtual machine.s memory of 65536 bytes is full: expected room for \d+, got \d+ free, \d+ in the largest piece\. Make the memory larger \(memoryBytes/,
  ],
];
for (const [what, args, expected, message] of wrong) {
  test(`wrong: ${what}`, async () => {
    const { code, stdout, stderr } = await cliHere(["simulate", ...args]);
    assert.match(stderr, message);
    assert.is(code, expected);
    assert.is(stdout, "");
  });
}

const NODES = rounds(32, 128);
test(`${16 * NODES} PEs on ${NODES} nodes: more hops, fewer links in use, and no item lost`, async () => {
  const hops = async (number: number) => {
    const args = JSON.stringify({ hops: number, items: 2, bufferBytes: 256 });
    const { conveyors } = await simulated(histogram, "-n", `${16 * NODES}`, "--nodes", `${NODES}`, "--args", args);
    const [conveyor] = conveyors;
    assert.is(conveyor?.hops.length, number);
    for (const hop of conveyor?.hops ?? []) assert.is(hop.items, 32 * NODES);
    return conveyor?.hops ?? [];
  };
  await hops(1);
  // hops within a group stay on its node
  const remote = (await hops(3)).map(({ remoteMessages }) => remoteMessages > 0);
  assert.equal(remote, [false, true, false]);
});

test.run();
