/** The parts of uneven work that threads run, of a world and of pools: each loads this module. */
import { pinThread } from "../../../../src/machine/topology/affinity.ts";
import { UNEVEN, type UnevenName, type UnevenWork } from "./works.ts";

/** Which work. */
export interface WorkJob {
  readonly name: UnevenName;
  readonly quick: boolean;
}

/** A part of it: a task of a pool. */
export interface WorkPart extends WorkJob {
  readonly begin: number;
  readonly end: number;
}

export interface Meeting {
  /** One shared number, 0 at first. */
  readonly arrived: Int32Array;
  /** One for each thread. */
  readonly cpus: readonly number[];
}

const known = new Map<UnevenName, UnevenWork>();

/** The work, which each thread makes once. */
export function workOf({ name, quick }: WorkJob): UnevenWork {
  let work = known.get(name);
  if (work === undefined) {
    work = UNEVEN[name](quick);
    known.set(name, work);
  }
  return work;
}

/** The sum of a part, as the body of a loop. */
export function range(begin: number, end: number, _: number, job: WorkJob): number {
  const { one } = workOf(job);
  let sum = 0;
  for (let i = begin; i < end; i++) sum += one(i);
  return sum;
}

/** The same, as a task of a pool. */
export const task = ({ begin, end, ...job }: WorkPart): number => range(begin, end, 1, job);

/** Makes the work in each PE, which is bound. */
export function ready(_: number, job: WorkJob): void {
  workOf(job);
}

/**
 * The same in each thread of a pool at the same time: a task that ends when all have begun. @returns whether the thread
 * is bound to a CPU of its own
 */
export function meet({ arrived, cpus, ...job }: Meeting & WorkJob): boolean {
  const bound = pinThread(cpus[Atomics.add(arrived, 0, 1)] as number);
  workOf(job);
  // pairs with the addition of the threads that come later
  Atomics.notify(arrived, 0);
  for (let count = Atomics.load(arrived, 0); count < cpus.length; count = Atomics.load(arrived, 0))
    Atomics.wait(arrived, 0, count);
  return bound;
}
