/** The order of mailboxes: by default, as it is given, and with cycles. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followersOf, orderOf } from "../../../src/facilities/selector/order.ts";

const orders = suite("orders of mailboxes");

orders("by default each comes after the one before", () => {
  assert.equal(orderOf(["a", "b", "c"], undefined), [[], [0], [1]]);
  assert.equal(followersOf([[], [0], [1]]), [[1, 2], [2], []]);
});

orders("what is given is the whole order", () => {
  assert.equal(orderOf(["a", "b", "c"], {}), [[], [], []]);
  assert.equal(orderOf(["a", "b", "c"], { a: ["c", "b"], b: undefined }), [[2, 1], [], []]);
});

orders("large ones take no time", () => {
  const dense = Array.from({ length: 60 }, (_, node) => Array.from({ length: node }, (_, i) => i));
  assert.is(followersOf(dense)[0]?.length, 59);
});

/** Whether one can walk from a node to another, by trying ever longer ways. */
function isReached(edges: readonly (readonly number[])[], from: number, to: number): boolean {
  let front = new Set(edges[from]);
  for (let steps = 0; steps < edges.length; steps++) {
    if (front.has(to)) return true;
    front = new Set([...front].flatMap((node) => edges[node] as readonly number[]));
  }
  return false;
}

orders("a cycle is found where there is one, and is one", () => {
  const graphs = fc
    .integer({ min: 1, max: 7 })
    .chain((size) => fc.array(fc.array(fc.nat(size - 1), { maxLength: 2 }), { minLength: size, maxLength: size }));
  fc.assert(
    fc.property(graphs, (edges) => {
      const names = edges.map((_, node) => `m${node}`);
      const after = Object.fromEntries(edges.map((list, node) => [`m${node}`, list.map((other) => `m${other}`)]));
      const nodes = [...edges.keys()];
      const isCyclic = nodes.some((node) => isReached(edges, node, node));
      try {
        const parents = orderOf(names, after);
        assert.not(isCyclic);
        const followers = followersOf(parents);
        for (const node of nodes) {
          assert.equal(
            followers[node],
            nodes.filter((other) => isReached(edges, other, node)),
          );
        }
      } catch (error) {
        const { message } = error as Error;
        const [, list = ""] = /no cycle, got (.*?): /.exec(message) ?? [];
        const cycle = list.split(" after ").map((name) => names.indexOf(name));
        assert.ok(isCyclic && cycle.length > 1, message);
        assert.is(cycle[0], cycle.at(-1));
        for (let i = 1; i < cycle.length; i++) {
          assert.ok(edges[cycle[i - 1] as number]?.includes(cycle[i] as number), message);
        }
      }
    }),
  );
});

orders.run();
