/**
 * The blocking calls of a PE on arrays and values: those on an array in the heap are kept for when they are repeated.
 */
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Into } from "../node/result-array.ts";
import type { Algorithm } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import type { Team } from "../team/team.ts";
import type { CollectivesBackend } from "./backend.ts";
import type { CheckedCall } from "./call.ts";
import { CallCache } from "./call-cache.ts";
import type { Operand } from "./elements.ts";

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

  broadcast(x: unknown, root: number, wish: Algorithm | undefined): AnyCall {
    if (!this.#isShared(x)) return this.#backend.broadcast(x, root, wish);
    return (
      this.#broadcasts.find(x, "", root, wish) ??
      this.#broadcasts.keep(x, "", root, wish, this.#backend.broadcast<unknown>(x, root, wish))
    );
  }

  reduce(x: Operand, op: Op, root: number, wish: Algorithm | undefined): AnyCall {
    if (!this.#isShared(x)) return this.#backend.reduce(x, op, root, wish);
    return (
      this.#reduces.find(x, op, root, wish) ??
      this.#reduces.keep(x, op, root, wish, this.#backend.reduce<Operand>(x, op, root, wish))
    );
  }

  allreduce(x: Operand, op: Op, wish: Algorithm | undefined): AnyCall {
    if (!this.#isShared(x)) return this.#backend.allreduce(x, op, wish);
    return (
      this.#allreduces.find(x, op, -1, wish) ??
      this.#allreduces.keep(x, op, -1, wish, this.#backend.allreduce<Operand>(x, op, wish))
    );
  }

  /** @param root of a gather */
  move(name: MovingCall, x: unknown, root: number, into: Into | undefined): AnyCall {
    const cache = this.#moves?.[name];
    if (cache === undefined || !this.#isShared(x) || !(into === undefined || this.#isShared(into))) {
      return this.#moving(name, x, root, into);
    }
    return (
      cache.find(x, into, root, undefined) ?? cache.keep(x, into, root, undefined, this.#moving(name, x, root, into))
    );
  }

  #moving(name: MovingCall, x: unknown, root: number, into: Into | undefined): AnyCall {
    if (name === "gather") return this.#backend.gather(x, root, into);
    return this.#backend[name](x, into);
  }

  #isShared(x: unknown): x is TypedArray {
    return (x as TypedArray | undefined)?.buffer === this.#team.heap.buffer && isTypedArray(x);
  }
}
