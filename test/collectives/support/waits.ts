/** A valid call of every collective, by name: what PEs wait in when something goes wrong. */
import type { CallOptions, Group, PE } from "../../../src/index.ts";

/** Name of a method, and its arguments but for the options. */
type Call = readonly [method: string, ...args: unknown[]];

const array = (length: number): Float64Array => new Float64Array(length).fill(1);

/** What a call takes beside its data. */
export interface Details {
  readonly root: number;
  /** Elements of an array. */
  readonly length: number;
  readonly type: "Float64Array" | "Int32Array";
  readonly op: "sum" | "max";
}

export const USUAL: Details = { root: 0, length: 300, type: "Float64Array", op: "sum" };

const make = ({ type, length }: Details) => new globalThis[type](length).fill(1);

const calls: Readonly<Record<string, (group: Group, details: Details) => Call>> = {
  barrier: () => ["barrier"],
  "broadcast of a number": (_, { root }) => ["broadcast", 1, root],
  "broadcast of a short array": (_, details) => [
    "broadcast",
    make({ ...details, length: details.length / 100 }),
    details.root,
  ],
  "broadcast of an array": (_, details) => ["broadcast", make(details), details.root],
  "broadcast of a value": (_, { root }) => ["broadcast", { a: 1 }, root],
  "reduce of a number": (_, { op, root }) => ["reduce", 1, op, root],
  "reduce of an array": (_, details) => ["reduce", make(details), details.op, details.root],
  "allreduce of a number": (_, { op }) => ["allreduce", 1, op],
  "allreduce of an array": (_, details) => ["allreduce", make(details), details.op],
  "allreduce of a pair": (_, { op }) => ["allreduce", { value: 1, index: 2 }, op === "sum" ? "minloc" : "maxloc"],
  reduceScatter: ({ size }, details) => [
    "reduceScatter",
    make({ ...details, length: details.length * size }),
    details.op,
  ],
  scan: (_, details) => ["scan", make(details), details.op],
  exscan: (_, details) => ["exscan", make(details), details.op],
  gather: (_, details) => ["gather", make(details), details.root],
  allgather: (_, details) => ["allgather", make(details)],
  scatter: ({ size }, { root }) => ["scatter", array(size), root],
  alltoall: ({ size }, details) => ["alltoall", make({ ...details, length: details.length * size })],
  alltoallv: ({ size }, details) => ["alltoallv", Array.from({ length: size }, () => make(details))],
  split: ({ rank }) => ["split", 0, rank],
};

/** Names of the collectives above. */
export const WAITS: readonly string[] = Object.keys(calls);

const taken = new WeakMap<PE, Float64Array[]>();

/** Takes arrays for {@link makeCall} to free. Collective. */
export function prepare(pe: PE, count: number): void {
  const arrays = Array.from({ length: count }, () => pe.alloc(Float64Array, 10));
  taken.set(pe, arrays);
  // nobody goes on, and perhaps wrong, before all have theirs
  pe.barrier();
}

/** Whether {@link prepare} has succeeded. */
export const isPrepared = (pe: PE): boolean => taken.has(pe);

/** The calls for memory; they take no options. */
export const FOR_MEMORY: readonly string[] = ["alloc", "allocShared", "free"];

/** Makes the call of that name, blocking or not, FOR_MEMORY among them. */
export function makeCall(
  pe: PE,
  name: string,
  later: boolean,
  details: Details = USUAL,
  options?: CallOptions,
): unknown {
  const more = options === undefined ? [] : [options];
  const [method, ...args] =
    name === "alloc" || name === "allocShared"
      ? [name, globalThis[details.type], details.length]
      : name === "free"
        ? ["free", taken.get(pe)?.pop()]
        : [...calls[name](pe, details), ...more];
  const methods = pe as unknown as Record<string, (...args: unknown[]) => unknown>;
  return methods[later ? `${method}Async` : (method as string)](...args);
}
