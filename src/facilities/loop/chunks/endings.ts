/** The collective by which a loop ends: its barrier, which may carry its result. */
import { blockOn, type Task } from "../../../ground/wait/task.ts";
import type { Seat } from "../../../pe/seat.ts";
import type { LoopOp } from "./options.ts";

/** The end of a loop: a blocking one, and the same as a task. */
export interface LoopEnd<T> {
  now(): T;
  later(): Task<T>;
}

/** That of a loop of which nothing but the agreement comes that is made over nodes anyhow (loop.ts). */
export const none: LoopEnd<undefined> = {
  now: () => undefined,
  // biome-ignore lint/correctness/useYield: it has nothing to wait for
  *later() {
    return undefined;
  },
};

/** That of a loop without a result. */
export const barrier = ({ collectives }: Seat): LoopEnd<undefined> => ({
  now(): undefined {
    collectives.barrier();
  },
  *later() {
    yield* collectives.task(collectives.backend.barrier());
    return undefined;
  },
});

/** A number of each PE, if it has one. */
export interface OwnValue {
  /** Whether it has any. */
  has: boolean;
  value: number;
}

/** All are combined by an operator with a name. */
export const combined = ({ collectives }: Seat, own: OwnValue, op: Exclude<LoopOp, "function">): LoopEnd<number> => ({
  now: () => collectives.allreduceNumber(own.value, op),
  *later() {
    return yield* collectives.task(collectives.backend.allreduce(own.value, op));
  },
});

/** Those of the PEs that have one, in order of rank. */
export function gathered(seat: Seat, own: OwnValue): LoopEnd<number[]> {
  const { collectives } = seat;
  function* later(): Task<number[]> {
    const pair = Float64Array.of(own.has ? 1 : 0, own.value);
    const all = (yield* collectives.task(collectives.backend.allgather(pair))) as Float64Array;
    return Array.from({ length: all.length / 2 }, (_, rank) => rank)
      .filter((rank) => all[2 * rank] === 1)
      .map((rank) => all[2 * rank + 1] as number);
  }
  return { later, now: () => blockOn(seat, later()) };
}

/** A value of each PE, in order of rank. */
export function listed<T extends object>(seat: Seat, own: T): LoopEnd<readonly T[]> {
  const { collectives } = seat;
  function* later(): Task<readonly T[]> {
    return (yield* collectives.task(collectives.backend.allgather(own))) as readonly T[];
  }
  return { later, now: () => blockOn(seat, later()) };
}
