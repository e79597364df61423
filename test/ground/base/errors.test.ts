/** Errors: codes, names, causes; and `instanceof` that also holds between two copies of the package. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as here from "../../../src/ground/base/errors.ts";
import { root } from "../../support/paths.ts";

type Errors = typeof here;
type ClassName = Extract<keyof Errors, `${string}Error`>;

// what users get: a second copy of every class
const ENTRIES = ["index", "conveyor", "agree", "machine", "plan"];
const urlsIn = (folder: string): string[] =>
  ENTRIES.map((name) => pathToFileURL(join(root, folder, `${name}.js`)).href);
const other = Object.assign({}, ...(await Promise.all(urlsIn("dist/lib").map((url) => import(url))))) as Errors;

/** One error of every class, made by a copy of the package. */
function samples(copy: Errors, options?: ErrorOptions): Record<ClassName, here.TundishError> {
  return {
    TundishError: new copy.TundishError("ERR_TUNDISH_USAGE", "told", options),
    UsageError: new copy.UsageError("told", options),
    NoPEError: new copy.NoPEError("barrier()"),
    WorldClosedError: new copy.WorldClosedError("told", options),
    RankLostError: new copy.RankLostError(3, "told", options),
    TimeoutError: new copy.TimeoutError("told", options),
    AbortedError: new copy.AbortedError("told", options),
    MismatchError: new copy.MismatchError("told", options),
    HeapError: new copy.HeapError("told", options),
    StateError: new copy.StateError("told", options),
    RankRangeError: new copy.RankRangeError("told", options),
    IndexRangeError: new copy.IndexRangeError({ from: 1, index: 12, length: 10 }, "told", "Go on.", options),
    RigidError: new copy.RigidError("told", options),
    MisfitError: new copy.MisfitError("told", options),
    OverflowError: new copy.OverflowError("told", options),
    ModelError: new copy.ModelError("send.3.7", "told", options),
    PlanError: new copy.PlanError("world.nodes", "told", options),
    ModuleError: new copy.ModuleError("told", options),
    HwlocError: new copy.HwlocError("told", options),
    NoHwlocError: new copy.NoHwlocError("told", options),
    NativeError: new copy.NativeError("told", options),
    MpiError: new copy.MpiError("told", options),
    NoMpiError: new copy.NoMpiError("told", options),
    EnvironmentError: new copy.EnvironmentError("told", options),
    LogError: new copy.LogError("log/1", "told", options),
    CorruptLogError: new copy.CorruptLogError("log/1", 24, "told", options),
    LogLockedError: new copy.LogLockedError("log", "told", options),
  };
}

const names = Object.keys(samples(here)) as ClassName[];

const errors = suite("errors");

errors("the table above has every class", () => {
  const classes = Object.keys(here).filter((name) => /^[A-Z]/.test(name));
  assert.equal(names.toSorted(), classes.toSorted());
  assert.is.not(here.UsageError, other.UsageError, "two copies");
});

errors("each has a name, a code of its own, a message, a stack", () => {
  const codes = new Set<string>();
  for (const [name, error] of [here, other].flatMap((copy) => Object.entries(samples(copy)))) {
    assert.is(error.name, name);
    assert.instance(error, Error);
    assert.match(error.code, /^ERR_TUNDISH_[A-Z_]+$/);
    assert.match(String(error), new RegExp(`^${name}: `));
    assert.match(error.message, new RegExp(`^[^[]+ \\[${error.code}\\]$`), "the code, once");
    assert.is(structuredClone(error as Error).message, error.message, "what a pool hands over");
    assert.match(error.stack as string, /errors\.test/);
    if (name !== "TundishError") codes.add(error.code);
  }
  assert.is(codes.size, names.length - 1);
});

