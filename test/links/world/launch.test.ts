/** launch(): modules of every kind, arguments, results, options. */

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect, isDeepStrictEqual } from "node:util";
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import {
  ModelError,
  ModuleError,
  RankLostError,
  type TundishError,
  UsageError,
} from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { findTsx } from "../../../src/ground/base/thread/tsx.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { chain, hybrid, syntheticMachine, treesOf } from "../../collectives/support/plans.ts";
import { fixture, root } from "../../support/paths.ts";
import { testUnless } from "../../support/skip.ts";

const basic = sibling("./basic.program.js", import.meta.url);
const program = (name: string): string => fixture("programs", name);
const timeout = 30_000;

/** The error that a launch ends with. */
async function failure(module: URL | string, options: LaunchOptions = {}): Promise<TundishError> {
  const error = await launch(module, { pes: 2, timeout, ...options }).then(
    () => assert.unreachable("the run ended well"),
    (error: unknown) => error,
  );
  return error as TundishError;
}

interface Answer {
  readonly rank: number;
  readonly size: number;
  readonly args: unknown;
  readonly sum: number;
}

async function checkRanks(module: URL | string): Promise<void> {
  const answers = (await launch(module, { pes: 2, args: { deep: [1, 2] }, timeout })) as Answer[];
  assert.equal(
    answers.map(({ rank, size, args, sum }) => ({ rank, size, args, sum })),
    [0, 1].map((rank) => ({ rank, size: 2, args: { deep: [1, 2] }, sum: 1 })),
  );
}

