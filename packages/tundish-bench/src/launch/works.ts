/** The computations of `bench launch`: the same function alone and at each PE, on its share of the whole. */
import { CENTRES, cluster, DIMENSIONS } from "../programs/k-means.ts";
import type { Work, WorkName } from "./launch-jobs.ts";

/** Adds up the same values of all threads, in place. */
type Combine = (values: Float64Array) => void;

/** The work of a thread: the elements from `first` up to `end`, of 0 to `size` - 1. */
interface Share {
  readonly size: number;
  readonly first: number;
  readonly end: number;
}

/** @returns the result, the same at every thread */
type Compute = (share: Share, combine: Combine) => number[];

export const WORKS: Readonly<Record<WorkName, Compute>> = { sum, "k-means": kMeans };

/** The whole of one, by this thread alone: what a process of it calls (launch-node.ts). */
export const alone = ({ name, size }: Work): number[] => WORKS[name]({ size, first: 0, end: size }, () => {});

/** Pi, as the sum of the areas of `size` strips below 4 / (1 + x^2). */
function sum({ size, first, end }: Share, combine: Combine): number[] {
  let sum = 0;
  for (let i = first; i < end; i++) {
    const x = (i + 0.5) / size;
    sum += 4 / (1 + x * x);
  }
  const total = Float64Array.of(sum / size);
  combine(total);
  return [...total];
}

/** The centres after ten iterations. */
function kMeans({ first, end }: Share, combine: Combine): number[] {
  const { run, result } = cluster(pointsOf(first, end), pointsOf(0, CENTRES), combine);
  run();
  return Array.from(result().values);
}

/** Random coordinates that depend on the number of the point alone, so that every thread can make its own points. */
function pointsOf(first: number, end: number): Float64Array {
  const points = new Float64Array((end - first) * DIMENSIONS);
  for (let i = 0; i < points.length; i++) points[i] = uniform(first * DIMENSIONS + i);
  return points;
}

/** Between 0 and 1: the finalizer of MurmurHash3. */
function uniform(i: number): number {
  let hash = Math.imul(i ^ (i >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
