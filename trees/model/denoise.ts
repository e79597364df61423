/**
 * A measured model with less noise: outliers are removed, doubtful detail is reduced.
 *
 * Pairs that are equally near (in the same domains at every level) form a class. In each class and each matrix, a cost
 * that is far from the class median, by more than {@link OUTLIER} robust deviations and half as much again, is replaced
 * by the median. Other costs are shrunk towards the median by the share of the class's variance that noise explains,
 * but by half of the distance at most, as real machines do differ from pair to pair.
 *
 *     x' = m (x/m)^w,  w = max(1/2, 1 - noise^2 / variance),  all of logarithms
 *
 * The noise is taken from the model, else from the difference between the two directions of a pair.
 *
 * Limits: classes of fewer than {@link FEW} pairs are left alone, and so are those with a median of 0. A model that was
 * written instead of measured needs no denoising; hence it is done only on request.
 *
 * Source: James, Stein 1961 (shrinkage); Rousseeuw, Croux 1993 (median absolute deviation); the benefit, and why class
 * medians alone are too much.
 *
 * Example: costs of a class 100, 101, 99, 100, 102, 300: 300 becomes 100.
 */

import { median } from "../../src/ground/base/math.ts";
import type { MachineModel, Matrix } from "../../src/machine/model/machine-model.ts";
import { membersByDomain } from "./domains.ts";
import { treeProblem } from "./problem.ts";

const OUTLIER = 6;
const HALF_AS_MUCH = Math.log(1.5);
const LEAST_WEIGHT = 0.5;
const FEW = 6;
/** Factor from a median absolute deviation to a standard deviation, for a normal distribution. */
const DEVIATION = 1.4826;

type Edge = readonly [from: number, to: number];

/** The same model with less noise in its send, receive and propagate. @throws ModelError for invalid costs */
export function denoise(machine: MachineModel): MachineModel {
  const classes = classesOf(machine);
  const noise = machine.noise?.spread;
  const clean = (matrix: Matrix): Matrix => cleaned(matrix, classes, noise);
  return {
    ...machine,
    send: clean(machine.send),
    receive: clean(machine.receive),
    ...(machine.propagate && { propagate: clean(machine.propagate) }),
  };
}

/** Classes of pairs that are in the same domains at the same levels. */
function classesOf(machine: MachineModel): Edge[][] {
  const problem = treeProblem(
    machine,
    machine.pes.map((_, pe) => pe),
  );
  // an outlier looks like a domain of its own: a level counts only if most members share a domain
  const domains = problem.domains.filter((domain) => {
    const alone = membersByDomain(domain).filter(({ length }) => length === 1).length;
    return alone <= problem.size / 2;
  });
  const classes = new Map<string, Edge[]>();
  for (let from = 0; from < problem.size; from++) {
    for (let to = 0; to < problem.size; to++) {
      if (from === to) continue;
      const key = domains.map((domain) => (domain[from] === domain[to] ? 1 : 0)).join("");
      const edges = classes.get(key) ?? [];
      edges.push([from, to]);
      classes.set(key, edges);
    }
  }
  return [...classes.values()];
}

function cleaned(matrix: Matrix, classes: readonly (readonly Edge[])[], told: number | undefined): Matrix {
  const result = matrix.map((row) => [...row]);
  for (const edges of classes) {
    const costs = edges.map(([from, to]) => matrix[from]?.[to] as number);
    const middle = median(costs);
    if (edges.length < FEW || !costs.every((cost) => cost > 0)) continue;
    const logs = costs.map((cost) => Math.log(cost / middle));
    const limit = Math.max(HALF_AS_MUCH, OUTLIER * DEVIATION * median(logs.map(Math.abs)));
    const kept = logs.filter((log) => Math.abs(log) <= limit);
    const variance = kept.reduce((sum, log) => sum + log * log, 0) / kept.length;
    const noise = told ?? noiseBetween(matrix, edges);
    const weight = variance > 0 ? Math.max(LEAST_WEIGHT, 1 - (noise * noise) / variance) : 1;
    for (const [i, [from, to]] of edges.entries()) {
      const log = logs[i] as number;
      const row = result[from] as number[];
      if (Math.abs(log) > limit) row[to] = middle;
      else if (weight < 1) row[to] = middle * Math.exp(weight * log);
    }
  }
  return result;
}

/** The standard deviation of one measurement, from the differences between the two directions of a pair. */
function noiseBetween(matrix: Matrix, edges: readonly Edge[]): number {
  const differences = edges.map(([from, to]) =>
    Math.abs(Math.log((matrix[from]?.[to] as number) / (matrix[to]?.[from] as number))),
  );
  const typical = median(differences.filter(Number.isFinite));
  return (DEVIATION * (Number.isFinite(typical) ? typical : 0)) / Math.SQRT2;
}
