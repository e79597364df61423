/** The place of a conveyor on one node: its block of the heap, and the PE's ways of waiting. */
import type { Tree } from "../../trees/types.ts";
import type { Status } from "../diagnose/status.ts";
import { AbortedError, MismatchError, RankLostError, TimeoutError } from "../errors.ts";
import { type Views, viewsOf } from "../item/views.ts";
import type { Heap } from "../memory/heap.ts";
import { LINE } from "../memory/heap-layout.ts";
import { inWords } from "../wait/account.ts";
import type { AsyncWaiter, Limits } from "../wait/async.ts";
import type { Bells } from "../wait/bells.ts";
import type { Ending, Fate } from "../wait/fate.ts";
import { ABORTED, LOST, MISMATCHED, TIMED_OUT } from "../wait/layout.ts";
import { HeapParcels } from "./heap-parcels.ts";
import type { Idler } from "./idler.ts";
import { linkBytes, linksAt, MARK, PARCELS, partBytes, tallyAt } from "./layout.ts";
import { SharedPorter } from "./shared.ts";
import type { Porter, Site, SitePlan, Teller } from "./types.ts";
import { TreeVote } from "./vote.ts";

/** What a site is made from beside its plan. */
export interface HeapSeat {
  readonly heap: Heap;
  readonly bells: Bells;
  readonly fate: Fate;
  readonly idler: Idler;
  readonly async: AsyncWaiter;
  readonly status: Status;
  /** Which promises are broken, in sentences. @param patience time without progress that counts, ms */
  problems(patience: number): readonly string[];
  /** The PEs as the node numbers them, by rank. */
  readonly members: readonly number[];
  readonly rank: number;
  /** Votes run on it, and its order is the one in which a PE serves its friends. */
  readonly tree: Pick<Tree, "root" | "children">;
}

/** Time without progress that is told of when a time is up, ms. */
const STILL_MS = 100;

/** Turns without progress between two looks at who has left. */
const LOOK_MASK = 255;

/** A conveyor keeps to limits of its own. */
const NO_LIMITS: Limits = {
  deadline: Number.POSITIVE_INFINITY,
  signal: undefined,
  watcher: { where: "", verify() {}, absent: () => "" },
};

/** Bytes from one PE's links to the next one's. */
function strideOf({ hops, buffers, scratch }: SitePlan): number {
  return partBytes(
    hops.reduce((sum, { friends }) => sum + friends.length, 0),
    scratch,
    buffers,
  );
}

/** Bytes of a conveyor's block in the heap. */
export const siteBytes = (plan: SitePlan, pes: number): number => linksAt(pes) + pes * strideOf(plan);

export class HeapSite implements Site {
  readonly rank: number;
  readonly size: number;
  readonly views: Views;
  readonly vote: TreeVote;
  readonly porters: readonly Porter[];
  readonly #last: SharedPorter;
  readonly parcels: HeapParcels;
  readonly scratch: number;
  readonly teller: Teller;
  readonly name: string;
  readonly #seat: HeapSeat;
  readonly #offset: number;
  #idleTurns = 0;

  /** @param offset of the block: zeroed, {@link siteBytes} long */
  constructor(seat: HeapSeat, plan: SitePlan, offset: number, maxBytes: number) {
    const { heap, bells, members, rank, tree } = seat;
    this.#seat = seat;
    this.#offset = offset;
    this.rank = rank;
    this.size = members.length;
    this.views = viewsFor(heap);
    this.vote = new TreeVote(heap.i32, bells, offset, members, rank, tree);
    this.parcels = new HeapParcels(heap, bells, members, maxBytes, offset / 4 + PARCELS);
    const part = (pe: number) => offset + linksAt(members.length) + pe * strideOf(plan);
    const perLink = linkBytes(plan.buffers);
    const turns = turnsFrom(tree, rank, members.length);
    let before = 0;
    const porters = plan.hops.map(({ friends, self }) => {
      const start = before * perLink;
      before += friends.length;
      const out = Float64Array.from(friends, (friend, link) =>
        friend < 0 ? 0 : part(rank) + start + link * perLink,
      );
      // every PE has as many links at each hop, so its friends' lie at the same place in their parts
      const into = Float64Array.from(friends, (friend) =>
        friend < 0 ? 0 : part(friend) + start + self * perLink,
      );
      const peers = Int32Array.from(friends, (friend) => (friend < 0 ? -1 : members[friend]));
      const order = Int32Array.from(friends.keys())
        .filter((link) => friends[link] >= 0)
        .sort((a, b) => turns[friends[a]] - turns[friends[b]]);
      return new SharedPorter(heap.i32, bells, plan.buffers, { out, in: into, peers, order });
    });
    this.#last = porters.at(-1) as SharedPorter;
    this.porters = porters.map((porter, hop) => plan.wrap?.(porter, hop) ?? porter);
    this.scratch = part(rank) + before * perLink;
    this.name = plan.name;
    this.teller = seat.status.slot(offset / LINE, plan.name, rank, this.size);
  }

