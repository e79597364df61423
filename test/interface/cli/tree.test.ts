/** `tundish tree` on models in files, from stdin and of this machine. */
import { existsSync, linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { treeText } from "../../../trees/draw/text.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { Tree, Trees } from "../../../trees/model/tree.ts";
import { root } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";
import { cli, cliHere, codeOf, emptyFolder, model } from "./support/cli.ts";

const test = suite("cli tree");
const big = model("c2c-amd-epyc-9754-128-core-processor");
const small = model("smelt-intel-xeon-e5-v2-2x10");
/** For what has nothing to do with the model: its trees take no time. */
const tiny = model("smelt-hist-brie");
const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as MachineModel;

/** By arguments: each is asked for once. */
const told = new Map<string, Promise<Trees>>();

function treesOf(...args: string[]): Promise<Trees> {
  const trees = told.get(args.join()) ?? newTreesOf(...args);
  told.set(args.join(), trees);
  return trees;
}

async function newTreesOf(...args: string[]): Promise<Trees> {
  const { code, stdout, stderr } = await cliHere(["tree", ...args, "--json"]);
  assert.is(code, 0, stderr);
  return JSON.parse(stdout) as Trees;
}

/** The latency by the formula of DESIGN.md; also checks that each core is reached once. */
function latencyOf({ root, children }: Tree, machine: MachineModel, cores: readonly number[]): number {
  const at = new Map([[root, 0]]);
  const queue = [root];
  for (let parent = queue.shift(); parent !== undefined; parent = queue.shift()) {
    let sent = at.get(parent) as number;
    for (const child of children[parent] ?? []) {
      assert.not(at.has(child));
      sent += machine.send[parent][child];
      at.set(child, sent + (machine.propagate?.[parent][child] ?? 0) + machine.receive[parent][child]);
      queue.push(child);
    }
  }
  assert.equal(
    [...at.keys()].sort((a, b) => a - b),
    [...cores].sort((a, b) => a - b),
  );
  return Math.max(...at.values());
}

test("--json on 128 cores: one document, a tree over all PEs with the latency it claims", async () => {
  const machine = read(big);
  const trees = await treesOf(big);
  assert.is(trees.schema, "tundish/trees@1");
  assert.is(trees.machine, machine.name);
  assert.is(trees.cores.length, 128);
  const latency = latencyOf(trees.broadcast, machine, trees.cores);
  assert.ok(Math.abs(latency - trees.broadcast.latency) < 1e-6 * latency);
  assert.ok(trees.bound.broadcast <= latency);
  for (const { broadcast } of trees.baselines) assert.ok(latency <= broadcast * (1 + 1e-9));
});

test("--cores, --root and --algorithm reach the generator", async () => {
  const trees = await treesOf(big, "--cores", "5,0,10-13", "--root", "10", "--algorithm", "binary");
  assert.equal(trees.cores, [5, 0, 10, 11, 12, 13]);
  assert.is(trees.broadcast.algorithm, "binary");
  assert.is(trees.broadcast.root, 10);
  const latency = latencyOf(trees.broadcast, read(big), trees.cores);
  assert.ok(Math.abs(latency - trees.broadcast.latency) < 1e-6 * latency);
  assert.equal(await newTreesOf(small, "--seed", "7"), await newTreesOf(small, "--seed", "7"), "the same seed");
  const hurried = await treesOf(small, "--budget", "1");
  const patient = await treesOf(small);
  assert.ok(patient.broadcast.latency <= hurried.broadcast.latency, "more time");
});

test("text: both trees drawn, the barrier, the bound, and all algorithms with their ratios", async () => {
  const machine = read(small);
  const trees = await treesOf(small);
  const { code, stdout, stderr } = await cli(["tree", small]);
  assert.is(code, 0);
  assert.is(stderr, "");
  assert.ok(stdout.includes(treeText(trees.broadcast, machine, "broadcast")));
  assert.ok(stdout.includes(treeText(trees.reduce, machine, "reduce")));
  assert.match(stdout, new RegExp(`^Barrier\\n${trees.barrier.kind}, `, "m"));
  const [, percent] = /Within ([\d.]+) % of optimal/.exec(stdout) ?? [];
  const above = 100 * (trees.broadcast.latency / trees.bound.broadcast - 1);
  assert.ok(Math.abs(Number(percent) - above) <= 0.5);
  assert.match(stdout, /^Within [\d.]+ % of optimal by this model, without relays: no tree takes/m);
  checkTable(stdout, trees);
  const input = JSON.stringify({ ...machine, relay: machine.pes.map(() => 1e5) });
  const relayed = await cli(["tree", "-"], { input });
  assert.match(relayed.stdout, /^(Optimal|Within [\d.]+ % of optimal) by this model, with relays: no tree /m);
});

test("options that would change nothing are refused", async () => {
  for (const [args, told] of [
    [[tiny, "--no-contest"], /--no-contest applies to this machine's own trees: expected no FILE/],
    [[tiny, "--compare", "--json"], /--compare prints a table: expected no --json/],
  ] as const) {
    const { code, stdout, stderr } = await cliHere(["tree", ...args]);
    assert.is(code, 2);
    if (stdout !== "") assert.is(codeOf(stdout), "ERR_TUNDISH_USAGE");
    assert.match(stderr, /^error ERR_TUNDISH_USAGE: /);
    assert.match(stderr, told);
  }
});

test("control characters of a model's name do not reach the terminal", async () => {
  const input = JSON.stringify({ ...read(small), name: "a\x1b[2Jb\nc", measured: "\x07" });
  const { stdout } = await cli(["tree", "-", "--cores", "0-3"], { input });
  assert.ok(stdout.startsWith("a\\x1b[2Jb\\x0ac: 4 PEs; \\x07\n"), stdout.slice(0, 60));
});

test("--compare prints the table alone", async () => {
  const { stdout } = await cliHere(["tree", tiny, "--compare"]);
  checkTable(stdout, await treesOf(tiny));
  assert.not.match(stdout, /Broadcast:/);
});

function checkTable(text: string, trees: Trees): void {
  for (const { algorithm, broadcast, reduce, barrier } of trees.baselines) {
    const ratios = new RegExp(`^${algorithm} +([\\d.]+) x +\\S+ +([\\d.]+) x +\\S+ +([\\d.]+) x`, "m").exec(text);
    const expected = [
      broadcast / trees.broadcast.latency,
      reduce / trees.reduce.latency,
      barrier / trees.barrier.latency,
    ];
    for (const [i, ratio] of expected.entries()) {
      assert.ok(Math.abs(Number(ratios?.[i + 1]) - ratio) < 0.06, algorithm);
    }
  }
}

test("--svg and --dot write drawings with every PE and every edge", async () => {
  const cwd = emptyFolder();
  const { code, stderr, stdout } = await cli(
    ["tree", big, "--budget", "0", "--svg", "t.svg", "--dot", "t.dot", "--json"],
    {
      cwd,
    },
  );
  assert.is(code, 0);
  assert.is(stderr, "wrote t.svg\nwrote t.dot\n");
  assert.is((JSON.parse(stdout) as Trees).cores.length, 128);
  const svg = readFileSync(join(cwd, "t.svg"), "utf8");
  assert.ok(svg.startsWith("<svg "));
  assert.is(svg.match(/<circle /g)?.length, 128);
  assert.is(readFileSync(join(cwd, "t.dot"), "utf8").match(/ -> /g)?.length, 127);
});

test("--draw says what is drawn", async () => {
  const cwd = emptyFolder();
  for (const [draw, dot] of [
    ["broadcast", /^digraph "broadcast"/],
    ["reduce", /^digraph "reduce"/],
    ["barrier", /^digraph "barrier"/],
  ] as const) {
    const { code, stderr } = await cliHere(["tree", tiny, "--draw", draw, "--svg", "t.svg", "--dot", "t.dot"], {
      cwd,
    });
    assert.is(code, 0, stderr);
    assert.match(readFileSync(join(cwd, "t.svg"), "utf8"), `<title>${draw} on `);
    assert.match(readFileSync(join(cwd, "t.dot"), "utf8"), dot);
  }
  for (const args of [
    ["--draw", "barrier"],
    ["--draw", "scan", "--svg", "t.svg"],
  ]) {
    const { code, stdout, stderr } = await cliHere(["tree", tiny, ...args], { cwd });
    assert.is(code, 2);
    assert.is(stdout, "");
    assert.match(stderr, /^error ERR_TUNDISH_USAGE: .*--draw/);
  }
});

test("a drawing that cannot be written: exit code 2 and no report, in the words of profile -o", async () => {
  const cwd = emptyFolder();
  for (const [option, file] of [
    ["--svg", "no/such/t.svg"],
    ["--dot", "no/such/t.dot"],
    ["--svg", "."],
    ["--svg", ""],
  ]) {
    const drawing = await cliHere(["tree", tiny, option, file], { cwd });
    const profile = await cliHere(["profile", "--guess", "-o", file], { cwd });
    for (const [{ code, stdout, stderr }, name] of [
      [drawing, option],
      [profile, "--output"],
    ] as const) {
      assert.is(code, 2);
      assert.is(stdout, "");
      const told = `error ERR_TUNDISH_USAGE: ${name} expected a file in a folder that can be written to, got ${file}: `;
      assert.ok(stderr.startsWith(told), stderr);
    }
  }
});

test("a drawing that cannot be written is refused before anything is measured", async () => {
  const { code, stderr } = await cliHere(["tree", "--svg", "no/such/t.svg"]);
  assert.is(code, 2);
  assert.match(stderr, /^error ERR_TUNDISH_USAGE: --svg expected/);
});

test("a drawing over the model, or over the other drawing: exit code 2, and nothing is written", async () => {
  const cwd = emptyFolder();
  const text = readFileSync(tiny);
  writeFileSync(join(cwd, "m.json"), text);
  linkSync(join(cwd, "m.json"), join(cwd, "hard.json"));
  symlinkSync("m.json", join(cwd, "soft.json"));
  symlinkSync("missing.svg", join(cwd, "dangling.svg"));
  const before = readdirSync(cwd);
  for (const [args, told] of [
    [["m.json", "--svg", "m.json"], /--svg expected a file of its own, got m\.json, .* the machine model\./],
    [["m.json", "--dot", "./m.json"], /--dot expected a file of its own, got \.\/m\.json/],
    [["m.json", "--svg", "hard.json"], /--svg expected .* got hard\.json, .* the machine model/],
    [["soft.json", "--svg", "m.json"], /--svg expected .* got m\.json, .* the machine model/],
    [["m.json", "--svg", "t", "--dot", "t"], /--dot expected a file of its own, got t, .* --svg\. Name another/],
    [["m.json", "--svg", "t", "--dot", join(cwd, "t")], /--dot expected .*, which is that of --svg/],
  ] as const) {
    const { code, stdout, stderr } = await cliHere(["tree", ...args], { cwd });
    assert.is(code, 2, stderr);
    assert.is(stdout, "");
    assert.match(stderr, /^error ERR_TUNDISH_USAGE: /);
    assert.match(stderr, told);
  }
  writeFileSync(join(cwd, "machine.json"), text);
  const unnamed = await cliHere(["tree", "--svg", "machine.json"], { cwd });
  assert.is(unnamed.code, 2);
  assert.match(unnamed.stderr, /--svg expected a file of its own, got machine\.json/);
  const xml = await cliHere(["profile", "--xml", "m.json", "-o", "m.json"], { cwd });
  assert.is(xml.code, 2);
  assert.match(xml.stderr, /--output expected a file of its own, got m\.json, which is that of --xml/);
  assert.equal(readFileSync(join(cwd, "m.json")), text);
  assert.equal(readFileSync(join(cwd, "machine.json")), text);
  assert.equal(readdirSync(cwd), [...before, "machine.json"].sort());
  const nowhere = await cliHere(["tree", "m.json", "--svg", "/dev/null", "--dot", "/dev/null"], { cwd });
  assert.is(nowhere.code, 0, nowhere.stderr);
});

test("--budget 0 is the best of the published trees, as in generateTrees", async () => {
  const trees = await treesOf(small, "--budget", "0");
  const direct = generateTrees(read(small), { budget: 0 });
  assert.equal(trees.broadcast, direct.broadcast);
  assert.is(trees.broadcast.latency, Math.min(...trees.baselines.map(({ broadcast }) => broadcast)));
  const { code, stderr } = await cliHere(["tree", tiny, "--budget", "-1"]);
  assert.is(code, 2);
  assert.match(stderr, /--budget <ms>.*Expected a number of milliseconds from 0 on/);
});

test("TUNDISH_TREES is for worlds: it changes nothing here, and a note says so where it might be expected to", async () => {
  const cwd = emptyFolder();
  const env = { TUNDISH_TREES: "binary", TUNDISH_CONTEST: "off" };
  const { code, stdout, stderr } = await cli(["tree", small, "--json"], { cwd, env });
  assert.is(code, 0);
  assert.equal(JSON.parse(stdout), await treesOf(small));
  assert.is(stderr, "", "a file is asked about as it stands");
  const here = await cli(["tree", "--json"], { cwd, env });
  assert.is((JSON.parse(here.stdout) as Trees).broadcast.algorithm, "adaptive");
  assert.match(here.stderr, /^TUNDISH_TREES=binary applies to worlds only.* --algorithm binary shows/m);
});

const full = existsSync("/dev/full");
testUnless(test, full ? null : "needs /dev/full", "a full disk: exit code 3, as with profile -o", async () => {
  for (const args of [
    ["tree", tiny, "--svg", "/dev/full"],
    ["tree", tiny, "--dot", "/dev/full"],
    ["profile", "--guess", "-o", "/dev/full"],
  ]) {
    const { code, stderr } = await cliHere(args);
    assert.is(code, 3);
    assert.match(stderr, /^error ERR_TUNDISH_ENVIRONMENT: Cannot write .*\/dev\/full: ENOSPC/m);
  }
});

test("--svg - and --dot - write the drawing to stdout, and nothing else", async () => {
  const cwd = emptyFolder();
  await cliHere(["tree", tiny, "--svg", "t.svg", "--dot", "t.dot"], { cwd });
  for (const [option, file] of [
    ["--svg", "t.svg"],
    ["--dot", "t.dot"],
  ]) {
    const { code, stdout, stderr } = await cliHere(["tree", tiny, option, "-"], { cwd });
    assert.is(code, 0, stderr);
    assert.is(stdout, readFileSync(join(cwd, file), "utf8"));
    assert.is(stderr, "");
  }
  const both = await cliHere(["tree", tiny, "--svg", "-", "--dot", "other.dot"], { cwd });
  assert.ok(both.stdout.startsWith("<svg ") && both.stdout.endsWith("</svg>\n"));
  assert.is(both.stderr, "wrote other.dot\n");
  assert.not(existsSync(join(cwd, "-")));
});

test("the drawing in the README is what the command below it gives", async () => {
  const { stdout } = await cliHere(["tree", small, "--svg", "-"]);
  assert.is(readFileSync(join(root, "docs/tree.svg"), "utf8").trimEnd(), stdout.trimEnd());
});

test("two things for stdout are one too many: exit code 2", async () => {
  for (const [args, told] of [
    [["--svg", "-", "--dot", "-"], "--svg -, --dot -"],
    [["--svg", "-", "--json"], "--svg -, --json"],
    [["--dot", "-", "--compare"], "--dot -, --compare"],
  ] as const) {
    const { code, stdout, stderr } = await cliHere(["tree", tiny, ...args]);
    assert.is(code, 2);
    if (stdout !== "") assert.is(codeOf(stdout), "ERR_TUNDISH_USAGE");
    assert.match(stderr, `error ERR_TUNDISH_USAGE: stdout takes one of ${told}, got 2.`);
  }
});

test("- reads stdin", async () => {
  const { code, stdout } = await cli(["tree", "-", "--json"], { input: readFileSync(tiny, "utf8") });
  assert.is(code, 0);
  assert.equal(JSON.parse(stdout), await treesOf(tiny));
});

test("without a file: TUNDISH_MACHINE, else machine.json here, else a guess with a note", async () => {
  const cwd = emptyFolder();
  const guess = await cli(["tree"], { cwd });
  assert.is(guess.code, 0);
  assert.match(guess.stderr, /^no machine\.json here: the model of this machine is guessed/);
  assert.match(guess.stdout, /guessed from the topology/);
  assert.is((await cli(["tree", "--quiet"], { cwd })).stderr, "");
  writeFileSync(join(cwd, "machine.json"), readFileSync(tiny));
  const named = await cliHere(["tree", "--json"], { cwd });
  assert.is(named.stderr, "machine model: machine.json\n");
  assert.is((JSON.parse(named.stdout) as Trees).machine, read(tiny).name);
  const other = model("c2c-apple-m1-air");
  const set = await cli(["tree", "--json"], { cwd, env: { TUNDISH_MACHINE: other } });
  assert.is((JSON.parse(set.stdout) as Trees).machine, read(other).name);
});

test("a bad file: exit code 2, and the message names file and place", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "text.json"), "no JSON");
  const bad = JSON.parse(readFileSync(small, "utf8")) as { send: unknown[][] };
  bad.send[3][7] = "x";
  writeFileSync(join(cwd, "bad.json"), JSON.stringify(bad));
  bad.send[3][7] = 2e100;
  writeFileSync(join(cwd, "huge.json"), JSON.stringify(bad));
  const cases: [args: string[], message: RegExp][] = [
    [["missing.json"], /^error ERR_TUNDISH_MODEL_INVALID: missing\.json: .*ENOENT/],
    [["text.json"], /^error ERR_TUNDISH_MODEL_INVALID: text\.json: expected JSON/],
    [["bad.json"], /^error ERR_TUNDISH_MODEL_INVALID: bad\.json: send\.3\.7: expected a number >= 0, got "x"\n$/],
    [["huge.json"], /huge\.json: send\.3\.7: expected a number from 0 to 1e100, got 2e\+100\n$/],
    [[small, "--cores", "0,20"], /^error ERR_TUNDISH_USAGE: cores: expected PE numbers from 0 to 19, got 20/],
    [[small, "--cores", "0,1", "--root", "2"], /^error ERR_TUNDISH_USAGE: root: expected a member/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await cliHere(["tree", ...args, "--json"], { cwd });
    assert.is(code, 2);
    assert.ok(stderr.includes(`error ${codeOf(stdout)}: `));
    assert.match(stderr, message);
    assert.not.match(stderr, /^ +at /m, "no stack");
  }
  assert.match((await cliHere(["tree", "missing.json", "--verbose"], { cwd })).stderr, /^ +at /m);
  assert.not(existsSync(join(cwd, "machine.json")));
});

test("one PE is a point, two are a line", async () => {
  assert.match((await cliHere(["tree", small, "--cores", "3"])).stdout, /the tree is a single point/);
  assert.match((await cliHere(["tree", small, "--cores", "3,4"])).stdout, /every algorithm builds the same tree/);
  assert.equal((await treesOf(small, "--cores", "3")).broadcast.children, {});
});

test.run();
