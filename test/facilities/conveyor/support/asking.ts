/** The client of biconveyors: asks, and checks that replies come in the order of the questions. */
import * as assert from "uvu/assert";
import type { Batch } from "../../../../src/facilities/conveyor/belts/batch.ts";
import type { BiconveyorOptions } from "../../../../src/facilities/conveyor/front/make-conveyor.ts";
import { struct, u16, u32 } from "../../../../src/ground/item/item-type.ts";
import { DONE, NEAR, type Status } from "../../../../src/links/status/state.ts";
import type { Session } from "./client.ts";
import { chance, destinations, expected, fill, mix } from "./payloads.ts";
import type { Play, Seat } from "./seats.ts";

const query = struct({ low: u16, h: u32 });
const reply = struct({ who: u32, h: u32 });

/** A biconveyor, whatever its items are. */
export interface Asking {
  readonly rank: number;
  readonly size: number;
  readonly state: string;
  ask(dest: number, h: number): boolean;
  /** Takes the next reply; whether it is the one to this question is for `check` to say. */
  pull(): boolean;
  check(dest: number, h: number): void;
  begin(): Play;
  advance(done?: boolean): Play<Status>;
  reset(): Play;
  free(): void;
  /** Questions that were answered here, by who asked; from begin on. */
  readonly answered: Int32Array;
}

/** @param byColumns whether the questions of a buffer are answered at once */
export function rigidAsking(pe: Seat, options: BiconveyorOptions, byColumns = false): Asking {
  const answered = new Int32Array(pe.size);
  const answer = ({ low, h }: { low: number; h: number }, from: number) => {
    assert.is(low, h & 0xffff);
    answered[from]++;
    return { who: pe.rank, h: mix(h) };
  };
  // the same arrays every time
  const columns = { who: new Uint32Array(8192).fill(pe.rank), h: new Uint32Array(8192) };
  const answerAll = ({ columns: { low, h }, count, from }: Batch<typeof query>) => {
    for (let i = 0; i < count; i++) columns.h[i] = answer({ low: low[i], h: h[i] }, from[i]).h;
    return columns;
  };
  const c = pe.biconveyor(query, reply, byColumns ? { answerAll } : answer, options);
  return Object.assign(parts(c, pe, answered), {
    ask: (dest: number, h: number) => c.push(dest, h & 0xffff, h),
    check(dest: number, h: number) {
      assert.equal([c.item.who, c.item.h], [dest, mix(h)]);
    },
  });
}

/** Questions and replies of up to `most` bytes. */
export function elasticAsking(pe: Seat, most: number, options: BiconveyorOptions): Asking {
  const answered = new Int32Array(pe.size);
  const answer = (bytes: Uint8Array, from: number) => {
    answered[from]++;
    return makeReply(pe.rank, bytes);
  };
  const makeReply = (who: number, bytes: Uint8Array) =>
    fill(new Uint8Array(mix(bytes.length, who) % most), mix(who, bytes.length, bytes[0] ?? 0), false);
  const questionOf = (h: number) => fill(new Uint8Array(mix(h) % most), h, false);
  const c = pe.elasticBiconveyor(answer, options);
  return Object.assign(parts(c, pe, answered), {
    ask: (dest: number, h: number) => c.push(dest, questionOf(h)),
    check(dest: number, h: number) {
      assert.ok(Buffer.compare(c.bytes, makeReply(dest, questionOf(h))) === 0, "another reply");
    },
  });
}

type Bi = ReturnType<Seat["biconveyor"]> | ReturnType<Seat["elasticBiconveyor"]>;

function parts(c: Bi, { rank, size }: Seat, answered: Int32Array): Omit<Asking, "ask" | "check"> {
  return {
    rank,
    size,
    answered,
    get state() {
      return c.state;
    },
    pull: () => c.pull(),
    begin: () => {
      answered.fill(0);
      return c.begin();
    },
    advance: (done) => c.advance(done),
    reset: () => c.reset(),
    free: () => c.free(),
  };
}

/** One session of several biconveyors in lock step, each from begin to DONE: replies are taken from all, or none. */
export function* ask(all: readonly Asking[], session: Session): Play {
  const { pattern, count, seed, burst = Number.POSITIVE_INFINITY, lazy = 0 } = session;
  const { rank, size } = all[0];
  const dests = destinations(pattern, rank, size, count, seed);
  const h = (which: number, i: number) => mix(seed, rank, which, i);
  const asked = all.map(() => 0);
  const states: Status[] = all.map(() => 1);
  let pulled = 0;
  /** Replies that were taken of the next row. */
  let taken = 0;
  let turn = 0;
  while (states.some((status) => status !== DONE)) {
    for (const [which, one] of all.entries()) {
      for (let left = burst; left > 0 && asked[which] < dests.length; left--) {
        if (!one.ask(dests[asked[which]], h(which, asked[which]))) break;
        asked[which]++;
      }
    }
    const isLazy = chance(seed, rank, ++turn) < lazy && !states.includes(NEAR);
    while (!isLazy && all[taken].pull()) {
      all[taken].check(dests[pulled], h(taken, pulled));
      taken++;
      if (taken < all.length) continue;
      taken = 0;
      pulled++;
    }
    for (const [which, one] of all.entries()) {
      const done = asked[which] === dests.length;
      states[which] = yield* one.advance(done);
      if (!done) assert.equal([states[which], one.state], [1, "working"]);
    }
  }
  assert.is(pulled, dests.length, "replies");
  for (const one of all) {
    assert.is(one.pull(), false);
    assert.is(one.state, "complete");
    assert.equal(Array.from(one.answered), expected(pattern, rank, size, count, seed), "questions by sender");
  }
}