const modules: Test = suite("modules");
modules("an absolute path", () => checkRanks(program("world-rank.mjs")));
modules("a path relative to the working directory", () =>
  checkRanks(relative(process.cwd(), program("world-rank.mjs"))),
);
modules("a URL", () => checkRanks(pathToFileURL(program("world-rank.mjs"))));
modules("a file: string", () => checkRanks(pathToFileURL(program("world-rank.mjs")).href));
modules("CommonJS, exports replaced", () => checkRanks(program("world-rank.cjs")));
modules("CommonJS, as compilers make it", () => checkRanks(program("world-interop.cjs")));
modules("a path that must be escaped in a URL", async () => {
  // below the checkout, so that it finds the package
  const folder = mkdtempSync(join(root, "dist", "odd ä%20#?-"));
  try {
    copyFileSync(program("world-rank.mjs"), join(folder, "a b.mjs"));
    await checkRanks(join(folder, "a b.mjs"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
const readsTypeScript = (process.features as { typescript?: unknown }).typescript || findTsx(import.meta.url);
/** Node 22.18 and later, unless started with tsx. */
const onlyStrips = (process.features as { typescript?: unknown }).typescript === "strip";
testUnless(modules, readsTypeScript ? null : "needs tsx or a newer Node", "TypeScript", () =>
  checkRanks(program("world-rank.ts")),
);

modules("importing an spmd module runs nothing", async () => {
  const { default: spmd } = (await import(basic.href)) as { default: { main: unknown } };
  assert.type(spmd.main, "function");
  assert.is((globalThis as Record<symbol, unknown>)[Symbol.for("tundish.test.ran")], undefined);
});

modules("a module that is not there", async () => {
  for (const missing of ["no/such/file.js", pathToFileURL("/no/such/file.js"), "file:///no/such.js"]) {
    const error = await failure(missing);
    assert.instance(error, ModuleError);
    assert.is(error.code, "ERR_TUNDISH_MODULE");
    assert.match(error.message, /Expected the path or URL of a module, got .*does not exist.*Relative paths/);
  }
  for (const folder of [root, ""]) {
    const error = await failure(folder);
    assert.instance(error, ModuleError);
    assert.match(error.message, /Expected the path or URL of a module, got .*which is a folder/);
  }
});

modules("TypeScript with enums in a package of CommonJS", async () => {
  if (!findTsx(import.meta.url)) return;
  const folder = mkdtempSync(join(root, "dist", "commonjs-"));
  try {
    writeFileSync(join(folder, "package.json"), '{"type": "commonjs"}');
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "tundish"));
    const file = join(folder, "program.ts");
    const source =
      'import { type PE, spmd } from "tundish";\nenum Two { Value = 2 }\n' +
      "export default spmd((pe: PE) => pe.rank * Two.Value);\n";
    writeFileSync(file, source);
    if (!onlyStrips) {
      assert.equal(await launch(file, { pes: 3, timeout }), [0, 2, 4]);
      return;
    }
    const error = await failure(file);
    assert.instance(error, ModuleError);
    assert.match(error.message, /enum is not supported.*only removes types.*npx tsx main\.ts/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

modules("what is no module name", async () => {
  const urls = ["file://:::", new URL("http://localhost/program.mjs"), new URL("node:fs")];
  for (const wrong of [undefined, null, 5, {}, () => 1, Symbol("module"), ...urls]) {
    const error = await failure(wrong as unknown as string);
    assert.instance(error, UsageError);
    assert.match(error.message, /module: expected a path, or a file: or data: URL, got/);
  }
});

for (const [what, source, name, message] of [
  ["without a default export", "export const a = 1", "ModuleError", /has no SPMD program: expected `export default/],
  ["with another default export", "export default () => 1", "ModuleError", /has no SPMD program/],
  ["whose default export is null", "export default null", "ModuleError", /has no SPMD program/],
  ["with a syntax error", "this is no program", "ModuleError", /cannot be read: Unexpected identifier/],
  ["that throws while it is imported", "throw new RangeError('at once')", "RangeError", /^at once$/],
  ["that imports what is not there", "import 'no-such-package'", "Error", /no-such-package/],
] as const) {
  modules(`a module ${what}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "tundish-"));
    try {
      const file = join(folder, "program.mjs");
      writeFileSync(file, source);
      for (const module of [file, `data:text/javascript,${source}`]) {
        if (source.startsWith("import") && module !== file) continue;
        const error = await failure(module, { pes: module === file ? 2 : 1 });
        // what is wrong with the module itself is told as such, what it throws as the loss of its PE
        const told = name === "ModuleError" ? error : (error.cause as Error);
        assert.instance(error, name === "ModuleError" ? ModuleError : RankLostError);
        assert.is(told.name, name);
        assert.match(told.message, message);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
modules.run();

const results = suite("arguments and results");
results("results come in rank order, whoever is first", async () => {
  assert.equal(await launch(basic, { pes: 4, args: "slow first", timeout }), [0, 1, 2, 3]);
});

results("results are whatever can be cloned, promises resolved", async () => {
  const all = await launch(basic, { pes: 8, args: "values", timeout });
  const error = all[6] as Error;
  assert.equal([error instanceof Error, error.message], [true, "as a value"]);
  const others = all.filter((_, rank) => rank !== 6);
  const expected = [
    undefined,
    null,
    2n ** 70n,
    new Map([[{ a: 1 }, new Set([1, 2])]]),
    new Float32Array([1, -0, Number.NaN]),
    "later",
    new Date(0),
  ];
  assert.ok(isDeepStrictEqual(others, expected), inspect(others));
});

results("an array of the heap can be read after the run", async () => {
  const all = (await launch(basic, { pes: 3, args: "heap", timeout })) as Int32Array[];
  assert.equal(
    all.map((x) => [...x]),
    Array(3).fill(Array(10).fill(3)),
  );
});

results("arguments are cloned, each PE has its own", async () => {
  const args = { list: [1], map: new Map([["a", 1]]) };
  const all = (await launch(program("world-rank.mjs"), { pes: 2, args, timeout })) as Answer[];
  for (const { args: got } of all) {
    assert.equal(got, args);
    assert.is.not(got, args);
  }
});

results("arguments that cannot be cloned are refused", async () => {
  for (const args of [() => 1, { f: () => 1 }, Symbol("s"), new WeakMap()]) {
    const error = await failure(basic, { args });
    assert.instance(error, UsageError);
    assert.match(error.message, /args: expected a value that can be cloned, got .*could not be cloned/);
    assert.is((error.cause as Error).name, "DataCloneError");
  }
});
results.run();

const options = suite("options");
options("as many PEs as asked for, also more than there are cores; by default one per usable core", async () => {
  for (const pes of [1, 9]) {
    const sum = (pes * (pes - 1)) / 2;
    assert.equal(await launch(basic, { pes, timeout }), Array(pes).fill(sum));
  }
  const all = await launch(basic);
  assert.ok(all.length >= 1);
});

options("numbers out of range are refused with the range", async () => {
  for (const pes of [0, -1, 1.5, Number.NaN, 4097, "2", null, {}, Symbol("n"), 2n, Object.create(null)]) {
    const error = await failure(basic, { pes: pes as number });
    assert.instance(error, UsageError);
    assert.match(error.message, /^pes: expected a whole number from 1 to 4096, got /);
  }
  for (const name of ["timeout", "waitTimeout"]) {
    for (const value of [0, -5, Number.NaN, "100", null, {}, 10n]) {
      const error = await failure(basic, { [name]: value });
      assert.instance(error, UsageError);
      assert.match(error.message, new RegExp(`^${name}: expected a number of milliseconds > 0, got `));
    }
  }
  for (const heapBytes of [0, -1, 1.5, 5e9, Number.NaN, "1G", null, Symbol("bytes")]) {
    const error = await failure(basic, { heapBytes: heapBytes as number });
    assert.match(error.message, /^heapBytes: expected a whole number/);
  }
  for (const signal of [{}, "signal", null]) {
    assert.match((await failure(basic, { signal: signal as never })).message, /^signal: expected an AbortSignal/);
  }
});

options("very long and infinite times are no limit", async () => {
  for (const time of [2 ** 31, 1e15, Number.POSITIVE_INFINITY]) {
    assert.equal(await launch(basic, { pes: 2, timeout: time, waitTimeout: time }), [1, 1]);
  }
});

options("a heap too small for the world itself is refused, with what it needs, and that is enough", async () => {
  for (const pes of [1, 3]) {
    const error = await failure(basic, { heapBytes: 1, pes });
    assert.instance(error, UsageError);
    const told = /^heapBytes: expected at least (\d+) bytes, which a world of (\d) PEs .* got 1\. /.exec(error.message);
    assert.is(Number(told?.[2]), pes, error.message);
    const least = Number(told?.[1]);
    assert.instance(await failure(basic, { heapBytes: least - 1, pes }), UsageError);
    const sum = (pes * (pes - 1)) / 2;
    assert.equal(await launch(basic, { heapBytes: least, pes, timeout }), Array(pes).fill(sum));
  }
});

options("a machine as an object, as a path, as a path that leads nowhere", async () => {
  assert.equal(await launch(basic, { pes: 2, machine: syntheticMachine(2), timeout }), [1, 1]);
  const file = fixture("machines", "c2c-apple-m1-air.json");
  assert.equal(await launch(basic, { pes: 2, machine: file, timeout }), [1, 1]);
  assert.equal(await launch(basic, { pes: 3, machine: relative(process.cwd(), file), timeout }), [3, 3, 3]);
  const missing = await failure(basic, { machine: "no-such-machine.json" });
  assert.instance(missing, ModelError);
  assert.match(missing.message, /no-such-machine\.json: expected a machine model/);
  const broken = await failure(basic, { machine: { ...syntheticMachine(2), send: [[0, -1]] } as never });
  assert.instance(broken, ModelError);
  assert.match((broken as ModelError).path, /^send/);
  for (const machine of [5, true, Symbol("m"), null]) {
    assert.instance(await failure(basic, { machine: machine as never }), UsageError);
  }
  for (const machine of [{}, []]) {
    assert.instance(await failure(basic, { machine: machine as never }), ModelError);
  }
});

options("a model that does not fit this machine is told by a warning", async () => {
  const warned = new Promise<Error & { code?: string }>((resolve) => process.once("warning", resolve));
  const machine = { ...syntheticMachine(2), fingerprint: "0123456789abcdef" };
  await launch(basic, { pes: 2, machine, timeout });
  const { name, code, message } = await warned;
  assert.equal([name, code], ["TundishWarning", "TUNDISH_MODEL_STALE"]);
  assert.match(message, /does not fit.*tundish profile/);
});

options("a plan of one's own is used; one that does not reach every PE is refused, not waited for", async () => {
  assert.equal(await launch(basic, { pes: 4, trees: chain(4), timeout }), [6, 6, 6, 6]);
  const plan = treesOf(3, "binary");
  const { barrier } = plan;
  if (barrier.kind !== "tree") throw new Error("binary trees come with a tree barrier");
  const wrong: unknown[] = [
    null,
    {},
    treesOf(2, "binary"),
    treesOf(4, "binary"),
    { ...plan, cores: [0, 1, 1] },
    { ...plan, broadcast: { ...plan.broadcast, children: {} } },
    { ...plan, broadcast: undefined },
    { ...plan, reduce: { ...plan.reduce, children: { "0": [1, 2], "1": [2] } } },
    { ...plan, reduce: { ...plan.reduce, root: 5 } },
    { ...plan, reduce: { ...plan.reduce, children: { "0": [0, 1, 2] } } },
    { ...plan, reduce: { ...plan.reduce, children: { "0": [1], "2": [1] } } },
    { ...plan, barrier: undefined },
    { ...plan, barrier: { kind: "flag" } },
    { ...plan, barrier: { kind: "dissemination", latency: 0, order: [0, 1, 1] } },
    { ...plan, barrier: { ...barrier, broadcast: { ...barrier.broadcast, children: { "0": [1] } } } },
    { ...plan, barrier: { ...barrier, reduce: chain(3).reduce } },
    { ...plan, cores: [0, 1, Symbol("two")] },
    { ...plan, broadcast: { ...plan.broadcast, children: { "0": 5 } } },
    { ...plan, broadcast: { ...plan.broadcast, latency: "fast" } },
    { ...plan, reduce: { ...plan.reduce, latency: undefined } },
    { ...plan, barrier: { kind: "dissemination", order: [0, 1, 2] } },
    { ...plan, barrier: { kind: "dissemination", latency: 0 } },
    { ...plan, barrier: { kind: "dissemination", latency: 0, order: 5 } },
    { ...plan, barrier: { ...hybrid(3).barrier, leaders: undefined } },
    { ...plan, barrier: { ...hybrid(3).barrier, reduce: [null, null] } },
    { ...plan, barrier: { ...hybrid(3).barrier, broadcast: [{ root: 1 }, { root: 2 }] } },
    { ...plan, contest: null },
    { ...plan, contest: { broadcast: [], reduce: [], barrier: [null] } },
  ];
  for (const plan of wrong) {
    const error = await failure(basic, { pes: 3, trees: plan as never });
    assert.instance(error, UsageError, JSON.stringify(plan));
    assert.match(error.message, /^trees/);
  }
});

options("PEs are bound to CPUs unless told otherwise", async () => {
  const cpus = async (pin: boolean) =>
    ((await launch(program("world-rank.mjs"), { pes: 2, pin, timeout })) as { cpu: number | null }[]).map(
      ({ cpu }) => cpu,
    );
  assert.equal(await cpus(false), [null, null]);
  for (const cpu of await cpus(true)) assert.ok(cpu === null || (Number.isInteger(cpu) && cpu >= 0));
});
options.run();
