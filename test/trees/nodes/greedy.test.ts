/** Who sends to which subgroup: every one once, as soon as can be. */

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { postalTime } from "../../../trees/model/postal.ts";
import { greedySends, type Send } from "../../../trees/nodes/greedy.ts";

interface Costs {
  readonly send: number;
  readonly edge: number;
}

/** When the last subgroup is reached, counted by sending one after the other. */
function latency(sends: readonly Send[], idle: number[][], root: number, { send, edge }: Costs): number {
  const reached = new Map([[root, 0]]);
  const free = new Map<string, number>();
  for (const { from, place, to } of sends) {
    const key = `${from} ${place}`;
    const at = free.get(key) ?? (reached.get(from) as number) + (idle[from]?.[place] as number);
    free.set(key, at + send);
    reached.set(to, at + edge);
  }
  return Math.max(...reached.values());
}

const alone = (count: number): number[][] => Array.from({ length: count }, () => [0]);

const trees = suite("greedy trees over subgroups");

trees("the examples of its head", () => {
  assert.equal(greedySends(alone(4), 0, { send: 3, edge: 3 }), [
    { from: 0, place: 0, to: 1 },
    { from: 0, place: 0, to: 2 },
    { from: 1, place: 0, to: 3 },
  ]);
  assert.equal(
    greedySends(alone(4), 0, { send: 1, edge: 3 }).map(({ from }) => from),
    [0, 0, 0],
  );
});

const costs = fc.record({ edge: fc.integer({ min: 1, max: 5000 }), send: fc.integer({ min: 1, max: 5000 }) });
// the leader is free at once
const members = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 20 }).map((others) => [0, ...others]);
const subgroups = fc.array(members, { minLength: 1, maxLength: 40 });

trees("every subgroup is reached once, by one that has been reached", () => {
  fc.assert(
    fc.property(subgroups, fc.nat(), costs, (idle, any, cost) => {
      const root = any % idle.length;
      const reached = new Set([root]);
      for (const { from, place, to } of greedySends(idle, root, cost)) {
        assert.ok(reached.has(from) && !reached.has(to));
        assert.ok(place < (idle[from] as number[]).length);
        reached.add(to);
      }
      assert.is(reached.size, idle.length);
    }),
  );
});

trees("leaders alone: as fast as any broadcast; with helpers no slower", () => {
  fc.assert(
    fc.property(subgroups, costs, (idle, cost) => {
      const leaders = alone(idle.length);
      const best = postalTime(idle.length, cost.send, cost.edge);
      assert.is(latency(greedySends(leaders, 0, cost), leaders, 0, cost), best);
      assert.ok(latency(greedySends(idle, 0, cost), idle, 0, cost) <= best);
    }),
  );
});
trees.run();
