/** Wrong calls: all PEs make them, catch what is thrown, and then go on as if nothing had happened. */
import * as assert from "uvu/assert";
import * as tundish from "../../../src/index.ts";
import { type CallOptions, type PE, type Spmd, spmd } from "../../../src/index.ts";

/** What a call threw. */
export interface Thrown {
  readonly call: string;
  readonly name: string;
  readonly code: unknown;
  readonly message: string;
}

async function caught(call: string, body: () => unknown): Promise<Thrown> {
  try {
    await body();
  } catch (error) {
    const { name, code, message } = error as Error & { code?: unknown };
    return { call, name, code, message };
  }
  return { call, name: "nothing", code: undefined, message: "nothing was thrown" };
}

/** Ends the test if a message of a refused call is still on its way. */
function goOn(pe: PE): void {
  assert.is(pe.allreduce(pe.rank, "sum"), (pe.size * (pe.size - 1)) / 2);
  const x = new Float64Array(5000);
  const root = pe.broadcast(pe.size - 1);
  assert.is(pe.broadcast(x.fill(pe.rank), root)[4999], root);
  assert.equal(pe.allgather(pe.rank), [...Array(pe.size).keys()]);
}

type Wrong = readonly [call: string, args: readonly unknown[]];

const x = new Float64Array(3);
const nothingPrintable: unknown = Object.create(null);
const roots = (size: number) => [-1, 1.5, size, Number.NaN, Number.POSITIVE_INFINITY, "0", null, {}, nothingPrintable];
const noCombined = [
  undefined,
  null,
  "text",
  true,
  Symbol("x"),
  () => 1,
  {},
  [1, 2],
  new ArrayBuffer(8),
  new DataView(new ArrayBuffer(8)),
  2n ** 63n,
];
const noPairs = [
  { value: "1", index: 1 },
  { value: 1n, index: 1 },
  { value: 1, index: 0.5 },
  { value: 1, index: Number.NaN },
  { value: 1, index: 2 ** 53 },
  { value: 1, index: "1" },
];
const noClones = [Symbol("x"), () => 1, { deep: [() => 1] }, 2n ** 64n, -(2n ** 63n) - 1n];
const noOps = [undefined, null, "plus", "", "toString", 1, {}, [], Symbol("op"), nothingPrintable];

