/**
 * k-means by Lloyd's algorithm: each point belongs to the nearest centre, and each centre becomes the mean of its
 * points. Several PEs: each has a part of the points, and one allreduce adds up sums and counts.
 */

import { randomNumbers } from "../../../../src/ground/base/random.ts";
import type { PE } from "../../../../src/index.ts";
import { blockOf, type Program, type Run } from "./program.ts";

export const ITERATIONS = 10;
export const CENTRES = 16;
export const DIMENSIONS = 4;

/** Points around the centres of a grid, one after the other. */
export function pointsOf(size: number): Float64Array {
  const random = randomNumbers(3);
  const points = new Float64Array(size * DIMENSIONS);
  for (let i = 0; i < points.length; i++) points[i] = Math.floor(3 * random()) + random() * random();
  return points;
}

/** Adds the points to the sums of their nearest centres: DIMENSIONS coordinates and the number of points, of each. */
export function assign(points: Float64Array, centres: Float64Array, sums: Float64Array): void {
  for (let at = 0; at < points.length; at += DIMENSIONS) {
    let nearest = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let c = 0; c < CENTRES; c++) {
      let distance = 0;
      for (let d = 0; d < DIMENSIONS; d++) {
        const difference = points[at + d] - centres[c * DIMENSIONS + d];
        distance += difference * difference;
      }
      if (distance < least) [nearest, least] = [c, distance];
    }
    const sum = nearest * (DIMENSIONS + 1);
    for (let d = 0; d < DIMENSIONS; d++) sums[sum + d] += points[at + d];
    sums[sum + DIMENSIONS]++;
  }
}

/** The means; a centre without points stays where it is. */
export function move(centres: Float64Array, sums: Float64Array): void {
  for (let c = 0; c < CENTRES; c++) {
    const count = sums[c * (DIMENSIONS + 1) + DIMENSIONS];
    if (count === 0) continue;
    for (let d = 0; d < DIMENSIONS; d++) centres[c * DIMENSIONS + d] = sums[c * (DIMENSIONS + 1) + d] / count;
  }
}

/**
 * @param points those of one thread @param start the first points of all @param combine adds up the sums of all threads
 */
export function cluster(points: Float64Array, start: Float64Array, combine: (sums: Float64Array) => void): Run {
  const centres = new Float64Array(CENTRES * DIMENSIONS);
  return {
    run: () => {
      const sums = new Float64Array(CENTRES * (DIMENSIONS + 1));
      centres.set(start);
      for (let i = 0; i < ITERATIONS; i++) {
        sums.fill(0);
        assign(points, centres, sums);
        combine(sums);
        move(centres, sums);
      }
    },
    result: () => ({ first: 0, values: centres }),
  };
}

function alone(size: number): Run {
  const points = pointsOf(size);
  return cluster(points, points.slice(0, CENTRES * DIMENSIONS), () => {});
}

function together(pe: PE, size: number): Run {
  const points = pointsOf(size);
  const { first, end } = blockOf(size, pe);
  const own = points.slice(first * DIMENSIONS, end * DIMENSIONS);
  return cluster(own, points.slice(0, CENTRES * DIMENSIONS), (sums) => pe.allreduce(sums, "sum"));
}

export const kMeans: Program = { alone, together, tolerance: 1e-9 };
