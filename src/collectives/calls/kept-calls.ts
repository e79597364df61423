/**
 * The blocking calls of a PE on arrays and values: those on an array in the heap are kept for when they are repeated.
 */
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Into } from "../node/result-array.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import type { Team } from "../team/team.ts";
import type { CollectivesBackend } from "./backend.ts";
import type { CallOptions, CheckedCall } from "./call.ts";
import { CallCache } from "./call-cache.ts";
import type { Operand } from "./elements.ts";
import type { ResultOptions } from "./into.ts";

/** The calls that move arrays from PEs to PEs. */
export type MovingCall = "gather" | "allgather" | "alltoall";

type AnyCall = CheckedCall<unknown>;

/** Those of one team. */
export class KeptCalls {
  readonly #team: Team;
  readonly #backend: CollectivesBackend;
  readonly #broadcasts: CallCache<AnyCall>;
  readonly #reduces: CallCache<AnyCall>;
  readonly #allreduces: CallCache<AnyCall>;
  /** Null over nodes, where each call has a state of its own. */
  readonly #moves: Readonly<Record<MovingCall, CallCache<AnyCall>>> | null;

  constructor(team: Team, backend: CollectivesBackend, isAlone: boolean) {
    const cache = () => new CallCache<AnyCall>(team.payload);
    this.#team = team;
    this.#backend = backend;
    this.#broadcasts = cache();
    this.#reduces = cache();
    this.#allreduces = cache();
    this.#moves = isAlone ? { gather: cache(), allgather: cache(), alltoall: cache() } : null;
  }

  // what was kept is looked for first: to ask an array for its buffer takes longer

  broadcast(x: unknown, root: number, wish: CollectiveAlgorithm | undefined): AnyCall {
    const kept = this.#broadcasts.find(x, "", root, wish);
    if (kept !== undefined) return kept;
    const call = this.#backend.broadcast<unknown>(x, root, wish);
    return this.#isShared(x) ? this.#broadcasts.keep(x, "", root, wish, call) : call;
  }

  reduce(x: Operand, op: Op, root: number, wish: CollectiveAlgorithm | undefined): AnyCall {
    const kept = this.#reduces.find(x, op, root, wish);
    if (kept !== undefined) return kept;
    const call = this.#backend.reduce(x, op, root, wish);
    return this.#isShared(x) ? this.#reduces.keep(x, op, root, wish, call) : call;
  }

  allreduce(x: Operand, op: Op, wish: CollectiveAlgorithm | undefined): AnyCall {
    const kept = this.#allreduces.find(x, op, -1, wish);
    if (kept !== undefined) return kept;
    const call = this.#backend.allreduce(x, op, wish);
    return this.#isShared(x) ? this.#allreduces.keep(x, op, -1, wish, call) : call;
  }

  /** @param root of a gather */
  move(name: MovingCall, x: unknown, root: number, into: Into | undefined): AnyCall {
    const cache = this.#moves?.[name];
    const kept = cache?.find(x, into, root, undefined);
    if (kept !== undefined) return kept;
    const call = name === "gather" ? this.#backend.gather(x, root, into) : this.#backend[name](x, into);
    if (cache === undefined || !this.#isShared(x) || !(into === undefined || this.#isShared(into))) return call;
    return cache.keep(x, into, root, undefined, call);
  }

  /** What is to be checked of a call's options: `into` is by the call, and is mostly alone. */
  withoutInto(options: ResultOptions<Into> | undefined): CallOptions | undefined {
    if (options?.into === undefined) return options;
    for (const name in options) if (name !== "into") return options;
    return undefined;
  }

  #isShared(x: unknown): x is TypedArray {
    return (x as TypedArray | undefined)?.buffer === this.#team.heap.buffer && isTypedArray(x);
  }
}
