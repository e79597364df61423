/** A burst, and then a low rate, within one session of a conveyor with `adapt`, or the other way round: for threads and virtual PEs. */
import * as assert from "uvu/assert";
import type { Adapted } from "../../../../src/facilities/conveyor/engine/adapting.ts";
import { bytes } from "../../../../src/ground/item/item-type.ts";
import { DONE } from "../../../../src/links/status/state.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { Play, Seat } from "./seats.ts";

export type Phase = "burst" | "low";

/** What is played. */
export interface Bursts {
  readonly options: ConveyorOptions;
  readonly isElastic: boolean;
  readonly phases: readonly Phase[];
}

/** How one phase has ended at one PE. */
export interface PhaseEnd {
  readonly phase: Phase;
  readonly items: number;
  /** Of the first hop, in which no other PE's items are. */
  readonly adapted: Adapted;
}

/** What came to a PE. Times in ns. */
export interface BurstsPlayed {
  readonly ends: readonly PhaseEnd[];
  /** Calls of advance. */
  readonly advances: number;
  /** By hop, after the last phase. */
  readonly delays: readonly number[];
  /** From push to pull, of items of a low rate: the longest; and of those that were pushed when all sizes had followed. */
  readonly longest: number;
  readonly settled: number;
}

/** Time of a PE, ns. */
export interface BurstClock {
  now(): number;
  /** A turn of the program. */
  work(ns: number): void;
}

export const BURST_ITEM_BYTES = 64;
/** Items of the low rate with the sizes that it has come to. */
const SETTLED = 24;
/** The last of them, in the last phase, when the sizes of other PEs have followed as well. */
const LAST = 8;
/** Items of a phase within which the sizes are to follow. */
const MOST: Readonly<Record<Phase, number>> = { burst: 1e7, low: 5000 };
/** Turns from one look at the sizes to the next. */
const LOOK = 16;

/** Whether the sizes have followed a phase: a burst has buffers of 4 items and more, a low rate has those of one, at all hops. */
const follows = (phase: Phase, hops: readonly Adapted[]): boolean =>
  phase === "burst"
    ? hops[0].rate > 0 && hops[0].bytes >= 4 * BURST_ITEM_BYTES
    : hops.every(({ bytes, rate }) => rate > 0 && bytes <= BURST_ITEM_BYTES);

/** One conveyor with one session. Each phase lasts until the sizes have followed it. @param made called when the conveyor is */
export function* playBursts(
  pe: Seat,
  clock: BurstClock,
  { options, isElastic, phases }: Bursts,
  made: () => void = () => {},
): Play<BurstsPlayed> {
  // the last item of a burst may be refused, and is not pushed again
  const own = { ...options, adapt: true, lossy: true };
  const rigid = isElastic ? null : pe.conveyor(bytes(BURST_ITEM_BYTES), own);
  const c = (rigid ?? pe.elasticConveyor(own)) as NonNullable<typeof rigid>;
  const words = new Float64Array(BURST_ITEM_BYTES / 8);
  const item = new Uint8Array(words.buffer);
  const came = new Float64Array(BURST_ITEM_BYTES / 8);
  const into = new Uint8Array(came.buffer);
  /** By PE: what was sent to it, and what has come from it. */
  const [sent, got] = [new Float64Array(pe.size), new Float64Array(pe.size)];
  let [longest, settled] = [0, 0];
  const pull = (): void => {
    while (c.pull()) {
      into.set((isElastic ? (c as { bytes?: Uint8Array }).bytes : c.item) as Uint8Array);
      const [i, at, kind] = came;
      assert.is(i, got[c.from]++, `item from PE ${c.from}`);
      if (kind === 0) continue;
      longest = Math.max(longest, clock.now() - at);
      if (kind === 2) settled = Math.max(settled, clock.now() - at);
    }
  };
  let pushed = 0;
  /** @param kind 0 of a burst, 1 of a low rate, 2 of the last ones of it */
  const push = (kind: number): boolean => {
    const dest = pushed % pe.size;
    words.set([sent[dest], clock.now(), kind]);
    if (!c.push(dest, item)) return false;
    sent[dest]++;
    pushed++;
    return true;
  };
  made();
  yield* c.begin();
  const ends: PhaseEnd[] = [];
  for (const [number, phase] of phases.entries()) {
    const isLast = number === phases.length - 1;
    const before = pushed;
    let adapted = c.stats().adapted as readonly Adapted[];
    let isOver = false;
    for (let turn = 0, next = clock.now(), left = SETTLED; !isOver; turn++) {
      clock.work(1000);
      if (phase === "burst") {
        for (let k = 0; k < 16 && push(0); k++);
      } else if (clock.now() >= next && push(isLast && left <= LAST ? 2 : 1)) {
        // a buffer is then to have less than half of an item
        next = clock.now() + 2e6 * adapted[0].delay;
        if (follows(phase, adapted)) left--;
        else left = SETTLED;
      }
      yield* c.advance();
      pull();
      if (turn % LOOK === LOOK - 1) adapted = c.stats().adapted as readonly Adapted[];
      isOver = follows(phase, adapted) && (phase === "burst" || left <= 0);
      assert.ok(pushed - before < MOST[phase], `${phase}: ${JSON.stringify(adapted)} after ${pushed} items`);
    }
    ends.push({ phase, items: pushed - before, adapted: adapted[0] });
  }
  while ((yield* c.advance(true)) !== DONE) pull();
  yield* c.reset();
  const stats = c.stats();
  assert.is(
    stats.pulls,
    got.reduce((a, b) => a + b),
  );
  c.free();
  return {
    ends,
    advances: stats.advances,
    delays: (stats.adapted ?? []).map(({ delay }) => delay * 1e6),
    longest,
    settled,
  };
}
