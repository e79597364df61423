/**
 * Every program in docs/{append,channels,collectives,contract,conveyors,losses,ordered-broadcast,plan,selectors,simulate,store,traffic}.md and the first ones of README.md runs
 * and prints what stands behind it, and so do the commands of docs/apps.md; that of docs/trees.md runs.
 */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { root } from "../support/paths.ts";

const exec = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "tundish-examples-"));
const test = suite("examples of the documentation");

/** By name: the code of each example, and what it has printed. */
const examples = new Map<string, string>();
let printed: ReadonlyMap<string, string> = new Map();

test.before(async () => {
  writeFileSync(join(dir, "package.json"), '{"type": "module"}');
  // as an installed package would be found
  const modules = join(dir, "node_modules");
  mkdirSync(modules);
  symlinkSync(root, join(modules, "tundish"));
  printed = await runExamples();
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

const page = readFileSync(join(root, "docs/collectives.md"), "utf8");
const blocks = [...page.matchAll(/^## (.*?)\n[^#]*?```js\n(.*?)```\n\n```\n(.*?)```/gms)];

test("there is one for each collective, for groups, for Async and for algorithms", () => {
  const names = blocks.map(([, name]) => name);
  assert.equal(names, [
    ..."barrier broadcast reduce allreduce".split(" "),
    "minloc and maxloc",
    ..."reduceScatter scan exscan gather allgather scatter alltoall alltoallv".split(" "),
    "Groups",
    "split",
    "allocShared",
    "Async",
    "Algorithms",
  ]);
});

for (const [, name, code, expected] of blocks) example(name as string, code as string, expected as string);

/** A test of a program for three PEs. All of them run in one world, one after the other, before the first test. */
function example(name: string, code: string, expected: string): void {
  examples.set(name, code);
  test(name, () => assert.is(printed.get(name), expected));
}

/** Runs all examples; what each has printed, with the results of its PEs as `tundish run` prints them. */
async function runExamples(): Promise<Map<string, string>> {
  const names = [...examples.keys()];
  for (const [i, name] of names.entries())
    writeFileSync(join(dir, `example-${i}.mjs`), examples.get(name) as string);
  // a line that no program prints
  const mark = "==== ";
  writeFileSync(
    join(dir, "all.mjs"),
    `import { spmd } from "tundish";
${names.map((_, i) => `import p${i} from "./example-${i}.mjs";`).join("\n")}
export default spmd(async (pe) => {
  const results = [];
  for (const { main } of [${names.map((_, i) => `p${i}`).join()}]) {
    if (pe.rank === 0) console.log(${JSON.stringify(mark)} + results.length);
    pe.barrier();
    results.push(await main(pe, []));
    pe.barrier();
  }
  return results;
});
`,
  );
  const text = new URL("../../src/cli/text/results.js", import.meta.url).href;
  writeFileSync(
    join(dir, "launch-all.mjs"),
    `import { launch } from "tundish";
import { resultLine } from ${JSON.stringify(text)};
const results = await launch("./all.mjs", { pes: 3, timeout: 60000 });
for (let i = 0; i < ${names.length}; i++) {
  console.log(${JSON.stringify(mark)} + i);
  for (const [rank, { [i]: value }] of results.entries()) {
    if (value !== undefined) console.log(resultLine(value, rank, { hasColours: false }));
  }
}
`,
  );
  const { stdout } = await exec(process.execPath, ["launch-all.mjs"], { cwd: dir, timeout: 90_000 });
  const told = new Map(names.map((name) => [name, ""]));
  // first of all examples what they have logged, then their results
  for (const part of stdout.split(new RegExp(`^${mark}`, "m")).slice(1)) {
    const [, index, lines] = /^(\d+)\n(.*)$/s.exec(part) as unknown as [string, string, string];
    const name = names[Number(index)] as string;
    told.set(name, told.get(name) + lines);
  }
  return told;
}

/** What `tundish run` prints of a program. */
async function runSpmd(name: string, code: string, pes: number): Promise<string> {
  writeFileSync(join(dir, name), code);
  const args = [join(root, "dist/lib/main.js"), "run", name, "-n", String(pes), "--timeout", "20000"];
  return (await exec(process.execPath, args, { cwd: dir, timeout: 30_000 })).stdout;
}

/** The programs of a page and what stands behind each. */
const programs = (page: string): [code: string, expected: string][] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```js\n(.*?)^```\n\n```\n(.*?)^```/gms)].map(
    ([, code, expected]) => [code as string, expected as string],
  );

const contract = programs("docs/contract.md");
test("the contract has examples", () => assert.is(contract.length, 4));
for (const [number, [code, expected]] of contract.entries()) {
  example(`contract, example ${number + 1}`, code, expected);
}

const short = programs("docs/conveyors.md");
test("the page on conveyors has examples", () => assert.is(short.length, 14));
for (const [number, [code, expected]] of short.entries()) {
  example(`conveyors, example ${number + 1}`, code, expected);
}

const channels = programs("docs/channels.md");
test("the page on channels has examples", () => assert.is(channels.length, 2));
for (const [number, [code, expected]] of channels.entries()) {
  example(`channels, example ${number + 1}`, code, expected);
}

const ordered = programs("docs/ordered-broadcast.md");
test("the page on ordered broadcasts has an example", () => assert.is(ordered.length, 1));
for (const [number, [code, expected]] of ordered.entries()) {
  example(`ordered broadcasts, example ${number + 1}`, code, expected);
}

const stores = programs("docs/store.md");
test("the page on the store has an example", () => assert.is(stores.length, 1));
for (const [number, [code, expected]] of stores.entries()) {
  example(`store, example ${number + 1}`, code, expected);
}

const append = programs("docs/append.md");
test("the page on append buffers has examples", () => assert.is(append.length, 6));
for (const [number, [code, expected]] of append.entries()) {
  example(`append, example ${number + 1}`, code, expected);
}

const traffic = programs("docs/traffic.md");
test("the page on exchanges has examples", () => assert.is(traffic.length, 4));
for (const [number, [code, expected]] of traffic.entries()) {
  example(`traffic, example ${number + 1}`, code, expected);
}

const selectors = programs("docs/selectors.md");
test("the page on selectors has examples", () => assert.is(selectors.length, 5));
for (const [number, [code, expected]] of selectors.entries()) {
  example(`selectors, example ${number + 1}`, code, expected);
}

const plans = programs("docs/plan.md");
test("the page on plans has examples", () => assert.is(plans.length, 3));
test("the plan written by hand on that page is one", () => {
  const page = readFileSync(join(root, "docs/plan.md"), "utf8");
  parsePlan(JSON.parse(/^```json\n(.*?)^```/ms.exec(page)?.[1] as string));
});
for (const [number, [code, expected]] of plans.entries()) {
  example(`plans, example ${number + 1}`, code, expected);
}

test("the command of the page on plans prints what it shows", async () => {
  const page = readFileSync(join(root, "docs/plan.md"), "utf8");
  const commands = [...page.matchAll(/^```console\n\$ npx tundish (.*?)\n(.*?)^```/gms)];
  assert.is(commands.length, 2);
  for (const [, command, expected] of commands) {
    const args = [join(root, "dist/lib/main.js"), ...(command as string).split(" ")];
    assert.is((await exec(process.execPath, args, { cwd: root, timeout: 60_000 })).stdout, expected);
  }
});

const apps = [
  ...readFileSync(join(root, "docs/apps.md"), "utf8").matchAll(
    /^```console\n\$ npx tundish (.*?)\n(.*?)^```/gms,
  ),
];
test("the page on programs has two commands", () => assert.is(apps.length, 2));
for (const [, command = "", expected] of apps) {
  test(`programs: tundish ${command}`, async () => {
    const args = [join(root, "dist/lib/main.js"), ...command.replaceAll("'", "").split(" ")];
    assert.is((await exec(process.execPath, args, { cwd: root, timeout: 60_000 })).stdout, expected);
  });
}

const losses = [...programs("docs/losses.md"), ...programs("docs/agreement.md")];
test("the pages on losses and agreement have an example each", () => assert.is(losses.length, 2));
for (const [number, [code, expected]] of losses.entries()) {
  test(`losses and agreement, example ${number + 1}`, async () => {
    const file = `losses-${number}.mjs`;
    writeFileSync(join(dir, file), code);
    const { stdout } = await exec(process.execPath, [file], { cwd: dir, timeout: 60_000 });
    assert.is(stdout, expected);
  });
}

const simulations = programs("docs/simulate.md");
test("the page on the virtual machine has examples", () => assert.is(simulations.length, 4));
for (const [number, [code, expected]] of simulations.entries()) {
  test(`virtual machine, example ${number + 1}`, async () => {
    const file = `simulate-${number}.mjs`;
    writeFileSync(join(dir, file), code);
    assert.is((await exec(process.execPath, [file], { cwd: dir, timeout: 60_000 })).stdout, expected);
  });
}

const readme = readFileSync(join(root, "README.md"), "utf8");
const shown = [
  ...readme.matchAll(/^```ts\n\/\/ (\S+\.mjs): (.*?)^```\n\n```console\n\$ npx (.*?)\n(.*?)^```/gms),
];
test("the README has examples", () =>
  assert.equal(
    shown.map(([, name]) => name),
    ["count.mjs"],
  ));
for (const [, name = "", code, command, expected] of shown) {
  test(`README, ${name}`, async () => {
    assert.is(command, `tundish run ${name} -n 4`);
    assert.is(await runSpmd(name, `// ${code}`, 4), expected);
  });
}

test("trees", async () => {
  const trees = readFileSync(join(root, "docs/trees.md"), "utf8");
  const code = /```js\n(.*?)```/s.exec(trees)?.[1] as string;
  copyFileSync(
    join(root, "test/fixtures/machines/smelt-intel-xeon-e5-v2-2x10.json"),
    join(dir, "machine.json"),
  );
  writeFileSync(join(dir, "trees.mjs"), code);
  const { stdout } = await exec(process.execPath, ["trees.mjs"], { cwd: dir, timeout: 60_000 });
  const lines = stdout.trimEnd().split("\n");
  assert.match(lines[0] as string, /^0 \{.*\} true$/s);
  assert.match(stdout, /^(dissemination|tree|hybrid) true$/m);
  assert.not.match(stdout, /false/);
});

test.run();
