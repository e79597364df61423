/** A call of a resilient group, as it is attempted among the members that are left. */
import type { CollectivesBackend } from "../../collectives/calls/backend.ts";
import { type CheckedCall, checkRoot } from "../../collectives/calls/call.ts";
import type { Operand } from "../../collectives/calls/elements.ts";
import type { Scatterable } from "../../collectives/calls/parts.ts";
import { checkAlltoallv } from "../../collectives/node/alltoall.ts";
import { checkParts } from "../../collectives/node/exposed-values.ts";
import type { CollectiveAlgorithm } from "../../collectives/team/call-words.ts";
import type { Op } from "../../collectives/team/payload.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";

/** Those of a step: a PE's rank among them is its place in the list, which is in order of rank in the group. */
type Members = readonly number[];

/** A call whose arguments have been checked. */
export interface ResilientCall {
  readonly name: string;
  /** The rank that it cannot do without. @default none */
  readonly root?: number;
  /** The array that it changes at this PE, and whose content it needs. @default none */
  readonly changed?: TypedArray | undefined;
  /** It among these members. @throws UsageError */
  attempt(backend: CollectivesBackend, members: Members): CheckedCall<unknown>;
  /** The result for the program, of that of the attempt. @default the same */
  result?(value: unknown, members: Members): unknown;
}

/** Of a group of `size` PEs, at PE `rank`. */
export class ResilientCalls {
  readonly #rank: number;
  readonly #size: number;

  constructor(rank: number, size: number) {
    this.#rank = rank;
    this.#size = size;
  }

  barrier(): ResilientCall {
    return { name: "barrier", attempt: (backend) => backend.barrier() };
  }

  broadcast(x: unknown, root: number, wish?: CollectiveAlgorithm): ResilientCall {
    return this.#rooted("broadcast", root, (backend, place) => backend.broadcast(x, place, wish));
  }

  reduce(x: Operand, op: Op, root: number, wish?: CollectiveAlgorithm): ResilientCall {
    const call = this.#rooted("reduce", root, (backend, place) => backend.reduce(x, op, place, wish));
    return root === this.#rank ? { ...call, changed: arrayOf(x) } : call;
  }

  allreduce(x: Operand, op: Op, wish?: CollectiveAlgorithm): ResilientCall {
    return { name: "allreduce", changed: arrayOf(x), attempt: (backend) => backend.allreduce(x, op, wish) };
  }

  reduceScatter(x: Scatterable, op: Op): ResilientCall {
    checkParts("reduceScatter: expected", x, this.#size);
    const attempt = (backend: CollectivesBackend, members: Members) =>
      backend.reduceScatter(this.#left(x, members) as Scatterable, op);
    return { name: "reduceScatter", attempt };
  }

  scan(x: Operand, op: Op, inclusive: boolean): ResilientCall {
    const name = inclusive ? "scan" : "exscan";
    return { name, changed: arrayOf(x), attempt: (backend) => backend.scan(x, op, inclusive) };
  }

  gather(x: unknown, root: number): ResilientCall {
    const call = this.#rooted("gather", root, (backend, place) => backend.gather(x, place));
    return { ...call, result: (value, members) => (Array.isArray(value) ? this.#all(value, members) : value) };
  }

  allgather(x: unknown): ResilientCall {
    return {
      name: "allgather",
      attempt: (backend) => backend.allgather(x),
      result: (value, members) => (Array.isArray(value) ? this.#all(value, members) : value),
    };
  }

  scatter(x: unknown, root: number): ResilientCall {
    if (root === this.#rank) checkParts("scatter: expected at the root", x, this.#size);
    return this.#rooted("scatter", root, (backend, place, members) =>
      backend.scatter(root === this.#rank ? this.#left(x, members) : undefined, place),
    );
  }

  alltoall(x: unknown): ResilientCall {
    checkParts("alltoall: expected", x, this.#size);
    return {
      name: "alltoall",
      attempt: (backend, members) => backend.alltoall(this.#left(x, members)),
      result: (value, members) => this.#all(value as TypedArray | unknown[], members),
    };
  }

  alltoallv(parts: readonly TypedArray[]): ResilientCall {
    checkAlltoallv(parts, this.#size);
    return {
      name: "alltoallv",
      attempt: (backend, members) => backend.alltoallv(this.#left(parts, members) as TypedArray[]),
      result: (value, members) => this.#all(value as TypedArray[], members),
    };
  }

  #rooted(
    name: string,
    root: number,
    attempt: (backend: CollectivesBackend, place: number, members: Members) => CheckedCall<unknown>,
  ): ResilientCall {
    checkRoot(root, this.#size);
    return { name, root, attempt: (backend, members) => attempt(backend, members.indexOf(root), members) };
  }

  /** Of parts for all PEs, those for the members. */
  #left(x: unknown, members: Members): unknown {
    if (members.length === this.#size) return x;
    if (!isTypedArray(x)) return members.map((rank) => (x as readonly unknown[])[rank]);
    const length = x.length / this.#size;
    const parts = emptyLike(x, members.length * length);
    for (const [at, rank] of members.entries())
      parts.set(x.subarray(rank * length, (rank + 1) * length) as never, at * length);
    return parts;
  }

  /** Of parts of the members those of all PEs: of a lost one undefined, or elements that are 0. */
  #all(parts: TypedArray | readonly unknown[], members: Members): unknown {
    if (members.length === this.#size) return parts;
    if (!isTypedArray(parts)) {
      const all = new Array<unknown>(this.#size).fill(undefined);
      for (const [at, rank] of members.entries()) all[rank] = parts[at];
      return all;
    }
    const length = parts.length / members.length;
    const all = emptyLike(parts, this.#size * length);
    for (const [at, rank] of members.entries())
      all.set(parts.subarray(at * length, (at + 1) * length) as never, rank * length);
    return all;
  }
}

const arrayOf = (x: Operand): TypedArray | undefined => (isTypedArray(x) ? x : undefined);

/** Zeros of the type of x; a Buffer has no public constructor of its own. */
function emptyLike(x: TypedArray, length: number): TypedArray {
  type Species = { readonly [Symbol.species]: new (length: number) => TypedArray };
  return new (x.constructor as unknown as Species)[Symbol.species](length);
}
