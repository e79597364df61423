/** Routes, links and who signals whom: the parts of the collectives that need no thread. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { disseminationPeers, edges, exchangePartners, LinkMap } from "../../src/collectives/team/link-map.ts";
import { routeOf } from "../../src/collectives/team/route.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { ALGORITHMS, chain, disseminating, hybrid, treesOf } from "./support/plans.ts";

/** A random tree: each PE's parent is one that was there before it, under names that are shuffled. */
const tree: fc.Arbitrary<{ size: number; root: number; children: Record<string, number[]> }> = fc
  .integer({ min: 1, max: 40 })
  .chain((size) =>
    fc.tuple(
      fc.constant(size),
      fc.array(fc.nat(), { minLength: size, maxLength: size }),
      fc.shuffledSubarray([...Array(size).keys()], { minLength: size, maxLength: size }),
    ),
  )
  .map(([size, picks, names]) => {
    const children: Record<string, number[]> = {};
    for (let v = 1; v < size; v++) {
      const parent = names[picks[v] % v];
      children[parent] = [...(children[parent] ?? []), names[v]];
    }
    return { size, root: names[0], children };
  });

const routes = suite("routes");

routes("the example in the file's head", () => {
  const route = routeOf({ root: 0, children: { "0": [2, 1], "2": [3] } }, 4, 2);
  assert.equal(route.neighbours, [0, 3]);
  assert.equal([...route.towards], [0, 0, -1, 1]);
});

routes("going towards a root from anywhere gets there, in any tree, by no PE twice", () => {
  fc.assert(
    fc.property(tree, ({ size, ...tree }) => {
      const all = Array.from({ length: size }, (_, rank) => routeOf(tree, size, rank));
      for (let root = 0; root < size; root++) {
        for (let start = 0; start < size; start++) {
          let [at, steps] = [start, 0];
          for (; at !== root && steps < size; steps++) at = all[at].neighbours[all[at].towards[root]];
          assert.is(at, root);
          assert.is(all[root].towards[root], -1);
        }
      }
    }),
    { numRuns: 50 },
  );
});

routes("neighbours are the tree's edges, seen from both ends, the parent first and children in order", () => {
  fc.assert(
    fc.property(tree, ({ size, ...tree }) => {
      for (let rank = 0; rank < size; rank++) {
        const { neighbours } = routeOf(tree, size, rank);
        const children = tree.children[rank] ?? [];
        assert.equal(neighbours.slice(neighbours.length - children.length), children);
        assert.is(neighbours.length, children.length + (rank === tree.root ? 0 : 1));
        for (const other of neighbours) assert.ok(routeOf(tree, size, other).neighbours.includes(rank));
      }
    }),
    { numRuns: 50 },
  );
});
routes.run();

const links = suite("links");
const plans: [string, (n: number) => Trees][] = [
  ...ALGORITHMS.map((name): [string, (n: number) => Trees] => [name, (n) => treesOf(n, name)]),
  ["dissemination", disseminating],
  ["hybrid", hybrid],
  ["chain", chain],
];
for (const [name, make] of plans) {
  links(`${name}: every end that a PE needs has a place of its own`, () => {
    for (const size of [1, 2, 3, 8, 17]) {
      const plan = make(size);
      const map = new LinkMap(plan, size);
      const places = new Set<number>();
      const used: number[] = [];
      const take = (offset: number) => {
        assert.ok(Number.isInteger(offset) && offset >= 0 && offset < map.bytes && offset % 128 === 0);
        if (!places.has(offset)) used.push(offset);
        places.add(offset);
      };
      for (const tree of [plan.broadcast, plan.reduce]) {
        for (const [parent, child] of edges(tree)) {
          take(map.channel(parent, child));
          take(map.channel(child, parent));
          assert.is.not(map.channel(parent, child), map.channel(child, parent));
        }
      }
      const channels = new Set(
        [plan.broadcast, plan.reduce].flatMap((tree) => edges(tree).flatMap(([a, b]) => [`${a}>${b}`, `${b}>${a}`])),
      );
      for (let rank = 0; rank < size; rank++) {
        const { folded, rounds } = exchangePartners(size, rank);
        for (const peer of folded < 0 ? rounds : [...rounds, folded]) {
          take(map.channel(rank, peer));
          channels.add(`${rank}>${peer}`);
        }
      }
      assert.is(places.size, channels.size);
    }
  });
}

links("dissemination: in every round each PE hears from one PE, after all rounds from all", () => {
  for (let n = 1; n <= 33; n++) {
    const order = disseminating(n).barrier;
    if (order.kind !== "dissemination") throw new Error("expected a dissemination barrier");
    const peers = order.order.map((_, rank) => disseminationPeers(order.order, rank));
    const heard = peers.map((_, rank) => new Set([rank]));
    const rounds = Math.ceil(Math.log2(n));
    for (const { to, from } of peers) assert.equal([to.length, from.length], [rounds, rounds]);
    for (let round = 0; round < rounds; round++) {
      const before = heard.map((set) => new Set(set));
      for (const [rank, { from }] of peers.entries()) {
        assert.is(peers[from[round]].to[round], rank);
        for (const other of before[from[round]]) heard[rank].add(other);
      }
    }
    for (const set of heard) assert.is(set.size, n);
  }
});
links("dissemination: two PEs that signal each other share a line, all other signals have one of their own", () => {
  for (const size of [2, 3, 4, 6, 8]) {
    const plan = disseminating(size);
    if (plan.barrier.kind !== "dissemination") throw new Error("expected a dissemination");
    const { order } = plan.barrier;
    const map = new LinkMap(plan, size);
    const words = new Map<number, string>();
    const lines = new Map<number, string>();
    for (const rank of order) {
      for (const peer of disseminationPeers(order, rank).to) {
        const at = map.signal(rank, peer);
        assert.is(words.get(at), undefined);
        words.set(at, `${rank}>${peer}`);
        const pair = [rank, peer].sort((a, b) => a - b).join();
        const line = Math.floor(at / 128);
        const there = lines.get(line);
        assert.ok(there === undefined || there === pair, `${pair} beside ${there}`);
        lines.set(line, pair);
        assert.ok(at % 128 < 64);
      }
    }
    // the last round of a power of two is the only one in which two signal each other
    const shared = Number.isInteger(Math.log2(size)) ? size / 2 : 0;
    assert.is(words.size - lines.size, shared);
  }
});

links.run();
