/** Small programs by name: what the tests of launch() run. */
import { setTimeout as delay } from "node:timers/promises";
import { type Spmd, spmd } from "../../../src/index.ts";

const values: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 2n ** 70n,
  () => new Map([[{ a: 1 }, new Set([1, 2])]]),
  () => new Float32Array([1, -0, Number.NaN]),
  () => Promise.resolve("later"),
  () => new Error("as a value"),
  () => new Date(0),
];

/** Set on a thread whose main has run. */
const kRan: symbol = Symbol.for("tundish.test.ran");

/** Where PEs that have returned count themselves. */
interface Counted {
  readonly returned: Int32Array;
}

const program: Spmd = spmd(async (pe, args) => {
  Object.assign(globalThis, { [kRan]: true });
  const { returned } = (args ?? {}) as Partial<Counted>;
  if (returned !== undefined) {
    // a timer comes only when main has returned
    setTimeout(() => Atomics.add(returned, 0, 1));
    setInterval(() => {}, 20);
    return pe.rank;
  }
  switch (args) {
    case "values":
      return values[pe.rank]();
    case "slow first":
      await delay(100 * (pe.size - pe.rank));
      return pe.rank;
    case "heap": {
      const x = pe.alloc(Int32Array, 10);
      pe.allreduce(x.fill(pe.rank), "sum");
      return x;
    }
    case "interval":
      setInterval(() => {}, 20);
      return pe.rank;
    case "interval of one":
      if (pe.rank === 0) setInterval(() => {}, 20);
      return pe.rank;
    case "for ever":
      await delay(60_000);
      return pe.rank;
    case "barrier for ever":
      if (pe.rank === 0) await delay(60_000);
      pe.barrier();
      return pe.rank;
    case "loop":
      for (;;);
    case "late error":
      setTimeout(() => {
        throw new Error("after the end");
      }, 30);
      return pe.rank;
    default:
      pe.barrier();
      return pe.allreduce(pe.rank, "sum");
  }
});

export default program;
