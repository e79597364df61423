/** The packed tarball in an empty project: imported, required, started by npx, and type-checked. */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fixture, root } from "../support/paths.ts";
import { installedIn } from "./installed.ts";

const exec = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "tundish-package-"));
const node = (...args: string[]): Promise<{ stdout: string }> => exec(process.execPath, args, { cwd: dir });

/** The command as npm has installed it, which npx would start after half a second of its own. */
const tundish = (...args: string[]): Promise<{ stdout: string }> =>
  exec(join(dir, "node_modules/.bin/tundish"), args, { cwd: dir });

const test = suite("packed tarball");

test.before(async () => {
  await installedIn(dir);
  // no part of what is tested here
  rmSync(join(dir, "node_modules/tundish-bench"), { recursive: true });
});

test.after(() => rmSync(dir, { recursive: true, force: true }));

test("holds what it needs and no test", () => {
  const files = readdirSync(join(dir, "node_modules/tundish"), { recursive: true }) as string[];
  for (const file of [
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "dist/lib/worker.js",
    "schemas/machine.json",
    "schemas/plan.json",
    "examples/k-means.ts",
    "examples/support/example.ts",
    "dist/examples/k-means.js",
    "templates/tsconfig.json",
    "dist/lib/valibot.LICENSE.md",
    "dist/lib/tinyqueue.LICENSE.md",
    "dist/lib/node-hwloc.LICENSE.md",
  ]) {
    assert.ok(files.includes(file), `${file} is missing`);
  }
  assert.is(files.filter((file) => /\.test\.|fixtures|dist\/test/.test(file)).length, 0);
  const { dependencies, optionalDependencies, scripts } = JSON.parse(
    readFileSync(join(dir, "node_modules/tundish/package.json"), "utf8"),
  ) as Record<string, Record<string, string>>;
  assert.ok("koffi" in optionalDependencies && !("koffi" in dependencies));
  for (const hook of ["preinstall", "install", "postinstall"]) assert.not.ok(hook in scripts);
});

