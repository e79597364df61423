/** A member's end of an ordered broadcast: the edges to its neighbours in the tree, and the relay between them. */
import { pairOf } from "../../../pe/pair-of.ts";
import type { Seat } from "../../../pe/seat.ts";
import { Edge } from "./edge.ts";
import { HEAD_BYTES } from "./layout.ts";
import { PartLog } from "./log.ts";
import type { Settled } from "./options.ts";
import { BroadcastRelay } from "./relay.ts";
import { IntoLog, ToParent } from "./upward.ts";

/** A member's place in the tree, by ranks in the group. */
export interface Place {
  /** -1 at the root. */
  readonly parent: number;
  /** In the order in which they are sent to. */
  readonly children: readonly number[];
}

export class Ends {
  readonly relay: BroadcastRelay;
  /** To the parent, if there is one, and to the children. */
  readonly edges: readonly Edge[];
  /** Longest sleep between two looks, ms, where a neighbour is on another node. */
  readonly pollMs: number | undefined;
  /** Bytes of the content of the longest part. */
  readonly most: number;
  readonly slots: number;
  /** Called when its relay is over. */
  onOver: () => void = () => {};
  readonly #seat: Seat;
  #isServed = false;

  /** @throws HeapError; MismatchError, which ends the world */
  constructor(seat: Seat, { parent, children }: Place, settled: Settled) {
    const { slots, shape, most, backend, terms } = settled;
    const { heap, rank } = seat;
    const log = new PartLog();
    const edges: Edge[] = [];
    const failures: unknown[] = [];
    // the parent first: so nobody waits in a circle for a neighbour that finds the heap full
    for (const peer of parent < 0 ? children : [parent, ...children]) {
      try {
        const pair = pairOf(seat, peer, shape, backend, terms);
        edges.push(new Edge(heap.i32, rank, peer, pair, peer === parent ? null : log.cursor()));
      } catch (error) {
        // the other neighbours find their edges closed
        failures.push(error);
      }
    }
    this.#seat = seat;
    this.most = most;
    this.slots = slots;
    this.edges = edges;
    this.pollMs = pollOf(edges);
    try {
      if (failures.length > 0) throw failures[0];
      this.relay = this.#relayOf(edges, parent >= 0, log, slots);
    } catch (error) {
      for (const edge of edges) edge.close();
      throw error;
    }
    // who has no children is needed by nobody
    if (edges.length > (parent < 0 ? 0 : 1)) this.#beServed(true);
  }

  #relayOf(edges: readonly Edge[], hasParent: boolean, log: PartLog, slots: number): BroadcastRelay {
    const { heap, rank, fail } = this.#seat;
    const parent = hasParent ? (edges[0] as Edge) : null;
    return new BroadcastRelay({
      i32: heap.i32,
      parent,
      children: hasParent ? edges.slice(1) : edges,
      log,
      slots,
      fail,
      pollMs: this.pollMs,
      upward: (sequencer) =>
        parent === null ? new IntoLog(heap, rank, HEAD_BYTES + this.most, sequencer) : new ToParent(heap, rank, parent),
      onOver: () => {
        this.#beServed(false);
        this.onOver();
      },
    });
  }

  /** This member delivers and submits nothing more; what others need of it goes on. */
  leave(): void {
    this.relay.leave();
    this.relay.serve();
    if (!this.relay.isOver) this.#beServed(true);
  }

  /** Whether nothing is left to be done. */
  get isOver(): boolean {
    return this.relay.isOver && this.edges.every(({ isDone }) => isDone);
  }

  /** Whether a neighbour has made its end. @param pe its rank in the world */
  isKnown(pe: number): boolean {
    return this.edges.some(({ peer, isKnown }) => isKnown && this.#seat.members[peer] === pe);
  }

  #beServed(isServed: boolean): void {
    if (isServed === this.#isServed) return;
    this.#isServed = isServed;
    const { sideWork } = this.#seat;
    if (isServed) sideWork.add(this.relay);
    else sideWork.delete(this.relay);
  }
}

function pollOf(edges: readonly Edge[]): number | undefined {
  const all = edges.flatMap(({ receiver: { pollMs } }) => pollMs ?? []);
  return all.length === 0 ? undefined : Math.min(...all);
}