/** Calls by what is wrong with them. */
function wrongCalls(size: number): Wrong[] {
  const calls: Wrong[] = [];
  const add = (what: string, name: string, ...args: unknown[]) => void calls.push([`${what} of ${name}`, args]);
  for (const root of roots(size)) {
    for (const first of [1, 1n, x]) {
      add("root", "broadcast", first, root);
      add("root", "reduce", first, "sum", root);
    }
    add("root", "broadcast", {}, root);
    add("root", "gather", x, root);
    add("root", "scatter", x, root);
  }
  for (const name of ["reduce", "allreduce", "scan", "exscan"]) {
    for (const value of noCombined) add("combined", name, value, "sum");
    for (const value of noPairs) add("pair", name, value, "minloc");
    for (const op of ["sum", "and", Math.max]) add("op", name, { value: 1, index: 2 }, op);
    for (const first of [1, 1n, x]) add("op", name, first, "maxloc");
    for (const op of noOps) for (const first of [1, 1n, x]) add("op", name, first, op);
    for (const op of ["and", "or", "xor"]) {
      add("op", name, x, op);
      add("op", name, new Float32Array(500), op);
    }
  }
  for (const value of [undefined, null, 1, "text", {}, Array(size + 1).fill(0), []])
    add("parts", "reduceScatter", value, "sum");
  for (const value of noCombined) add("combined", "reduceScatter", Array(size).fill(value), "sum");
  for (const op of noOps) for (const first of [1, 1n]) add("op", "reduceScatter", Array(size).fill(first), op);
  for (const op of ["minloc", "maxloc"]) {
    for (const first of [Array(size).fill(1), Array(size).fill(1n), new Int8Array(3 * size)])
      add("op", "reduceScatter", first, op);
  }
  add("list", "reduceScatter", [x, ...Array(size - 1).fill(1)], "sum");
  if (size > 1) {
    add("list", "reduceScatter", [...Array(size - 1).fill(1), 1n], "sum");
    add("parts", "reduceScatter", new Int8Array(size + 1), "sum");
  }
  for (const value of noClones) {
    for (const name of ["gather", "allgather"]) add("clone", name, value);
    add("clone", "alltoall", Array(size).fill(value));
  }
  for (const value of [undefined, null, 1, "text", {}, Array(size + 1).fill(0), []]) {
    add("parts", "alltoall", value);
    add("parts", "alltoallv", value);
  }
  add("parts", "alltoallv", Array(size).fill(1));
  add("parts", "alltoallv", Array(size).fill(new DataView(new ArrayBuffer(8))));
  if (size > 1) add("parts", "alltoall", new Int8Array(size + 1));
  for (const signal of [5, null, "now", {}]) {
    add("signal", "barrier", { signal });
    add("signal", "scan", x, "sum", { signal });
  }
  for (const options of [{ timeOut: 5 }, 5, "soon", null]) add("options", "barrier", options);
  for (const timeout of [0, -1, Number.NaN, "100", null, {}]) {
    const options: CallOptions = { timeout: timeout as number };
    add("timeout", "barrier", options);
    add("timeout", "broadcast", 1, 0, options);
    add("timeout", "scan", x, "sum", options);
  }
  for (const algorithm of ["fast", "", "toString", null]) {
    for (const first of [1, 1n, x]) {
      add("algorithm", "broadcast", first, 0, { algorithm });
      add("algorithm", "reduce", first, "sum", 0, { algorithm });
      add("algorithm", "allreduce", first, "sum", { algorithm });
    }
    add("algorithm", "allreduce", { value: 1, index: 1 }, "minloc", { algorithm });
  }
  for (const algorithm of ["tree", "exchange"]) {
    add("scatter", "allreduce", { value: 1, index: 1 }, "minloc", { algorithm });
    add("scatter", "allreduce", new Int32Array(2), "maxloc", { algorithm });
  }
  add("scatter", "reduce", new Int32Array(2), "maxloc", 0, { algorithm: "tree" });
  for (const algorithm of ["tree", "fast", null]) {
    for (const name of ["barrier", "reduceScatter", "scan", "exscan", "gather", "allgather", "scatter", "alltoall"]) {
      const list = Array(size).fill(1);
      const before = {
        barrier: [],
        reduceScatter: [list, "sum"],
        scan: [1, "sum"],
        exscan: [1, "sum"],
        gather: [1, 0],
        scatter: [list, 0],
      };
      add("choice", name, ...(before[name as "gather"] ?? [list]), { algorithm });
    }
    add("choice", "alltoallv", Array(size).fill(x), { algorithm });
  }
  return calls;
}

const program: Spmd = spmd(async (pe) => {
  const thrown: Thrown[] = [];
  for (const [i, [call, args]] of wrongCalls(pe.size).entries()) {
    const name = call.split(" of ")[1];
    const method = i % 2 === 0 ? name : `${name}Async`;
    const owner = (i % 4 < 2 ? pe : tundish) as unknown as Record<string, (...args: unknown[]) => unknown>;
    thrown.push(await caught(call, () => owner[method](...args)));
    if (i % 5 === 0) goOn(pe);
  }
  // only the root's x counts, and it alone would be refused
  if (pe.size === 1) {
    for (const value of [undefined, 1, "text", [1, 2], []])
      thrown.push(await caught("parts of scatter", () => pe.scatter(value as number[])));
    for (const value of noClones) thrown.push(await caught("clone of broadcast", () => pe.broadcast(value)));
  }
  goOn(pe);
  return thrown;
});

export default program;