errors("each is made, with its name, where Error.prototype is frozen", () => {
  const modules = [
    [urlsIn("dist/lib"), "TundishError"],
    [urlsIn("dist/src"), "TundishError"],
    [[pathToFileURL(join(root, "packages/node-hwloc/dist/index.js")).href], "HwlocError"],
  ];
  const code = `
    for (const { prototype } of [Error, TypeError, RangeError, Object]) Object.freeze(prototype);
    const made = [];
    for (const [urls, base] of ${JSON.stringify(modules)}) {
      const all = Object.assign({}, ...(await Promise.all(urls.map((url) => import(url)))));
      for (const [name, Class] of Object.entries(all)) {
        // needs the facts that it tells; it is as its base
        if (name === "AppendOverflowError") continue;
        if (Class !== all[base] && !all[base].prototype.isPrototypeOf(Class.prototype)) continue;
        const error = new Class("told", "told", "told", { cause: "why" });
        if (error.name !== name || !String(error).startsWith(name + ": ")) throw new Error(name + " is " + error);
        made.push(name);
      }
    }
    console.log(made.length);
  `;
  const options = { encoding: "utf8" } as const;
  const made = execFileSync(process.execPath, ["--input-type=module", "-e", code], options);
  // those of node-hwloc: the base, NoHwlocError, HwlocUsageError
  assert.is(Number(made), 2 * names.length + 3, made);
});

errors("each gets its class back from its name, as a cause from another thread does", () => {
  for (const [name, error] of Object.entries(samples(here))) {
    assert.is(here.classOf(error), name);
    const plain = Object.assign(new Error(error.message), { code: error.code });
    here.restoreClass(plain, name);
    assert.is(here.classOf(plain), name);
  }
});

errors("a cause is kept, and absent when none is given", () => {
  const cause = new Error("why");
  for (const [name, error] of Object.entries(samples(here, { cause }))) {
    assert.is(error.cause, name === "NoPEError" ? undefined : cause);
  }
  for (const error of Object.values(samples(here))) assert.is("cause" in error, false);
});

errors("details: the rank that was lost, the place in a model, what was called", () => {
  const { RankLostError, ModelError, NoPEError } = samples(here);
  assert.is((RankLostError as here.RankLostError).rank, 3);
  assert.is((ModelError as here.ModelError).path, "send.3.7");
  assert.match(NoPEError.message, /^barrier\(\) acts on the calling thread's PE.*launch\(\)/);
});

errors("instanceof holds for the same class, the base and Error, in both copies, and for no other", () => {
  for (const made of [samples(here), samples(other)]) {
    for (const [name, error] of Object.entries(made)) {
      assert.ok(error instanceof Error);
      for (const copy of [here, other]) {
        for (const asked of names) {
          const expected = asked === name || asked === "TundishError";
          assert.is(error instanceof copy[asked], expected, `${name} instanceof ${asked}`);
        }
      }
    }
  }
});

errors("instanceof holds for nothing else", () => {
  class UsageError extends Error {}
  const things = [new Error("x"), new UsageError("x"), {}, { code: "ERR_TUNDISH_USAGE" }, null, undefined, 1, "x"];
  for (const thing of [...things, Object.create(null), () => 1]) {
    for (const [name, Class] of Object.entries(here)) {
      if (names.includes(name as ClassName)) assert.is(thing instanceof (Class as unknown as typeof Error), false);
    }
  }
});

errors("a class derived from one of them is one of them, and its own", () => {
  class Mine extends here.HeapError {}
  const mine = new Mine("x");
  assert.equal([mine.name, mine.code], ["Mine", "ERR_TUNDISH_HEAP"]);
  for (const Class of [Mine, here.HeapError, here.TundishError, other.HeapError]) assert.ok(mine instanceof Class);
  assert.is(new here.HeapError("x") instanceof Mine, false);
  assert.is(mine instanceof here.UsageError, false);
});

errors("the mark of the package does not show", () => {
  assert.equal(Object.keys(new here.UsageError("x")).toSorted(), ["code", "name"]);
  assert.equal(JSON.parse(JSON.stringify(new here.RankLostError(1, "x"))), {
    code: "ERR_TUNDISH_RANK_LOST",
    name: "RankLostError",
    rank: 1,
  });
});
errors.run();
