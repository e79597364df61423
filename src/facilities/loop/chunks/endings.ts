/** The collective by which a loop ends: its barrier, which may carry its result. */

import type { ReduceOp } from "../../../ground/memory/kernels/elements.ts";
import { combineNumbers } from "../../../ground/memory/kernels/scalar.ts";
import { blockOn, type Task } from "../../../ground/wait/task.ts";
import type { Seat } from "../../../pe/seat.ts";
import type { Slot } from "./layout.ts";

/** The end of a loop: a blocking one, and the same as a task. */
export interface LoopEnd<T> {
  /** Before the first iteration, at each PE. @default nothing is to be done */
  begin?(slot: Slot): void;
  now(): void;
  later(): Task<void>;
  /** What the loop has come to, after that; not asked for if the loop was stopped. */
  result(): T;
}

const nothing = (): undefined => undefined;

/** That of a loop of which nothing but the agreement comes that is made over nodes anyhow (loop.ts). */
export const none: LoopEnd<undefined> = {
  now: nothing,
  *later() {},
  result: nothing,
};

/** That of a loop without a result. */
export const barrier = ({ collectives }: Seat): LoopEnd<undefined> => ({
  now: () => collectives.barrier(),
  *later() {
    yield* collectives.task(collectives.backend.barrier());
  },
  result: nothing,
});

/** One that a task comes to. */
export function endingBy<E, T>(seat: Seat, task: () => Task<E>, result: (ended: E) => T): LoopEnd<T> {
  let ended: E;
  return {
    now() {
      ended = blockOn(seat, task());
    },
    *later() {
      ended = yield* task();
    },
    result: () => result(ended),
  };
}

/** A number of a PE, if it has one. */
export interface OwnValue {
  /** Whether it has any. */
  has: boolean;
  value: number;
}

/** Those of all PEs are combined by an operator with a name. */
export class Combined implements LoopEnd<number>, OwnValue {
  has = true;
  value: number;
  readonly #seat: Seat;
  readonly #op: ReduceOp;
  readonly #identity: number;
  readonly #initial: number | undefined;

  /** @param identity changes no value */
  constructor(seat: Seat, op: ReduceOp, identity: number, initial: number | undefined) {
    this.value = identity;
    this.#seat = seat;
    this.#op = op;
    this.#identity = identity;
    this.#initial = initial;
  }

  begin(): void {
    this.value = this.#identity;
  }

  now(): void {
    this.value = this.#seat.collectives.allreduceNumber(this.value, this.#op);
  }

  *later(): Task<void> {
    const { collectives } = this.#seat;
    this.value = yield* collectives.task(collectives.backend.allreduce(this.value, this.#op));
  }

  result(): number {
    return this.#initial === undefined ? this.value : combineNumbers(this.#op)(this.#initial, this.value);
  }
}

/** Those of the PEs that have one, in order of rank. */
export function* gathered({ collectives }: Seat, own: OwnValue): Task<number[]> {
  const pair = Float64Array.of(own.has ? 1 : 0, own.value);
  const all = (yield* collectives.task(collectives.backend.allgather(pair))) as Float64Array;
  return Array.from({ length: all.length / 2 }, (_, rank) => rank)
    .filter((rank) => all[2 * rank] === 1)
    .map((rank) => all[2 * rank + 1] as number);
}

/** A value of each PE, in order of rank. */
export function* listed<T extends object>({ collectives }: Seat, own: T): Task<readonly T[]> {
  return (yield* collectives.task(collectives.backend.allgather(own))) as readonly T[];
}
