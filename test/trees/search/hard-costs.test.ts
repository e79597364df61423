/**
 * Costs that machines seldom have and models may: none, all the same, ties, lopsided, huge beside tiny. Every
 * algorithm, on groups that are solved exactly and on such as are searched, and what comes after.
 */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MachineModel, Matrix } from "../../../src/machine/model/machine-model.ts";
import { baselines } from "../../../trees/build/builders.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import { repairTree } from "../../../trees/repair/repair.ts";
import { LONG, rounds } from "../../support/long.ts";
import {
  assertClose,
  assertSpans,
  broadcastReference,
  disseminationReference,
  hybridReference,
  model,
  reduceReference,
} from "../support/reference.ts";

const test = suite("hard costs");

const matrix = (size: number, cost: (i: number, j: number) => number): Matrix =>
  Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i === j ? 0 : cost(i, j))));

type Costs = (size: number) => MachineModel;
/** Both matrices, each by its own rule. */
const costs =
  (send: (i: number, j: number) => number, receive: (i: number, j: number) => number): Costs =>
  (size) =>
    model(matrix(size, send), matrix(size, receive));
const same = (cost: number): Costs =>
  costs(
    () => cost,
    () => cost,
  );

const hard: Readonly<Record<string, Costs>> = {
  "all zero": same(0),
  "all the same": same(3),
  "all the largest": same(1e100),
  "all the smallest": same(5e-324),
  "free to send": costs(
    () => 0,
    () => 7,
  ),
  "free to receive": costs(
    () => 7,
    () => 0,
  ),
  "ties of two levels": costs(
    (i, j) => (i >> 2 === j >> 2 ? 1 : 4),
    (i, j) => (i >> 2 === j >> 2 ? 2 : 8),
  ),
  "dear one way, free the other": costs(
    (i, j) => (i < j ? 0 : 1e100),
    (i, j) => (i < j ? 1e-100 : 0),
  ),
  "one PE that is far from all": costs(
    (i, j) => (i === 1 || j === 1 ? 1e100 : 1),
    (i, j) => (i === 1 || j === 1 ? 1e100 : 1),
  ),
  "a ring": costs(
    (i, j) => Math.abs(i - j),
    () => 1,
  ),
  "growing by the number": costs(
    (i) => 10 ** (i - 3),
    (_, j) => 10 ** (2 * j - 20),
  ),
};

/** The small ones are solved exactly, those from 16 on are searched. */
const SIZES = LONG ? [1, 2, 3, 5, 16, 21] : [1, 2, 5, 16];

function checkTree(
  tree: Tree,
  machine: MachineModel,
  operation: "broadcast" | "reduce",
  cores: readonly number[],
): void {
  const what = `${tree.algorithm} ${operation}`;
  assertSpans(tree, cores, what);
  const reference = operation === "broadcast" ? broadcastReference : reduceReference;
  assertClose(tree.latency, reference(tree, machine), what);
}

for (const [name, make] of Object.entries(hard)) {
  test(`${name}: trees, bounds, barriers, repairs`, () => {
    for (const size of SIZES) {
      const machine = make(size);
      const cores = machine.pes.map((_, pe) => pe);
      for (const algorithm of [...baselines, "adaptive" as const]) {
        const { broadcast, reduce, barrier, bound, ...rest } = generateTrees(machine, {
          algorithm,
          moves: rounds(300, 3000),
        });
        checkTree(broadcast, machine, "broadcast", cores);
        checkTree(reduce, machine, "reduce", cores);
        assert.ok(bound.broadcast >= 0 && bound.broadcast <= broadcast.latency, `${size} ${algorithm}`);
        assert.ok(bound.reduce >= 0 && bound.reduce <= reduce.latency, `${size} ${algorithm}`);
        if (barrier.kind === "tree") {
          checkTree(barrier.broadcast, machine, "broadcast", cores);
          checkTree(barrier.reduce, machine, "reduce", cores);
        } else if (barrier.kind === "dissemination") {
          assertClose(barrier.latency, disseminationReference(barrier.order, machine), algorithm);
        } else assertClose(barrier.latency, hybridReference(barrier, cores, machine), algorithm);
        if (algorithm === "adaptive") {
          for (const row of rest.baselines) {
            assert.ok(broadcast.latency <= row.broadcast && reduce.latency <= row.reduce, row.algorithm);
            assert.ok(barrier.latency <= row.barrier, row.algorithm);
          }
        }
        if (size === 1) continue;
        for (const [operation, tree] of Object.entries({ broadcast, reduce }) as ["broadcast", Tree][]) {
          for (const leave of [tree.root, cores.find((pe) => pe !== tree.root) as number]) {
            const { tree: repaired, loss } = repairTree(tree, machine, { leave }, { operation, moves: 100 });
            checkTree(
              repaired,
              machine,
              operation,
              cores.filter((pe) => pe !== leave),
            );
            assert.not(Number.isNaN(loss));
          }
        }
      }
    }
  });
}

test.run();
