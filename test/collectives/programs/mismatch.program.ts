/** Each PE makes a call of its own, then all make the same ones. */
import { setTimeout as delay } from "node:timers/promises";
import { type CallOptions, type PE, type Spmd, spmd } from "../../../src/index.ts";
import { type TypeName, zeros } from "../support/reference.ts";

/** What one PE calls. */
export interface Call {
  readonly call: "broadcast" | "reduce";
  /** A number, or a type of array and its length. */
  readonly x: number | readonly [TypeName, number];
  readonly op?: "sum" | "prod" | "max" | "function";
  readonly root?: number;
  readonly algorithm?: CallOptions["algorithm"];
}

function make(pe: PE, { call, x, op = "sum", root = 0, algorithm }: Call): void {
  const value = (typeof x === "number" ? x : zeros(...x)) as Float64Array;
  if (call === "broadcast") pe.broadcast(value, root, { algorithm });
  else pe.reduce(value, op === "function" ? (a) => a : op, root, { algorithm });
}

/** What the PEs are told to do. */
export interface Args {
  /** By rank. */
  readonly calls: readonly Call[];
  /** A PE that returns after its call; the others come late for theirs. */
  readonly leaves?: number;
}

const program: Spmd = spmd(async (pe, args) => {
  const { calls, leaves } = args as Args;
  if (leaves !== undefined && pe.rank !== leaves) await delay(150);
  make(pe, calls[pe.rank]);
  if (pe.rank === leaves) return;
  // whatever has gone by unnoticed shows here
  pe.barrier();
});

export default program;
