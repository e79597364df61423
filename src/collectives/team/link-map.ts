/**
 * The map of a team's links: which pairs of PEs communicate, and where in the heap. Every PE computes the same layout
 * from the same trees, so nothing has to be exchanged.
 *
 *     ┌──────────────────────────┬───┬──────────────────────────────┬───┐
 *     │ signal a>b │ signal b>c  │ … │ channel a>b │ channel b>a    │ … │
 *     └──────────────────────────┴───┴──────────────────────────────┴───┘
 *       SIGNAL_BYTES each              CHANNEL_BYTES each
 *
 * Two PEs that signal each other in the same round have both signals in one line: who takes the line to raise its own
 * finds the other's in it. A barrier of 2 PEs takes 0.6 times what it takes with a line for each.
 *
 * There are signals along the barrier, and channels along the edges of the broadcast and the reduce tree in both
 * directions (another root reverses an edge), and between partners of the exchange. Memory is touched only where it is
 * used.
 */
import type { CollectivePlan, Tree } from "../../../trees/model/tree.ts";
import { channelBytes, SIGNAL_BYTES, SIGNAL_WORD_BYTES } from "../../ground/channel/layout.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

/** Messages in flight on one link: by how many a root may be ahead, and the depth of a pipeline. */
export const LINK_SLOTS = 64;

const CHANNEL_BYTES = Math.ceil(channelBytes(LINK_SLOTS) / LINE) * LINE;

/** The parent and child of every edge of a tree. */
export function edges(tree: Pick<Tree, "children">): [parent: number, child: number][] {
  return Object.entries(tree.children).flatMap(([parent, children]) =>
    children.map((child): [number, number] => [Number(parent), child]),
  );
}

/** The PEs that a PE signals and waits for in each round of the dissemination barrier over `order`; see barrier.ts. */
export function disseminationPeers(order: readonly number[], rank: number): { to: number[]; from: number[] } {
  const n = order.length;
  const at = order.indexOf(rank);
  const to: number[] = [];
  const from: number[] = [];
  for (let step = 1; step < n; step *= 2) {
    to.push(order[(at + step) % n]);
    from.push(order[(at - step + n) % n]);
  }
  return { to, from };
}

/** The partners of one PE in the exchange; see exchange.ts. */
export interface ExchangePartners {
  /** Largest power of two not larger than the team. */
  readonly core: number;
  /** For a PE beyond the core: its partner in the core; for that partner: the PE beyond the core; else -1. */
  readonly folded: number;
  /** The partners of a PE in the core, by round. */
  readonly rounds: readonly number[];
}

export function exchangePartners(size: number, rank: number): ExchangePartners {
  const core = 2 ** Math.floor(Math.log2(size));
  if (rank >= core) return { core, folded: rank - core, rounds: [] };
  const rounds: number[] = [];
  for (let step = 1; step < core; step *= 2) rounds.push(rank ^ step);
  return { core, folded: rank + core < size ? rank + core : -1, rounds };
}

const key = (from: number, to: number): string => `${from}>${to}`;

/** Offsets of all links of a plan, relative to the start of the links. */
export class LinkMap {
  /** Bytes of all links. */
  readonly bytes: number;
  readonly #signals = new Map<string, number>();
  readonly #channels = new Map<string, number>();

  constructor(plan: CollectivePlan, size: number) {
    let bytes = 0;
    const place = (map: Map<string, number>, length: number) => (from: number, to: number) => {
      if (map.has(key(from, to))) return;
      map.set(key(from, to), bytes);
      bytes += length;
    };
    const signal = place(this.#signals, SIGNAL_BYTES);
    const channel = place(this.#channels, CHANNEL_BYTES);
    const { barrier } = plan;
    const upAndDown = (reduce: readonly Tree[], broadcast: readonly Tree[]) => {
      for (const [parent, child] of reduce.flatMap(edges)) signal(child, parent);
      for (const [parent, child] of broadcast.flatMap(edges)) signal(parent, child);
    };
    const rounds = (order: readonly number[]) => {
      for (const rank of order) {
        const { to, from } = disseminationPeers(order, rank);
        to.forEach((peer, round) => {
          const other = peer === from[round] ? this.#signals.get(key(peer, rank)) : undefined;
          if (other === undefined) signal(rank, peer);
          else this.#signals.set(key(rank, peer), other + SIGNAL_WORD_BYTES);
        });
      }
    };
    if (barrier.kind === "dissemination") rounds(barrier.order);
    else if (barrier.kind === "tree") upAndDown([barrier.reduce], [barrier.broadcast]);
    else {
      upAndDown(barrier.reduce, barrier.broadcast);
      rounds(barrier.leaders);
    }
    for (const tree of [plan.broadcast, plan.reduce]) {
      for (const [parent, child] of edges(tree)) {
        channel(parent, child);
        channel(child, parent);
      }
    }
    for (let rank = 0; rank < size; rank++) {
      const { folded, rounds } = exchangePartners(size, rank);
      for (const partner of rounds) channel(rank, partner);
      if (folded >= 0) channel(rank, folded);
    }
    this.bytes = bytes;
  }

  /** Offset of the signal that `from` raises for `to`. */
  signal(from: number, to: number): number {
    return this.#signals.get(key(from, to)) as number;
  }

  /** Offset of the channel from `from` to `to`. */
  channel(from: number, to: number): number {
    return this.#channels.get(key(from, to)) as number;
  }
}