/** What is imported, in a module or in a declaration. */
const IMPORTED = /(?:^(?:import|export)\b[^;"]*\bfrom |^import |\bimport\()"([^"\s]+)"/gm;

const program = (importing: string) => `${importing}
  module.exports = spmd((pe) => pe.allreduce(pe.rank + 1, "sum"));`;

test("what users read and run names no package that is not installed with it", () => {
  const folder = join(dir, "node_modules/tundish");
  const { dependencies, optionalDependencies, exports } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Record<string, Record<string, string | { readonly types: string }>>;
  const known = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
  const entries = Object.values(exports as object).flatMap(({ types }) => types ?? []) as string[];
  const lib = readdirSync(join(folder, "dist/lib")).filter((file) => file.endsWith(".js"));
  // declarations that no entry leads to are read by nobody
  const files = new Set([...entries, ...lib.map((file) => `dist/lib/${file}`)].map((file) => join(folder, file)));
  const strangers = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const code = file.endsWith(".d.ts") ? text.replaceAll(/\/\*.*?\*\//gs, "") : text;
    for (const [, name = ""] of code.matchAll(IMPORTED)) {
      if (name.startsWith(".")) {
        if (file.endsWith(".d.ts")) files.add(join(dirname(file), name.replace(/\.js$/, ".d.ts")));
      } else if (!name.startsWith("node:") && !known.has(name)) strangers.add(`${file}: ${name}`);
    }
  }
  assert.ok(files.size > 100, `${files.size} files`);
  assert.equal([...strangers], []);
});

test("imports", async () => {
  writeFileSync(
    join(dir, "sum.mjs"),
    'import { spmd } from "tundish";\nexport default spmd((pe) => pe.allreduce(pe.rank + 1, "sum"));\n',
  );
  writeFileSync(
    join(dir, "main.mjs"),
    'import { launch } from "tundish";\nconsole.log(await launch("./sum.mjs", { pes: 3, timeout: 20000 }));\n',
  );
  assert.match((await node("main.mjs")).stdout, "[ 6, 6, 6 ]");
});

test("requires", async () => {
  writeFileSync(join(dir, "sum.cjs"), program('const { spmd } = require("tundish");'));
  writeFileSync(
    join(dir, "main.cjs"),
    'const { launch } = require("tundish");\nlaunch("./sum.cjs", { pes: 2, timeout: 20000 }).then(console.log);\n',
  );
  const { stdout } = await node("--no-warnings", "main.cjs");
  assert.match(stdout, "[ 3, 3 ]");
});

test("the JSON Schemas are found by their names", async () => {
  const code =
    'for (const name of ["plan", "machine"]) console.log(require("tundish/schemas/" + name + ".json").title)';
  assert.is((await node("-e", code)).stdout, "tundish/plan@1\ntundish/machine@1\n");
});

test("toGraph finds its library", async () => {
  writeFileSync(
    join(dir, "graph.mjs"),
    `import { toGraph } from "tundish/trees";
const tree = { algorithm: "binary", root: 0, children: { 0: [1] }, latency: 2 };
const matrix = [[0, 1], [1, 0]];
const graph = toGraph(tree, { name: "two", unit: "ns", pes: [{}, {}], send: matrix, receive: matrix });
console.log(graph.order, graph.edges());
`,
  );
  assert.is((await node("graph.mjs")).stdout, "2 [ '0->1' ]\n");
});

test("an import and a launch load neither graphology nor systeminformation, in no thread", async () => {
  const loaded = "const loaded = () => Object.keys(createRequire(import.meta.url).cache).join();";
  const subpaths = [
    "conveyor",
    "messages",
    "append",
    "exchange",
    "trees",
    "machine",
    "plan",
    "simulate",
    "agree",
    "store",
    "containers",
    "resilient",
    "kernel",
    "shared",
    "loop",
  ];
  writeFileSync(
    join(dir, "loads.mjs"),
    `import { createRequire } from "node:module";
${subpaths.map((name) => `import "tundish/${name}";`).join("\n")}
import { isEntry, launch, spmd, u32 } from "tundish";
import { conveyor } from "tundish/conveyor";
import { toGraph } from "tundish/trees";
${loaded}
export default spmd((pe) => {
  conveyor(pe, u32).run((push) => push(0, 1), () => {});
  return loaded();
});
if (isEntry(import.meta)) {
  const all = await launch(import.meta.url, { pes: 2, timeout: 20000 });
  console.log([...all, loaded()].map((text) => /graphology|systeminformation/.test(text)).join());
  toGraph({ algorithm: "binary", root: 0, children: { 0: [1] }, latency: 2 }, { name: "two", unit: "ns", pes: [{}, {}], send: [[0, 1], [1, 0]], receive: [[0, 1], [1, 0]] });
  console.log(/graphology/.test(loaded()));
}
`,
  );
  assert.is((await node("loads.mjs")).stdout, "false,false,false\ntrue\n");
});

const treesProgram = `
  const machine = await readMachine("model.json");
  const { broadcast, barrier } = generateTrees(machine, { cores: [0, 1, 2, 3, 12, 13], root: 2 });
  console.log(toGraph(broadcast, machine).order);
  console.log(toSvg(barrier, machine).startsWith("<svg"), toDot(broadcast, machine).startsWith("digraph"));
  console.log(repairTree(broadcast, machine, { leave: 3 }).tree.root);
  try { generateTrees(machine, { cores: 5 }); } catch (error) { console.log(error.code); }
`;
const names = "{ generateTrees, repairTree, toDot, toGraph, toSvg }";

test("trees, imported and required", async () => {
  copyFileSync(fixture("machines", "smelt-intel-xeon-e5-v2-2x10.json"), join(dir, "model.json"));
  writeFileSync(
    join(dir, "trees.mjs"),
    `import ${names} from "tundish/trees";\nimport { readMachine } from "tundish/machine";\n${treesProgram}`,
  );
  writeFileSync(
    join(dir, "trees.cjs"),
    `const ${names} = require("tundish/trees");\nconst { readMachine } = require("tundish/machine");\n(async () => {${treesProgram}})();\n`,
  );
  const expected = "6\ntrue true\n2\nERR_TUNDISH_USAGE\n";
  assert.is((await node("trees.mjs")).stdout, expected);
  assert.is((await node("--no-warnings", "trees.cjs")).stdout, expected);
});

const conveyors = `
  const item = struct({ slot: u32, value: f64, big: i64, key: bytes(2) });
  const main = (pe) => {
    const got = [];
    const c = conveyor(pe, item).begin();
    while (c.advance(true)) while (c.pull()) got.push(c.from);
    c.reset();
    const e = elasticConveyor(pe, { bufferBytes: 64 }).begin();
    let pushed = false;
    while (e.advance(pushed)) {
      pushed ||= e.push((pe.rank + 1) % pe.size, new Uint8Array(1000).fill(7));
      while (e.pull()) got.push(e.bytes.length, e.bytes[999], e.from);
    }
    e.reset();
    const b = biconveyor(pe, u32, i64, (index, from) => BigInt(index * 10 + from)).begin();
    let asked = false;
    while (b.advance(asked)) {
      asked ||= b.push(0, 4);
      while (b.pull()) got.push(b.item);
    }
    b.reset();
    const x = elasticBiconveyor(pe, (query) => query.slice(1)).begin();
    let said = false;
    while (x.advance(said)) {
      said ||= x.push(1, Uint8Array.of(1, 2, 3));
      while (x.pull()) got.push(x.bytes.join());
    }
    x.reset();
    try { c.push(0, 1, 2, 3n, new Uint8Array(2)); } catch (error) { got.push(error instanceof StateError, error.code); }
    return got.join(" ");
  };`;
const conveyorNames = "{ bytes, f64, i64, launch, spmd, StateError, struct, u32 }";
const streamNames = "{ biconveyor, conveyor, DONE, elasticBiconveyor, elasticConveyor, NEAR, OK }";
const simulation = `
  function* virtual(pe) {
    const c = pe.conveyor(u32);
    yield* c.begin();
    while ((yield* c.advance(true)) !== DONE) while (c.pull());
    yield* c.reset();
    return pe.node;
  }`;
const conveyed =
  "1000 7 1 40 2,3 true ERR_TUNDISH_STATE|1000 7 0 41 2,3 true ERR_TUNDISH_STATE\n0,0,1,1 tundish/simulation@1 0 1 2\n";

test("conveyors and simulate, imported and required", async () => {
  writeFileSync(
    join(dir, "belts.mjs"),
    `import ${conveyorNames} from "tundish";\nimport ${streamNames} from "tundish/conveyor";\n${conveyors}\nexport default spmd(main);\n`,
  );
  writeFileSync(
    join(dir, "belts.cjs"),
    `const ${conveyorNames} = require("tundish");\nconst ${streamNames} = require("tundish/conveyor");\n${conveyors}\nmodule.exports = spmd(main);\n`,
  );
  const use = (file: string) => `${simulation}
    const run = async () => {
      console.log((await launch("./${file}", { pes: 2, timeout: 20000 })).join("|"));
      const { results, schema } = simulate({ pes: 4, nodes: 2 }, virtual);
      console.log(results.join(), schema, DONE, OK, NEAR);
    };
    run();\n`;
  writeFileSync(
    join(dir, "use.mjs"),
    `import ${conveyorNames} from "tundish";\nimport ${streamNames} from "tundish/conveyor";\nimport { simulate } from "tundish/simulate";\n${use("belts.mjs")}`,
  );
  writeFileSync(
    join(dir, "use.cjs"),
    `const ${conveyorNames} = require("tundish");\nconst ${streamNames} = require("tundish/conveyor");\nconst { simulate } = require("tundish/simulate");\n${use("belts.cjs")}`,
  );
  assert.is((await node("use.mjs")).stdout, conveyed);
  assert.is((await node("--no-warnings", "use.cjs")).stdout, conveyed);
});

test("a loop outside the PEs, imported and required", async () => {
  writeFileSync(join(dir, "bodies.mjs"), "export const square = (i, { add }) => i * i + add;\n");
  writeFileSync(join(dir, "bodies.cjs"), "exports.square = (i, { add }) => i * i + add;\n");
  const loop = "reduceEach(10, square, 'sum', { args: { add: 1 } }).then(console.log);";
  writeFileSync(
    join(dir, "loop.mjs"),
    `import { functionsOf, reduceEach } from "tundish/loop";\nconst { square } = functionsOf("./bodies.mjs");\n${loop}\n`,
  );
  writeFileSync(
    join(dir, "loop.cjs"),
    `const { functionsOf, reduceEach } = require("tundish/loop");\nconst { square } = functionsOf("./bodies.cjs");\n${loop}\n`,
  );
  assert.is((await node("loop.mjs")).stdout, "295\n");
  assert.is((await node("--no-warnings", "loop.cjs")).stdout, "295\n");
});

test("tundish simulate, and the apps", async () => {
  writeFileSync(
    join(dir, "virtual.mjs"),
    `import { u32 } from "tundish";\nimport { DONE } from "tundish/conveyor";\n${simulation}\nexport default virtual;\n`,
  );
  const { stdout } = await tundish("simulate", "virtual.mjs", "-n", "6", "--nodes", "3", "--json");
  assert.equal((JSON.parse(stdout) as { results: unknown }).results, [0, 0, 1, 1, 2, 2]);
  const apps = "node_modules/tundish/dist/apps";
  const virtual = await tundish("simulate", `${apps}/simulated-histogram.js`, "-n", "8");
  assert.match(virtual.stdout, /^8 PEs on 1 node: /);
  for (const app of ["histogram", "index-gather", "index-gather-pair"]) {
    const run = await tundish("run", `${apps}/${app}.js`, "-n", "2", "--", "--items", "1000");
    assert.match(run.stdout, new RegExp(`^0: \\{ app: '${app}', .* errors: 0 \\}`));
  }
});

test("tundish tree, also into a pipe that ends", async () => {
  const shell = (line: string) => exec("bash", ["-o", "pipefail", "-c", line], { cwd: dir });
  const tree = "node_modules/.bin/tundish tree";
  assert.is((await shell(`${tree} model.json --json | head -1`)).stdout, "{\n");
  assert.match((await shell(`${tree} model.json --compare`)).stdout, /^adaptive \(chosen\) +1\.00 x/m);
  assert.match((await shell(`${tree} --help`)).stdout, /^Usage: tundish tree/m);
  const failed = await shell(`${tree} none.json`).catch((error: unknown) => error);
  const { code, stderr } = failed as { code: number; stderr: string };
  assert.is(code, 2);
  assert.match(stderr, /^error ERR_TUNDISH_MODEL_INVALID: none\.json: /m);
});

test("tundish init: its program runs by tsx, and built by tsc by node", async () => {
  const first = join(dir, "first");
  await tundish("init", "first");
  const made = JSON.parse(readFileSync(join(first, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const [tarball] = readdirSync(dir).filter((file) => /^tundish-\d.*\.tgz$/.test(file));
  // what is in no registry comes from where this one came from
  assert.is(made.dependencies.tundish, `file:${join(realpathSync(dir), tarball as string)}`);
  // as npm has installed it here, by the same words
  cpSync(join(dir, "node_modules"), join(first, "node_modules"), { recursive: true, verbatimSymlinks: true });
  for (const tool of ["@types", "tsx"])
    symlinkSync(join(root, "node_modules", tool), join(first, "node_modules", tool));
  const bin = (path: string) => join(root, "node_modules", path);
  const run = async (...args: string[]) => (await exec(process.execPath, args, { cwd: first })).stdout;
  const printed = /^(?:\d\.\d{3} \d\.\d{3}\n){6}\d+ rounds: .*\nspeedup \d+\.\d\d\n$/;
  const byTsx = await run(bin("tsx/dist/cli.mjs"), "k-means.ts", "20000");
  assert.match(byTsx, printed);
  await run(bin("typescript/bin/tsc"));
  const built = await run("dist/k-means.js", "20000");
  assert.match(built, printed);
  const centres = (text: string) => text.split("\n").slice(0, 6);
  assert.equal(centres(built), centres(byTsx));
  // Node.js reads TypeScript by itself from 22.18 on
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) assert.match(await run("k-means.ts", "20000"), printed);
});

test("npx tundish", async () => {
  const { stdout } = await exec("npx", ["--no-install", "tundish", "--version"], { cwd: dir });
  assert.match(stdout, /^\d+\.\d+\.\d+/);
  const run = await tundish("run", "sum.mjs", "-n", "2", "--json");
  assert.equal((JSON.parse(run.stdout) as { results: unknown }).results, [3, 3]);
});

/** What users write without annotations, and of which type it is to be. */
const inference = `import { allreduce, allreduceAsync, broadcast, broadcastAsync, exscan, exscanAsync, reduce, reduceAsync, reduceScatter, reduceScatterAsync, scan, scanAsync, type Group, type Located, type Op, type OpFor, type PE, type Reducible, type TypedArray } from "tundish";
type Same<A, B> = (<T,>() => T extends A ? 1 : 2) extends <T,>() => T extends B ? 1 : 2 ? true : false;
const is = <A,>() => <B,>(value: B, ..._: Same<A, B> extends true ? [] : [never]): B => value;
export function use(pe: PE, f64: Float64Array<SharedArrayBuffer>, u8: Uint8Array, i64: BigInt64Array, any: TypedArray): void {
  const root = pe.rank === 0;
  is<{ a: number }>()(pe.broadcast(root ? { a: 1 } : undefined));
  is<{ a: number }>()(broadcast(root ? { a: 1 } : undefined, 1));
  is<Promise<{ a: number }>>()(pe.broadcastAsync(root ? { a: 1 } : undefined));
  is<Promise<number[]>>()(broadcastAsync(root ? [1] : undefined));
  is<number>()(pe.broadcast(1));
  is<bigint>()(broadcast(1n));
  is<typeof f64>()(broadcast(f64));
  is<unknown>()(broadcast(undefined as unknown));
  for (const one of [pe, { allreduce, reduce, scan, exscan, allreduceAsync, reduceAsync, scanAsync, exscanAsync }]) {
    is<number>()(one.allreduce(1, (a, b) => Math.max(a, b)));
    is<bigint>()(one.allreduce(1n, (a, b) => a ^ b));
    is<typeof f64>()(one.allreduce(f64, (a, b) => Math.hypot(a, b)));
    is<BigInt64Array>()(one.allreduce(i64, (a, b) => (a > b ? a : b)));
    is<number | undefined>()(one.reduce(pe.rank, (a, b) => Math.max(a, b), 0));
    is<bigint | undefined>()(one.reduce(1n, (a, b) => a ^ b));
    is<Uint8Array | undefined>()(one.reduce(u8, (a, b) => a | b, 0, { timeout: 5 }));
    is<BigInt64Array>()(one.scan(i64, (a, b) => a & b));
    is<number>()(one.scan(1, "and"));
    is<number | undefined>()(one.exscan(1, (a, b) => a + b));
    is<Promise<number>>()(one.allreduceAsync(1, (a, b) => Math.max(a, b)));
    is<Promise<bigint | undefined>>()(one.reduceAsync(1n, (a, b) => a ^ b));
    is<Promise<BigInt64Array>>()(one.scanAsync(i64, (a, b) => a ^ b));
    is<Promise<Uint8Array | undefined>>()(one.exscanAsync(u8, (a, b) => Math.min(a, b)));
    is<TypedArray>()(one.allreduce(any, "sum" as Op));
    is<Located>()(one.allreduce({ value: 1.5, index: pe.rank }, "minloc"));
    is<Located | undefined>()(one.reduce({ value: 1.5, index: pe.rank }, "maxloc", 1));
    is<Promise<Located | undefined>>()(one.exscanAsync({ value: 1.5, index: pe.rank }, "maxloc"));
    is<BigInt64Array>()(one.scan(i64, "minloc"));
    is<Float64Array<SharedArrayBuffer>>()(one.allreduce(f64, "maxloc"));
  }
  // @ts-expect-error a function of bigints for a number
  pe.allreduce(1, (a: bigint, b: bigint) => a ^ b);
  // @ts-expect-error a function of numbers for bigints
  pe.reduce(i64, (a: number, b: number) => a + b);
  // @ts-expect-error no number comes back
  pe.scan(1, () => "1");
  // @ts-expect-error a number without its index
  pe.allreduce(1, "minloc");
  // @ts-expect-error a sum of values with their indices
  pe.allreduce({ value: 1, index: 1 }, "sum");
  // @ts-expect-error no index
  pe.reduce({ value: 1 }, "minloc");
  for (const one of [pe, { reduceScatter, reduceScatterAsync }]) {
    is<typeof f64>()(one.reduceScatter(f64, (a, b) => Math.hypot(a, b)));
    is<number>()(one.reduceScatter([1, 2], "and"));
    is<bigint>()(one.reduceScatter([1n, 2n], (a, b) => a ^ b));
    is<Promise<Uint8Array>>()(one.reduceScatterAsync(u8, "minloc", { timeout: 5 }));
    is<Promise<Located>>()(one.reduceScatterAsync([] as Located[], "maxloc"));
    // @ts-expect-error a function of numbers for bigints
    one.reduceScatter([1n, 2n], (a: number, b: number) => a + b);
    // @ts-expect-error a list of texts
    one.reduceScatter(["a", "b"], "sum");
  }
  is<Group | null>()(pe.split(pe.rank % 2));
  is<Promise<Group | null>>()(pe.splitAsync(pe.rank === 0 ? null : 1, -pe.rank));
  // @ts-expect-error a colour is a number
  pe.split("red");
  const shared: Float32Array = pe.allocShared(Float32Array, 10);
  const later: Promise<Int32Array> = pe.allocSharedAsync(Int32Array, 10);
  is<Float32Array>()(shared);
  is<Promise<Int32Array>>()(later);
}
// what somebody writes around them
export const named = <T extends Reducible>(pe: PE, x: T, op: OpFor<T>) => pe.allreduce(x, op);
export const passed = <T extends Reducible>(pe: PE, x: T, op: OpFor<T>) => pe.scan(x, op);
`;

/** What users write of conveyors, and of which type it is to be. */
const conveying = `import { bytes, f64, i64, struct, u32, type Bytes, type PE, type Struct } from "tundish";
import { biconveyor, conveyor, DONE, elasticConveyor, selector, valueConveyor, type Biconveyor, type Conveyor, type Handlers, type Status } from "tundish/conveyor";
import { simulate, type SimulatedPE } from "tundish/simulate";
type Same<A, B> = (<T,>() => T extends A ? 1 : 2) extends <T,>() => T extends B ? 1 : 2 ? true : false;
const is = <A,>() => <B,>(value: B, ..._: Same<A, B> extends true ? [] : [never]): B => value;
export function use(pe: PE): void {
  const c = conveyor(pe, struct({ slot: u32, value: f64, big: i64, key: bytes(3), at: struct({ x: u32 }) }), { hops: 2 }).begin();
  is<Status>()(c.advance(true));
  is<boolean>()(c.push(0, 1, 2, 3n, new Uint8Array(3), { x: 4 }));
  is<number>()(c.item.slot);
  is<bigint>()(c.item.big);
  is<Uint8Array>()(c.item.key);
  is<number>()(c.item.at.x);
  const plain: Conveyor<typeof f64> = conveyor(pe, f64);
  is<number>()(plain.item);
  const b: Biconveyor<typeof u32, typeof i64> = biconveyor(pe, u32, i64, (index, from) => BigInt(index + from));
  is<bigint>()(b.item);
  is<Uint8Array>()(elasticConveyor(pe).bytes);
  is<unknown>()(valueConveyor(pe).value);
  is<Float64Array>()(valueConveyor(pe, { of: Float64Array, hops: 2 }).value);
  is<string>()(valueConveyor<string>(pe).value);
  const serialize = (of: { id: number }) => Uint8Array.of(of.id);
  is<{ id: number }>()(valueConveyor(pe, { serialize, deserialize: ([id]) => ({ id: id ?? 0 }) }).value);
  // @ts-expect-error no deserialize
  valueConveyor(pe, { serialize });
  // @ts-expect-error an array of another type
  valueConveyor(pe, { of: Float64Array }).push(0, new Float32Array(1));
  // @ts-expect-error no number for a bigint
  conveyor(pe, i64).push(0, 1);
  // @ts-expect-error no such field
  c.item.slots;
  // @ts-expect-error a reply of another type
  biconveyor(pe, u32, f64, () => "1");
  // @ts-expect-error no such type
  conveyor(pe, u32, { type: "tensr" });
}
export async function select(pe: PE): Promise<void> {
  const s = selector(pe, 
    { ask: struct({ slot: u32, big: i64 }), reply: f64, raw: bytes(2) },
    { hops: 2, after: { reply: ["ask", "raw"] } },
  );
  const handlers: Handlers<{ readonly ask: Struct<{ readonly slot: typeof u32; readonly big: typeof i64 }>; readonly reply: typeof f64; readonly raw: Bytes }> = {
    ask: ({ slot, big }, from) => s.send.reply(from, slot + Number(big)),
    reply: (value) => is<number>()(value),
    raw: (value) => is<Uint8Array>()(value),
  };
  s.run((send, turn) => {
    is<void>()(send.ask(0, 1, 2n));
    is<void>()(turn());
    // @ts-expect-error no number for bytes
    send.raw(0, 1);
    // @ts-expect-error no such mailbox
    send.rest(0, 1);
  }, handlers);
  s.run(() => {}, {
    ask: ({ slot, big }, from) => {
      is<number>()(slot);
      is<bigint>()(big);
      is<number>()(from);
    },
    reply: (value) => is<number>()(value),
    raw: (value) => is<Uint8Array>()(value),
  });
  await s.runAsync(async (send) => is<Promise<void> | undefined>()(send.reply(0, 1)), handlers);
  is<number>()(s.stats().raw.held);
  // @ts-expect-error no such mailbox
  s.done("rest");
  // @ts-expect-error a handler is missing
  s.run(() => {}, { ask() {}, reply() {} });
  // @ts-expect-error no such mailbox
  selector(pe, { ask: u32 }, { after: { ask: ["rest"] } });
}
function* program(pe: SimulatedPE, args: { items: number }): Generator<void, number, void> {
  const c = pe.conveyor(u32);
  yield* c.begin();
  while ((yield* c.advance(true)) !== DONE) while (c.pull()) is<number>()(c.item);
  yield* c.reset();
  return args.items;
}
is<readonly number[]>()(simulate({ pes: 2, args: { items: 1 } }, program).results);
`;

test("types under NodeNext, strict, library checks included", async () => {
  writeFileSync(join(dir, "inference.mts"), inference);
  writeFileSync(join(dir, "conveying.mts"), conveying);
  writeFileSync(
    join(dir, "user.mts"),
    `import { allreduce, barrier, broadcast, launch, reduce, spmd, RankLostError, type PE } from "tundish";
import type { MachineModel } from "tundish/machine";
import { toGraph, type Trees } from "tundish/trees";
const program = spmd((pe: PE, args: unknown) => {
  barrier();
  const x: number = broadcast(1, 0);
  const y: Float64Array = pe.allreduce(pe.alloc(Float64Array, 8), "sum");
  const z: BigInt64Array | undefined = reduce(new BigInt64Array(2), (a: bigint, b: bigint) => a ^ b);
  const trees: Trees = pe.trees;
  // @ts-expect-error no such op
  allreduce(1, "sun");
  return [x, y, z, trees, args];
});
export default program;
export const results: Promise<unknown[]> = launch(new URL("./x.js", import.meta.url), { pes: 2, timeout: 1000 });
export const times = (trees: Trees, machine: MachineModel): number[] => {
  const graph = toGraph(trees.broadcast, machine);
  // @ts-expect-error no such attribute
  graph.getNodeAttribute(0, "att");
  return graph.mapNodes((_, { at }) => at);
};
export const lost = (error: unknown): number => (error instanceof RankLostError ? error.rank : -1);
`,
  );
  const compilerOptions = {
    module: "NodeNext",
    target: "ES2022",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    // without those of browsers, which would be checked as well
    lib: ["ES2022"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(
    join(dir, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["user.mts", "inference.mts", "conveying.mts"] }),
  );
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
  try {
    await node(tsc, "-p", dir);
  } catch (error) {
    assert.unreachable((error as { stdout: string }).stdout);
  }
});

test.run();
