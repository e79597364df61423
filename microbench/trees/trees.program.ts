/**
 * PEs that time operations on given trees by the method of the last leaf (tree-cases.ts).
 *
 * Two dissemination barriers come before each operation, as in section 5.2 of Smelt's paper, so that no PE runs ahead.
 * The root's clock runs from then on: until it has the leaf's message, or, for a reduction, the result.
 */

import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { median } from "../../src/ground/base/math.ts";
import { type Group, type PE, type Spmd, spmd, u32 } from "../../src/index.ts";
import { channel, type ItemChannel } from "../../src/messages.ts";
import { distanceProbe, type ProbeWords } from "../turns/distance.ts";
import type { TreeCase } from "./tree-cases.ts";

/** PEs of the world, and what they do together; the PEs of the cases are numbered by their places in the list. */
export interface TreesGroup {
  readonly members: readonly number[];
  readonly cases: readonly Pick<TreeCase, "operation" | "trees" | "root" | "leaves">[];
}

export interface TreesJob extends ProbeWords {
  readonly groups: readonly TreesGroup[];
  readonly batches: number;
  /** Operations in a batch. */
  readonly rounds: number;
}

/** The measurements of a PE as a root: ns of an operation, of each batch. */
export interface LeafSamples {
  /** Indexes of the group and of its case. */
  readonly group: number;
  readonly index: number;
  /** Its number in the group; null for a reduction. */
  readonly leaf: number | null;
  readonly samples: readonly number[];
}

/** The answer of a PE; the probes are those of PE 0, around each batch of a case. */
export interface TreesAnswer {
  readonly bound: boolean;
  readonly roots: readonly LeafSamples[];
  /** By group, case and batch. */
  readonly probes: readonly (readonly (readonly number[])[][])[] | null;
  /** ns between two looks at the clock: taken off each time. */
  readonly clock: number;
}

type Reply = ItemChannel<typeof u32>;

/** Operations of one group. */
class Player {
  readonly #sync: Group;
  readonly #groups: readonly Group[];
  readonly #replies = new Map<number, Reply>();
  readonly #cases: TreesGroup["cases"];
  readonly #clock: number;
  /** Of a batch, ms: its median counts, as a PE that loses its CPU must not. */
  readonly #times: Float64Array;

  constructor(pe: PE, { members, cases }: TreesGroup, rounds: number, clock: number) {
    this.#times = new Float64Array(rounds);
    const first = cases[0].trees;
    const order = members.map((_, i) => i);
    const barrier = { kind: "dissemination", latency: 0, order } as const;
    this.#sync = pe.group(members, { trees: { ...first, barrier } });
    const known = new Map<unknown, Group>();
    this.#groups = cases.map(({ trees }) => {
      const group = known.get(trees) ?? pe.group(members, { trees });
      known.set(trees, group);
      return group;
    });
    this.#cases = cases;
    this.#clock = clock;
    const { rank } = this.#sync;
    // all PEs make them in the same order: the n-th of two PEs belong together
    const pairs = cases.flatMap(({ root, leaves }) => leaves.map((leaf) => [root, leaf].sort((a, b) => a - b)));
    for (const [a, b] of new Map(pairs.map((pair) => [pair.join(), pair])).values()) {
      const peer = rank === a ? b : rank === b ? a : null;
      if (peer !== null) this.#replies.set(peer, channel(this.#sync, peer, { item: u32 }));
    }
  }

  /** ns of an operation, at the root; null elsewhere. */
  play(index: number, leaf: number | null): number | null {
    const { operation, root } = this.#cases[index];
    const { rank } = this.#sync;
    const replies = leaf === null || leaf === root ? null : rank === root ? leaf : rank === leaf ? root : null;
    const reply = replies === null ? null : (this.#replies.get(replies) as Reply);
    this[operation](this.#groups[index], root, reply);
    return rank === root ? Math.max(0, median(this.#times) * 1e6 - this.#clock) : null;
  }

  broadcast(group: Group, root: number, reply: Reply | null): void {
    const isRoot = group.rank === root;
    const times = this.#times;
    for (let i = 0; i < times.length; i++) {
      this.#together();
      const began = monotonic();
      const got = group.broadcast(i, root);
      if (got !== i) throw new Error(`broadcast: expected ${i}, got ${got}`);
      if (isRoot) reply?.receive();
      else reply?.send(i);
      times[i] = monotonic() - began;
    }
  }

  reduce(group: Group, root: number, _: Reply | null): void {
    const isRoot = group.rank === root;
    const times = this.#times;
    for (let i = 0; i < times.length; i++) {
      this.#together();
      const began = monotonic();
      const got = group.reduce(i, "sum", root);
      times[i] = monotonic() - began;
      if (isRoot && got !== i * group.size) throw new Error(`reduce: expected ${i * group.size}, got ${got}`);
    }
  }

  barrier(group: Group, root: number, reply: Reply | null): void {
    const isRoot = group.rank === root;
    const times = this.#times;
    for (let i = 0; i < times.length; i++) {
      this.#together();
      const began = monotonic();
      group.barrier();
      if (isRoot) reply?.receive();
      else reply?.send(i);
      times[i] = monotonic() - began;
    }
  }

  #together(): void {
    this.#sync.barrier();
    this.#sync.barrier();
  }
}

const program: Spmd = spmd((pe: PE, { groups, batches, rounds, words }: TreesJob): TreesAnswer => {
  const clock = clockCost();
  const players = groups.map((group) =>
    group.members.includes(pe.rank) ? new Player(pe, group, rounds, clock) : null,
  );
  const probe = distanceProbe(pe, words);
  const samples = new Map<string, LeafSamples & { samples: number[] }>();
  const probes = groups.map(({ cases }) => cases.map((): number[][] => []));
  // the first batch of each is dropped: V8 compiles meanwhile
  for (let batch = -1; batch < batches; batch++) {
    for (const [g, { cases }] of groups.entries()) {
      for (const [index, { leaves }] of cases.entries()) {
        const before = probe?.() ?? 0;
        for (const leaf of leaves.length === 0 ? [null] : leaves) {
          const ns = players[g]?.play(index, leaf) ?? null;
          if (ns === null || batch < 0) continue;
          const key = `${g} ${index} ${leaf}`;
          const own = samples.get(key) ?? { group: g, index, leaf, samples: [] };
          own.samples.push(ns);
          samples.set(key, own);
        }
        if (probe && batch >= 0) probes[g][index].push([before, probe()]);
      }
    }
  }
  return {
    bound: pe.cpu !== null,
    roots: [...samples.values()],
    probes: pe.rank === 0 && probe ? probes : null,
    clock,
  };
});

/** The least time between two looks, mean of many, of several tries. */
function clockCost(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 8; i++) {
    const began = monotonic();
    for (let k = 0; k < 1000; k++) monotonic();
    least = Math.min(least, ((monotonic() - began) * 1e6) / 1000);
  }
  return least;
}

export default program;
