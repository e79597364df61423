/** `tundish plan` and `tundish bench plan`: the text, the documents, what is forced, and what is wrong. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PlannedConveyor } from "../../../src/plan/document/document.ts";
import { readPlan } from "../../../src/plan/document/file.ts";
import { parsePlan } from "../../../src/plan/document/schema.ts";
import { fixture, root } from "../../support/paths.ts";
import { cli, cliHere, emptyFolder, model, unwrapped } from "./support/cli.ts";

const test = suite("cli plan");
const node = model("c2c-aws-graviton3");
const load = ["--item-bytes", "16", "--load", "1000"];

test("the choice, its buffers, and why others lose", async () => {
  const { code, stdout, stderr } = await cli([
    "plan",
    node,
    "--nodes",
    "8",
    "--pes",
    "128",
    "--max-bytes",
    "64K",
    ...load,
  ]);
  assert.is(code, 0, stderr);
  assert.is(stderr, "");
  const lines = unwrapped(stdout).trimEnd().split("\n");
  assert.is(lines[0], "1000 items of 16 B from each of 128 PEs on 8 nodes, at most 64 KiB a PE:");
  assert.match(lines[1] as string, /^tensor, 3 hops in groups of 8, .* \(the best of \d+\)$/);
  assert.match(lines[2] as string, /^ {2}hop 1: [\d.]+ buffers to 8 PEs, \d+ % full$/);
  assert.match(stdout, /\n {2}groups of 8: parts of the nodes\n/);
  assert.match(unwrapped(stdout), /\nnot .* more: the (network|work)/);
});

test("--json: one document; what is forced is kept and told", async () => {
  const { code, stdout } = await cliHere(["plan", node, ...load, "--hops", "2", "--max-bytes", "100K", "--json"]);
  assert.is(code, 0);
  const plan = parsePlan(JSON.parse(stdout));
  assert.equal(plan.world, { pes: 64, nodes: 1, pesOfNode: [64], name: "AWS Graviton3" });
  const { choice, expected, forced, workload } = plan.conveyors["*"] as PlannedConveyor;
  assert.is(choice.hops, 2);
  assert.equal(forced, ["hops"]);
  assert.equal(workload, { itemBytes: 16, load: 1000, maxBytes: 102_400 });
  assert.ok(expected !== undefined && expected.memory <= 102_400 && expected.time > 0);
});

test("--mesh: forced, kept, and in the document", async () => {
  const { code, stdout } = await cliHere(["plan", node, ...load, "--mesh", "2x4x8", "--json"]);
  assert.is(code, 0);
  const { choice, expected, forced } = parsePlan(JSON.parse(stdout)).conveyors["*"] as PlannedConveyor;
  assert.equal([choice.mesh, choice.hops, choice.groupSize], [[2, 4, 8], undefined, undefined]);
  assert.equal([expected?.mesh, expected?.hops, forced], [[2, 4, 8], 3, ["mesh"]]);
});

test("-o, --conveyor, --add, --trees: one document of several conveyors and trees", async () => {
  const cwd = emptyFolder();
  const first = await cliHere(["plan", node, "--pes", "4", ...load, "-o", "plan.json"], { cwd });
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, /^1000 items of 16 B from each of 4 PEs on 1 node:\n/);
  assert.match(first.stderr, /^wrote plan\.json$/m);
  const trees = await cliHere(["tree", node, "--cores", "0-3", "--budget", "0", "--json"]);
  writeFileSync(join(cwd, "trees.json"), trees.stdout);
  const more = ["--conveyor", "edges", "--add", "plan.json", "--trees", "trees.json", "-o", "plan.json"];
  const added = await cliHere(["plan", node, "--pes", "4", ...load, "--hops", "2", ...more], { cwd });
  assert.is(added.code, 0, added.stderr);
  const plan = await readPlan(join(cwd, "plan.json"));
  assert.equal(Object.keys(plan.conveyors), ["*", "edges"]);
  assert.is(plan.conveyors.edges?.choice.hops, 2);
  assert.equal(plan.trees, JSON.parse(trees.stdout));
  // the simulator takes it, by the same code
  writeFileSync(
    join(cwd, "virtual.mjs"),
    `import { u32 } from ${JSON.stringify(join(root, "dist/lib/index.js"))};
export default function* (pe) { return pe.conveyor(u32, { name: "edges" }).explain().split("\\n")[0]; }\n`,
  );
  const virtual = await cli(["simulate", "virtual.mjs", "-n", "4", "--plan", "plan.json", "--json"], { cwd });
  const { results } = JSON.parse(virtual.stdout) as { results: string[] };
  assert.match(results[3] as string, /^tensor, 2 hops .*: conveyors\.edges of plan\.json$/);
  const other = await cli(["simulate", "virtual.mjs", "-n", "6", "--plan", "plan.json"], { cwd });
  assert.is(other.code, 2);
  assert.match(other.stderr, /world\.pes: expected 6, the number of PEs here, got 4/);
  const wrong: [string[], RegExp][] = [
    [
      ["--pes", "8", "--add", "plan.json"],
      /plan\.json: world\.pes: expected 8, .* got 4\. --add takes a plan for the same PEs/,
    ],
    [
      ["--pes", "8", "--trees", "trees.json"],
      /trees: expected trees over the ranks 0 to 7, got trees over the PEs 0, 1, 2, 3/,
    ],
    [["--add", "trees.json"], /trees\.json: schema: expected "tundish\/plan@1", got "tundish\/trees@1"/],
    [["--trees", "trees.json", "-o", "trees.json"], /--output expected a file of its own/],
  ];
  for (const [args, message] of wrong) {
    const { code, stderr } = await cliHere(["plan", node, ...load, ...args], { cwd });
    assert.is(code, 2);
    assert.match(stderr, message);
  }
});

test("--exchange: its discipline, forced or not, beside conveyors in a document", async () => {
  const cwd = emptyFolder();
  const network = '{"injection":{"byte":2},"ejection":{"byte":8},"queue":4,"packetBytes":8192}';
  const world = ["plan", node, "--pes", "4", "--nodes", "4"];
  const bytes = ["--bytes", "1M", "--block-bytes", "64K", "--network", network];
  const first = await cliHere([...world, "--exchange", "rows", ...bytes, "-o", "plan.json"], { cwd });
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, /^1 MiB from each of 4 PEs on 4 nodes to 3 others, in blocks of 64 KiB:\nbarrier, /);
  assert.match(first.stdout, /\n {2}a receiver takes 8\.00 ns for a byte, a sender 2\.00\n/);
  await cliHere([...world, ...load, "--add", "plan.json", "-o", "plan.json"], { cwd });
  const forced = ["--discipline", "token", "--barrier-every", "9", "--chunk-bytes", "8K", "--skew", "2"];
  const last = ["--exchange", "*", ...bytes, ...forced, "--destinations", "2", "--add", "plan.json"];
  const added = await cliHere([...world, ...last, "-o", "plan.json"], { cwd });
  assert.is(added.code, 0, added.stderr);
  const { conveyors, exchanges = {} } = await readPlan(join(cwd, "plan.json"));
  assert.equal(Object.keys(conveyors), ["*"]);
  assert.equal(Object.keys(exchanges), ["rows", "*"]);
  assert.equal(exchanges.rows?.choice, { discipline: "barrier", chunkBytes: 65_536 });
  assert.equal(exchanges["*"]?.choice, { discipline: "token", chunkBytes: 8192, barrierEvery: 9 });
  const workload = { bytes: 1_048_576, blockBytes: 65_536, destinations: 2, skew: 2 };
  assert.equal(exchanges["*"]?.workload, workload);
  writeFileSync(
    join(cwd, "virtual.mjs"),
    `export default function* (pe) {
  const x = pe.exchange({ name: "rows" });
  return [x.choice.discipline, x.explain().split("\\n")[2]];
}\n`,
  );
  const simulated = ["simulate", "virtual.mjs", "-n", "4", "--nodes", "4", "--plan", "plan.json", "--json"];
  const { results } = JSON.parse((await cli(simulated, { cwd })).stdout) as { results: string[][] };
  assert.equal(results[3], ["barrier", "chosen by exchanges.rows of plan.json, then exchanges.* of plan.json"]);
});

test("--rate and --delay-cost: buffers and a delay, in the text and in the document", async () => {
  const args = ["plan", node, "--pes", "16", ...load, "--rate", "1e6", "--delay-cost", "0.01"];
  const { code, stdout, stderr } = await cliHere(args);
  assert.is(code, 0, stderr);
  assert.match(
    stdout,
    /\n {2}1000000 items\/s of a PE, a ns of an item's delay costs 0\.01 ns\n {2}hop 1: a message costs /,
  );
  assert.match(
    unwrapped(stdout),
    /\n {2}an item costs [\d.]+ ns: .* for a delay of .* a PE is busy for \d+ % of the time\n {2}maxDelay [\d.]+ ms: /,
  );
  const plan = parsePlan(JSON.parse((await cliHere([...args, "--json"])).stdout));
  const { workload, choice } = plan.conveyors["*"] as PlannedConveyor;
  const { maxDelay = 0 } = choice;
  assert.equal(workload, { itemBytes: 16, load: 1000, rate: 1e6, delayCost: 0.01 });
  assert.ok(maxDelay > 0 && stdout.includes(`maxDelay ${Number(maxDelay.toPrecision(3))} ms`), `${maxDelay}`);
});

test("--load 1e4, and when buffers are sent early", async () => {
  const early = ["--threshold", "0.5", "--cutoff", "0", "--max-delay", "2", "--max-buffered-bytes", "8K"];
  const args = ["plan", node, "--pes", "16", "--item-bytes", "16", "--load", "1e4", ...early, "--json"];
  const { code, stdout, stderr } = await cliHere(args);
  assert.is(code, 0, stderr);
  const { workload, choice, forced } = parsePlan(JSON.parse(stdout)).conveyors["*"] as PlannedConveyor;
  assert.is(workload.load, 10_000);
  const { threshold, cutoff, maxDelay, maxBufferedBytes } = choice;
  assert.equal([threshold, cutoff, maxDelay, maxBufferedBytes], [0.5, 0, 2, 8192]);
  assert.equal(forced, ["threshold", "cutoff", "maxDelay", "maxBufferedBytes"]);
});

test("a number of buffers that cannot be: which can", async () => {
  for (const given of ["3", "0", "8", "two"]) {
    const args = ["plan", "--pes", "4", "--item-bytes", "8", "--load", "10", "--buffers-per-link", given];
    const { code, stderr } = await cliHere(args);
    assert.is(code, 2);
    assert.match(stderr, /Expected one of 1, 2, 4\./);
  }
});

test("bench plan --aggregation: a table, and cases as a document", async () => {
  const args = ["bench", "plan", "--aggregation", "--cases", "1", "--quiet", "--seed"];
  const { code, stdout } = await cliHere([...args, "1"]);
  assert.is(code, 0);
  assert.match(stdout, /^Buffers, by case: .*\ncase +PEs +hops +alpha +items\/s/);
  assert.match(
    stdout,
    /\nCost of an item, 1 cases\n +within 20 % +median +worst\nthe model's buffer over the best +1 of 1 /,
  );
  const { schema, summary, cases } = JSON.parse((await cliHere([...args, "2", "--json"])).stdout);
  assert.is(schema, "tundish/bench-plan-aggregation@1");
  assert.equal([summary.planned.cases, summary.planned.within, cases.length], [1, 1, 1]);
});

const wrong: [args: string[], message: RegExp][] = [
  [["plan", node, ...load, "--rate", "0"], /Expected a number of items per second above 0, such as 1000000/],
  [["plan", node, ...load, "--rate", "1e6"], /--delay-cost: expected a number beside --rate, got none: the ns of cost/],
  [
    ["plan", node, ...load, "--delay-cost", "1"],
    /--rate: expected a number beside --delay-cost, got none: how many items/,
  ],
  [["plan", node, ...load, "--rate", "1", "--delay-cost", "-1"], /Expected a number of 0 or more/],
  [["plan", node, "--exchange", "x", "--bytes", "8", "--rate", "1"], /--rate expected no --exchange/],
  [["plan", node, "--tune", "app.js", "--rate", "1"], /--rate expected no --tune beside it/],
  [["plan", node, "--exchange", "x"], /--bytes expected a number: the bytes that a PE sends/],
  [["plan", node, ...load, "--block-bytes", "8"], /--block-bytes expected --exchange NAME beside it/],
  [["plan", node, "--exchange", "x", "--bytes", "8", "--max-bytes", "8"], /--max-bytes expected no --exchange/],
  [["plan", node, "--exchange", "x", "--tune", "app.js"], /--exchange expected no --tune/],
  [["plan", node, "--exchange", "x", "--bytes", "8", "--discipline", "y"], /Allowed choices are eager, /],
  [["plan", node, "--exchange", "x", "--bytes", "8", "--skew", "0.5"], /skew: expected a number >= 1/],
  [["plan", node, "--load", "10"], /--item-bytes expected a number: give the load, or a program that has it/],
  [["plan", node, "--item-bytes", "8"], /--load expected a number: give the load, or a program that has it/],
  [
    ["plan", node, "--item-bytes", "8", "--rate", "1e6"],
    /--rate expected --load N beside it: how many items a PE pushes in a session/,
  ],
  [["plan", node, "--item-bytes", "8", "--load", "1.5"], /'1\.5' is invalid.* Expected a whole number from 1 on/],
  [["plan", node, ...load, "--threshold", "0"], /Expected a fraction of a buffer above 0, at most 1, such as 0\.5/],
  [["plan", node, ...load, "--cutoff", "2"], /Expected a fraction of a buffer from 0 to 1, such as 0\.5/],
  [["plan", node, ...load, "--threshold", "1", "--cutoff", "0.5"], /expected a sum of at most 1, got 1 \+ 0\.5/],
  [["plan", node, "--exchange", "x", "--bytes", "8", "--cutoff", "0"], /--cutoff expected no --exchange beside/],
  [
    ["plan", node, "--exchange", "x", "--bytes", "8", "--discipline", "eager", "--window", "3"],
    /window: expected discipline "dynamic" .* got 3 with discipline "eager"/,
  ],
  [
    ["plan", node, "--tune", "app.js", "--max-delay", "1"],
    /--max-delay expected no --tune beside it, .* give maxDelay/,
  ],
  [["plan", node, ...load, "--hops", "4"], /'4' is invalid/],
  [["plan", node, ...load, "--buffers-per-link", "3"], /'3' is invalid/],
  [["plan", node, ...load, "--type", "matrix"], /Allowed choices are tensor, simple, trivial/],
  [["plan", node, ...load, "--nodes", "3", "--pes", "4"], /nodes: expected a divisor/],
  [["plan", node, ...load, "--pes", "65"], /machine: expected a model of at least 65 PEs/],
  [["plan", node, ...load, "--mesh", "2x"], /'2x' is invalid.*such as 3x5x7/],
  [["plan", node, ...load, "--mesh", `64${"x1".repeat(20)}`], /'64x1x.*' is invalid.*one to 20 sizes from 1 on/],
  [["plan", node, ...load, "--mesh", "2x99"], /no plan is possible with the forced choices/],
  [["plan", node, ...load, "--mesh", "2x2", "--hops", "2"], /mesh: expected no hops beside it/],
  [["plan", node, ...load, "--group-size", "7"], /no plan is possible with the forced choices/],
  [["plan", node, ...load, "--max-bytes", "1K"], /maxBytes: expected more than 1024 bytes/],
  [["plan", "none.json", ...load], /none\.json: expected a machine model, but it cannot be read/],
  [["bench", "plan", "--cases", "0"], /Expected a whole number from 1/],
];
for (const [args, message] of wrong) {
  test(`wrong: ${args.slice(args[0] === "plan" ? 2 : 0).join(" ")}`, async () => {
    const { code, stdout, stderr } = await cliHere(args);
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.match(stderr, message);
  });
}

test("bench plan: a table, and cases as a document", async () => {
  const args = ["bench", "plan", "--seed", "3", "--network", "none", "--quiet"];
  const { code, stdout } = await cliHere([...args, "--cases", "2", "--from", "10"]);
  assert.is(code, 0);
  assert.match(stdout, /^Plans, by case\ncase +nodes x PEs/);
  assert.match(stdout, /Over the best of an exhaustive sweep, 2 cases\nover the best +median +worst\nplan +/);
  assert.match(
    stdout,
    /\nAgainst bale's rule the plan is faster by more than 5 % in \d cases, slower in \d.*\nAgainst TRAM's defaults/,
  );
  const document = await cliHere([...args, "--cases", "1", "--from", "9", "--json"]);
  const { summary, cases } = JSON.parse(document.stdout) as {
    summary: { cases: number };
    cases: { number: number; nodes: number; regret: number }[];
  };
  assert.equal(
    cases.map(({ number, nodes }) => [number, nodes]),
    [[9, 1]],
  );
  assert.is(summary.cases, 1);
  assert.ok(cases.every(({ regret }) => regret >= 0));
});

test("what is wrong is told with its file, its option and its place", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "trees.json"), "{}");
  const trees = await cliHere(["plan", node, "--pes", "4", ...load, "--trees", "trees.json"], { cwd });
  assert.is(trees.code, 2);
  assert.match(trees.stderr, /error ERR_TUNDISH_PLAN: trees\.json: trees: expected trees over the ranks 0 to 3/);
  const large = await cliHere(["plan", node, "--item-bytes", "1G", "--load", "10"]);
  assert.is(large.code, 2);
  assert.match(large.stderr, /itemBytes: expected items that fit in a buffer of at most 268435456 bytes/);
  await cliHere(["plan", node, "--pes", "4", ...load, "-o", "plan.json"], { cwd });
  writeFileSync(join(cwd, "virtual.mjs"), "export default function* () {}\n");
  const simulated = await cli(["simulate", "virtual.mjs", "-n", "2", "--plan", "plan.json", "--json"], {
    cwd,
  });
  assert.is(simulated.code, 2);
  const { error } = JSON.parse(simulated.stdout);
  assert.match(error.message, /^plan\.json: world\.pes: expected 2, the number of PEs here, got 4/);
  assert.is(error.path, "world.pes");
  const program = fixture("programs", "cli-results.mjs");
  const input = readFileSync(join(cwd, "plan.json"), "utf8");
  const ran = await cli(["run", program, "-n", "1", "--plan", "-"], { cwd, input });
  assert.is(ran.code, 2);
  assert.match(ran.stderr, /ERR_TUNDISH_PLAN: stdin: world\.pes: expected 1, the number of PEs here, got 4/);
});

test("a plan that is added to keeps its fingerprint; costs between nodes that were given are in the plan", async () => {
  const cwd = emptyFolder();
  const world = ["--pes", "4", "--nodes", "2", ...load];
  await cliHere(["plan", node, ...world, "--alpha", "900", "--beta", "0", "-o", "plan.json"], { cwd });
  const plan = await readPlan(join(cwd, "plan.json"));
  assert.equal(plan.world.network, { alpha: 900, beta: 0 });
  const marked = { ...plan, world: { ...plan.world, fingerprint: "0123456789abcdef" } };
  writeFileSync(join(cwd, "plan.json"), JSON.stringify(marked));
  const added = await cliHere(["plan", node, ...world, "--conveyor", "a", "--add", "plan.json", "--json"], {
    cwd,
  });
  assert.is(added.code, 0, added.stderr);
  assert.is(parsePlan(JSON.parse(added.stdout)).world.fingerprint, "0123456789abcdef");
});

test("escape codes in a plan's texts do not reach the terminal", async () => {
  const cwd = emptyFolder();
  const made = await cliHere(["plan", node, "--pes", "2", ...load, "--json"]);
  const plan = parsePlan(JSON.parse(made.stdout));
  const all = { ...plan.conveyors["*"], reasons: ["\u001b[31mred\nnext"] };
  writeFileSync(join(cwd, "plan.json"), JSON.stringify({ ...plan, conveyors: { "*": all, "\u001b[2J": all } }));
  const lib = JSON.stringify(join(root, "dist/lib/index.js"));
  const body = `export default spmd((pe) => { if (pe.rank === 0) console.log(conveyor(pe, u32, {}).explain(), pe.explain()); else conveyor(pe, u32, {}); });`;
  const streams = JSON.stringify(join(root, "dist/lib/conveyor.js"));
  const imports = `import { spmd, u32 } from ${lib};\nimport { conveyor } from ${streams};`;
  writeFileSync(join(cwd, "said.mjs"), `${imports}\n${body}\n`);
  const { code, stdout, stderr } = await cli(["run", "said.mjs", "--plan", "plan.json"], { cwd });
  assert.is(code, 0, stderr);
  assert.ok(stdout.includes("\\x1b[31mred\\x0anext"), stdout);
  assert.ok(stdout.includes("\\x1b[2J: not used so far"), stdout);
  assert.not.ok(stdout.includes("\u001b"), stdout);
});

test.run();
