/** The site of a conveyor on one node: its block of the heap, and how the PE waits. */

import { addWords, RankLostError, TimeoutError } from "../../../ground/base/errors.ts";
import { clockOrigin, machineClock } from "../../../ground/base/event-loop/timers.ts";
import { type Views, viewsOf } from "../../../ground/item/views.ts";
import type { Heap } from "../../../ground/memory/heap.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { WasmMemory } from "../../../ground/memory/kernels/webassembly.ts";
import type { AsyncLimits, AsyncWaiter } from "../../../ground/wait/async.ts";
import type { Termination } from "../../../ground/wait/termination.ts";
import type { Wakers } from "../../../ground/wait/wakers.ts";
import { watcherOf } from "../../../ground/wait/watcher.ts";
import type { PEStatus } from "../../status/status.ts";
import type { Arrivals, Oversized, Places, Porter, Site, SitePlan, StatusWriter, Vote } from "../contract.ts";
import { SessionWord } from "../session-word.ts";
import type { Sessions, SessionWords } from "../underway.ts";
import type { Idler } from "./idler.ts";
import { MARK, OVERSIZED, tallyAt } from "./layout.ts";
import { type Neighbours, nearLinks } from "./link-offsets.ts";
import { HeapOversized } from "./oversized.ts";
import { SharedPorter } from "./porter.ts";
import { TreeVote } from "./vote.ts";

/** The parts of a site besides its plan. */
export interface HeapSiteSetup extends Neighbours {
  readonly heap: Heap;
  readonly wakers: Wakers;
  readonly termination: Termination;
  readonly idler: Idler;
  readonly async: Pick<AsyncWaiter, "alarm" | "until">;
  readonly status: PEStatus;
  readonly sessions: Sessions;
  /** The broken rules, as sentences. @param patience time without progress that counts as a stall, ms */
  problems(patience: number): readonly string[];
}

/** Time without progress that a timeout error reports, ms. */
const STILL_MS = 100;

/** Turns without progress between two checks for departed PEs, as a mask. */
const LOOK_MASK = 255;

/** A turn of the event loop of Node.js, with its promise, ns. */
const TURN_NS = 2000;

/** A conveyor enforces limits of its own, and reports itself. */
const NO_LIMITS: AsyncLimits = {
  deadline: Number.POSITIVE_INFINITY,
  signal: undefined,
  watcher: watcherOf(""),
};

/** The porters, votes and memory of a site. */
export interface SiteParts {
  /** This PE's rank in the conveyor, and the number of PEs on all nodes. */
  readonly rank: number;
  readonly size: number;
  readonly vote: Vote;
  readonly session: SessionWord;
  readonly porters: readonly (Porter & Arrivals)[];
  readonly oversized: Oversized;
  readonly places: Places;
}

/** Makes the parts of a site on one node. @param offset of its block: zeroed, {@link nearBytes} long */
export function heapSiteParts(seat: HeapSiteSetup, plan: SitePlan, offset: number, maxBytes: number): SiteParts {
  const { heap, wakers, members, rank, tree } = seat;
  const near = nearLinks(seat, plan, offset, (friend) => friend);
  const session = new SessionWord();
  const counters = plan.countersAt === undefined ? undefined : near.places.table + plan.countersAt;
  return {
    rank,
    size: members.length,
    vote: new TreeVote(heap.i32, wakers, { offset, members, rank, tree }),
    session,
    porters: near.hops.map((places) => new SharedPorter(heap.i32, wakers, session, plan.buffers, places, counters)),
    oversized: new HeapOversized(heap, wakers, members, maxBytes, offset / 4 + OVERSIZED),
    places: near.places,
  };
}

export class HeapSite implements Site {
  readonly mayBlock: boolean = true;
  readonly rank: number;
  readonly size: number;
  readonly memory: WasmMemory;
  readonly views: Views;
  readonly vote: Vote;
  readonly session: SessionWord;
  readonly firstByVote: boolean = false;
  readonly porters: readonly Porter[];
  readonly oversized: Oversized;
  readonly places: Places;
  readonly statusWriter: StatusWriter;
  readonly sessions: Sessions;
  readonly name: string;
  /** See Driven. */
  readonly pollMs: number | undefined = undefined;
  readonly turnCost: number = TURN_NS;
  readonly startsSlowly: boolean = true;
  outlivesMain: boolean = false;
  readonly #last: Arrivals;
  readonly #seat: HeapSiteSetup;
  readonly #offset: number;
  readonly #words: SessionWords;
  #idleTurns = 0;

