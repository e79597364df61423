/** Functions as ops that do what they may not: call a collective, or give no element. */
import * as assert from "uvu/assert";
import { type Group, type PE, type Spmd, spmd, type TypedArray } from "../../../src/index.ts";

/** What is reduced; see {@link make}. */
export const KINDS = ["number", "bigint", "short", "long", "shared", "bigints"] as const;
export type Kind = (typeof KINDS)[number];

/** What the PEs are told to do. */
export interface Args {
  readonly part: "caught" | "nested" | "result" | "limited";
  readonly call: "reduce" | "allreduce" | "scan" | "exscan";
  readonly later: boolean;
  readonly kind: Kind;
  /** What the op gives, by number in {@link RESULTS}. */
  readonly result: number;
}

/** What is neither a number nor a bigint; the last two each where the other is wanted. */
export const RESULTS: readonly unknown[] = [undefined, null, "5", true, {}, Symbol("x"), 5, 5n];

function make(pe: PE, kind: Kind): number | bigint | TypedArray {
  if (kind === "number") return 2;
  if (kind === "bigint") return 2n;
  if (kind === "bigints") return new BigInt64Array(3).fill(2n);
  if (kind === "shared") return pe.alloc(Float64Array, 3).fill(2);
  return new Float64Array(kind === "short" ? 3 : 3000).fill(2);
}

type Add = (a: number, b: number) => number;

function reduce(group: Group, { call, later }: Args, x: unknown, op: Add): unknown {
  const methods = group as unknown as Record<string, (...args: unknown[]) => unknown>;
  return methods[later ? `${call}Async` : call](x, op);
}

const parts: Record<Args["part"], (pe: PE, args: Args) => unknown> = {
  /** The op takes the refusal and goes on; what it was told. A group of the PE's own is not refused. */
  async caught(pe, args) {
    const told: unknown[] = [];
    const alone = pe.group([pe.rank]);
    const op: Add = (a, b) => {
      for (const call of [() => pe.barrier(), () => pe.allreduce(1, "sum"), () => pe.broadcast({})]) {
        try {
          call();
        } catch (error) {
          told.push(error);
        }
      }
      told.push(pe.barrierAsync().catch((error: unknown) => error));
      assert.is(alone.allreduce(1, "sum"), 1);
      return a + b;
    };
    await reduce(pe, args, make(pe, args.kind), op);
    assert.is(pe.allreduce(1, "sum"), pe.size);
    return (await Promise.all(told)).map(String);
  },

  /** A call of another group with a limit of its own does not take this one's away; PE 0 is too late. */
  limited(pe) {
    const alone = pe.group([pe.rank]);
    let first = true;
    const op: Add = (a, b) => {
      if (first) alone.barrier({ timeout: 50 });
      first = false;
      for (const until = performance.now() + (pe.rank === 0 ? 3000 : 0); performance.now() < until; );
      return a + b;
    };
    pe.allreduce(new Float64Array(40_000).fill(1), op, pe.rank === 0 ? undefined : { timeout: 150 });
  },

  nested: (pe, args) =>
    reduce(pe, args, make(pe, args.kind), (a, b) => {
      pe.barrier();
      return a + b;
    }),

  result: (pe, args) => reduce(pe, args, make(pe, args.kind), () => RESULTS[args.result] as number),
};

const program: Spmd = spmd((pe, args) => parts[(args as Args).part](pe, args as Args));

export default program;