  now(): number {
    return performance.timeOrigin + performance.now();
  }

  setActive(active: boolean): void {
    this.#seat.idler.setActive(this, active);
  }

  look(moved: boolean, needed: number): void {
    const { fate, heap } = this.#seat;
    // a plain load: it may come a turn late
    if (heap.i32[fate.word] !== 0) throw fate.error();
    if (moved) {
      this.#idleTurns = 0;
    } else if ((++this.#idleTurns & LOOK_MASK) === 0) {
      this.#lookForDeparted(needed);
      this.teller.arrived(this.#last.arrived);
    }
  }

  until(ready: () => boolean): Promise<void> {
    return this.#seat.async.until({ peer: -1, ready, spin: ready }, NO_LIMITS);
  }

  turn(moved: boolean, needed: number, alone = false): void {
    const { idler } = this.#seat;
    this.look(moved, needed);
    if (moved) {
      idler.busy();
      return;
    }
    try {
      if (alone) idler.wait();
      else idler.idle(this);
    } catch (error) {
      throw this.fail(error as Error);
    }
  }

  #lookForDeparted(needed: number): void {
    const { bells, heap, members } = this.#seat;
    for (let rank = 0; rank < members.length; rank++) {
      if (!bells.departed(members[rank])) continue;
      // it marked before it departed; pairs with the store in mark()
      if (Atomics.load(heap.i32, (this.#offset + tallyAt(rank)) / 4 + MARK) >= needed) continue;
      throw this.fail(
        new RankLostError(
          members[rank],
          `PE ${members[rank]} has returned from its main, or left, in the middle of a conveyor's session. ` +
            "Every PE calls advance until it returns DONE, and then reset.",
        ),
      );
    }
  }

  mark(reached: number): void {
    const { rank, bells } = this.#seat;
    bells.publish((this.#offset + tallyAt(rank)) / 4 + MARK, reached);
  }

  fail(error: Error): Error {
    const { fate, bells, members, rank } = this.#seat;
    const me = members[rank];
    const ending = endingOf(error);
    if (ending === TIMED_OUT && !fate.decided) {
      error.message = [error.message, ...this.#seat.problems(STILL_MS)].join(" ");
    }
    const verdict =
      ending === LOST && !(error instanceof RankLostError)
        ? { rank: me, message: `PE ${me} threw ${inWords(error)}`, cause: error }
        : {
            rank: error instanceof RankLostError ? error.rank : me,
            message: error.message,
            cause: error.cause,
          };
    if (fate.decide(ending, verdict)) bells.ringAll();
    return error;
  }

  free(): void {
    this.teller.free();
    const { heap, members } = this.#seat;
    // pairs with itself at the other PEs: the last one finds that nobody uses the block any more
    if (Atomics.add(heap.i32, this.#offset / 4, 1) + 1 === members.length) heap.free(this.#offset);
  }
}

/**
 * By rank: when PE `self` serves it. In the order of the tree, where neighbours come next to each other, and
 * each begins after himself, so that not all begin with the same.
 */
function turnsFrom({ root, children }: HeapSeat["tree"], self: number, size: number): Int32Array {
  const order: number[] = [];
  const walk = [root];
  for (let rank = walk.pop(); rank !== undefined; rank = walk.pop()) {
    order.push(rank);
    walk.push(...(children[rank] ?? []).toReversed());
  }
  const start = order.indexOf(self);
  const turns = new Int32Array(size);
  for (const [place, rank] of order.entries()) turns[rank] = (place - start - 1 + size) % size;
  return turns;
}

function endingOf(error: Error): Ending {
  if (error instanceof TimeoutError) return TIMED_OUT;
  if (error instanceof AbortedError) return ABORTED;
  return error instanceof MismatchError ? MISMATCHED : LOST;
}

const known = new WeakMap<Heap, Views>();

/** One set for each heap, so that the code of all conveyors sees the same objects. */
function viewsFor(heap: Heap): Views {
  let views = known.get(heap);
  if (views === undefined) {
    views = viewsOf(heap.buffer);
    known.set(heap, views);
  }
  return views;
}