  constructor(seat: HeapSiteSetup, plan: SitePlan, offset: number, parts: SiteParts) {
    const { heap, members } = seat;
    this.#seat = seat;
    this.#offset = offset;
    this.rank = parts.rank;
    this.size = parts.size;
    this.memory = heap.memory;
    this.views = viewsFor(heap);
    this.vote = parts.vote;
    this.session = parts.session;
    this.oversized = parts.oversized;
    this.#last = parts.porters.at(-1) as Arrivals;
    this.porters = parts.porters.map((porter, hop) => plan.wrap?.(porter, hop) ?? porter);
    this.places = parts.places;
    // all PEs of the node put the same there, perhaps at the same time
    if (plan.routes !== null) this.views.u32.set(plan.routes, parts.places.routes / 4);
    this.name = plan.name;
    this.#words = plan.words;
    this.sessions = seat.sessions;
    const among = { rank: parts.rank, size: parts.size, here: members.length };
    this.statusWriter = seat.status.slot(offset / LINE, plan.name, among);
  }

  get waitTimeout(): number {
    return this.#seat.idler.waitTimeout;
  }

  get isEnded(): boolean {
    return this.#seat.termination.decided;
  }

  now(): number {
    return machineClock();
  }

  alarm(at: number): void {
    const { idler, async } = this.#seat;
    idler.alarm(at - clockOrigin);
    async.alarm(at - clockOrigin);
  }

  sharesClock(_rank: number): boolean {
    return true;
  }

  setActive(active: boolean): void {
    this.#seat.idler.setActive(this, active);
  }

  look(moved: boolean, needed: number, works = false): void {
    this.check(moved, needed);
    if (works) this.#seat.idler.busy();
  }

  /** Throws the error that ended the world. */
  protected check(moved: boolean, needed: number): void {
    const { termination, heap } = this.#seat;
    // a plain load: it may see the end one turn late
    if (heap.i32[termination.word] !== 0 && termination.decided) throw termination.error();
    const { sideWork } = this.sessions;
    // whoever sleeps between two turns runs all of it before
    if (!sideWork.isEmpty) sideWork.run(true);
    if (moved) {
      this.#idleTurns = 0;
    } else if ((++this.#idleTurns & LOOK_MASK) === 0) {
      this.lookForDeparted(needed);
      this.statusWriter.arrived(this.#last.arrived);
    }
  }

  until(ready: () => boolean, pollMs?: number): Promise<void> {
    return this.#seat.async.until({ peer: -1, ready, spin: ready, pollMs }, NO_LIMITS);
  }

  turn(moved: boolean, needed: number, alone = false): void {
    const { idler } = this.#seat;
    this.check(moved, needed);
    if (moved) {
      idler.busy();
      return;
    }
    try {
      if (alone) idler.wait();
      else idler.idle(this);
    } catch (error) {
      if (error instanceof TimeoutError) addWords(error, [`It was in ${this.#words.one} (${this.name}).`]);
      throw this.fail(error as Error);
    }
  }

  /** Throws if a PE that this one needs has departed. */
  protected lookForDeparted(needed: number): void {
    const { heap, members } = this.#seat;
    for (let rank = 0; rank < members.length; rank++) {
      if (!this.hasDeparted(members[rank])) continue;
      // it stored its mark before it departed; pairs with the store in mark()
      if (Atomics.load(heap.i32, (this.#offset + tallyAt(rank)) / 4 + MARK) >= needed) continue;
      throw this.lost(members[rank]);
    }
  }

  /** @param pe its rank in the world */
  protected hasDeparted(pe: number): boolean {
    const { wakers } = this.#seat;
    return this.outlivesMain ? wakers.hasLeft(pe) : wakers.departed(pe);
  }

  /** The error for a PE that departed too early, perhaps before the session's begin. @param pe its rank in the world */
  protected lost(pe: number): Error {
    const { members, rank } = this.#seat;
    return this.fail(
      new RankLostError(
        pe,
        `PE ${pe} has returned from its main, or left, in the middle of ${this.#words.one} that PE ${members[rank]} has begun (${this.name}). ${this.#words.ending}`,
      ),
    );
  }

  mark(reached: number): void {
    const { rank, wakers } = this.#seat;
    wakers.publish((this.#offset + tallyAt(rank)) / 4 + MARK, reached);
  }

  fail(error: Error): Error {
    const { termination, wakers, members, rank } = this.#seat;
    if (error instanceof TimeoutError && !termination.decided) {
      addWords(error, this.#seat.problems(STILL_MS));
    }
    if (termination.decideBy(members[rank], error)) wakers.notifyAll();
    return error;
  }

  free(): void {
    this.statusWriter.free();
    const { heap, members } = this.#seat;
    // pairs with the same addition at the other PEs: the last one knows that no PE uses the block any more
    if (Atomics.add(heap.i32, this.#offset / 4, 1) + 1 === members.length) heap.free(this.#offset);
  }
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
