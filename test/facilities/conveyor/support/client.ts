/**
 * The client: pushes, pulls, puts back at random, and checks all that a receiver can know. Written once, for
 * threads and virtual PEs.
 *
 * Source: alloctest and alltoallv of bale's convey: checks per pair, random rejects (-r), random sizes (-R),
 * low entropy (-z), steadiness by a tally that is yoked to the conveyor (-y).
 */

import * as assert from "uvu/assert";
import type { ConveyorStats } from "../../../../src/facilities/conveyor/engine/stats.ts";
import { type ItemType, u32 } from "../../../../src/ground/item/item-type.ts";
import { type ConveyorState, DONE, NEAR, OK, type Status } from "../../../../src/links/status/state.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { SimulatedConveyor, SimulatedElasticConveyor } from "../../../../src/running/simulate/conveyors.ts";
import { chance, destinations, expected, fill, type Kind, mix, type Pattern } from "./payloads.ts";
import type { Play, Seat } from "./seats.ts";

/** What a session is like. */
export interface Session {
  readonly pattern: Pattern;
  /** Items that a PE sends. */
  readonly count: number;
  readonly seed: number;
  /** How likely an item that was pulled is put back. @default 0 */
  readonly reject?: number;
  /** Nearly all bits the same. @default false */
  readonly low?: boolean;
  /** Items that are pushed before each advance, at most. @default no limit */
  readonly burst?: number;
  /** How likely a PE pulls nothing before an advance. @default 0 */
  readonly lazy?: number;
}

/** Looks at the states of all PEs, where one can. */
export type Watch = (belt: { readonly rank: number; readonly state: ConveyorState; stats(): ConveyorStats }) => void;

/** What a client does with its items, whatever they are. */
interface Wares {
  push(dest: number, h: number): boolean;
  /** Whether the item that was pulled last is this one. */
  same(h: number): boolean;
}

type Belt = Pick<
  SimulatedConveyor<ItemType> | SimulatedElasticConveyor,
  "rank" | "size" | "pull" | "unpull" | "from" | "state" | "stats" | "advance"
>;

/** Items of one kind. */
export function rigidWares(c: SimulatedConveyor<ItemType>, kind: Kind, low: boolean): Wares {
  const push = c.push.bind(c) as (dest: number, ...values: readonly unknown[]) => boolean;
  return {
    push(dest, h) {
      const values = kind.make(h, low);
      const pushed = push(dest, ...values);
      // what was pushed is the conveyor's: the caller may write over his own
      for (const value of values) if (value instanceof Uint8Array) value.fill(0xee);
      return pushed;
    },
    same: (h) => kind.same(c.item, h, low),
  };
}

/** Items of any length: one in eight is larger than a buffer, one in eight empty. */
export function elasticWares(c: SimulatedElasticConveyor, bufferBytes: number, low: boolean): Wares {
  const most = 3 * bufferBytes;
  const out = new Uint8Array(most);
  const want = new Uint8Array(most);
  const lengthOf = (h: number) => {
    if (h % 8 === 0) return 0;
    return mix(h) % (h % 8 === 1 ? most : Math.min(40, bufferBytes));
  };
  return {
    push(dest, h) {
      const bytes = fill(out.subarray(0, lengthOf(h)), h, low);
      const pushed = c.push(dest, bytes);
      bytes.fill(0xee);
      return pushed;
    },
    same(h) {
      const wanted = fill(want.subarray(0, lengthOf(h)), h, low);
      return Buffer.compare(wanted, c.bytes) === 0;
    },
  };
}

/** What has come to a PE: the next item of each sender is known. */
class Receipts {
  readonly #rank: number;
  readonly #seed: number;
  readonly #next: Int32Array;
  /** Senders of the items pulled, but for those that were put back. */
  readonly #history: number[] = [];

  constructor(rank: number, pes: number, seed: number) {
    this.#rank = rank;
    this.#seed = seed;
    this.#next = new Int32Array(pes);
  }

  get count(): number {
    return this.#history.length;
  }

  /** What the item is made of that was taken last. */
  get last(): number {
    const from = this.#history.at(-1) as number;
    return secret(this.#seed, from, this.#rank, this.#next[from] - 1);
  }

  take(from: number): void {
    assert.ok(Number.isInteger(from) && from >= 0 && from < this.#next.length, `from is ${from}`);
    this.#next[from]++;
    this.#history.push(from);
  }

  putBack(): void {
    this.#next[this.#history.pop() as number]--;
  }

  /** By sender. */
  get all(): number[] {
    return Array.from(this.#next);
  }
}

/** What the i-th item from one PE to another is made of. */
const secret = (seed: number, from: number, to: number, i: number): number => mix(seed, from, to, i);

/** Acknowledges items to their senders, over a conveyor of its own. */
class Tally {
  readonly #c: SimulatedConveyor<typeof u32>;
  come = 0;
  over = false;

  constructor(c: SimulatedConveyor<typeof u32>) {
    this.#c = c;
  }

  acknowledge(from: number): boolean {
    return this.#c.push(from, 1);
  }

  *advance(done: boolean): Play {
    while (this.#c.pull()) this.come += this.#c.item;
    if (!this.over) this.over = (yield* this.#c.advance(done)) === DONE;
  }
}

/** One session of a conveyor that has begun, up to DONE. Gives how many items have come. */
export function* stream(
  c: Belt,
  wares: Wares,
  session: Session,
  watch: Watch = () => {},
  yoke: SimulatedConveyor<typeof u32> | null = null,
): Play<number> {
  const { pattern, count, seed, reject = 0, burst = Number.POSITIVE_INFINITY, lazy = 0 } = session;
  const { rank, size } = c;
  const dests = destinations(pattern, rank, size, count, seed);
  const sentTo = new Int32Array(size);
  const receipts = new Receipts(rank, size, seed);
  const tally = yoke === null ? null : new Tally(yoke);
  let sent = 0;
  let turn = 0;
  let status: Status = OK;
  const luck = (salt: number) => chance(seed, rank, ++turn, salt);

  /** Pulls until there is nothing, or a put-back or an acknowledgement that found no room stops it. */
  const receive = () => {
    while (c.pull()) {
      receipts.take(c.from);
      assert.ok(wares.same(receipts.last), `item ${receipts.count - 1}, from ${c.from}, is another`);
      if (reject > 0 && luck(1) < reject) {
        assert.is(c.unpull(), true, "unpull right after pull");
        receipts.putBack();
        // more than one may be refused; and what is acknowledged stays
        if (tally === null && luck(2) < 0.5 && receipts.count > 0 && c.unpull()) receipts.putBack();
        return;
      }
      if (tally !== null && !tally.acknowledge(c.from)) {
        assert.is(c.unpull(), true, "unpull when there is no room");
        receipts.putBack();
        return;
      }
    }
  };

  for (;;) {
    for (let left = burst; left > 0 && sent < dests.length; left--) {
      const dest = dests[sent];
      if (!wares.push(dest, secret(seed, rank, dest, sentTo[dest]))) break;
      sentTo[dest]++;
      sent++;
    }
    if (status === NEAR || luck(3) >= lazy) receive();
    const mayEnd = sent === dests.length && (tally === null || tally.come === sent);
    status = yield* c.advance(mayEnd);
    watch(c);
    checkState(status, mayEnd, c.state);
    if (tally !== null) yield* tally.advance(status === DONE);
    if (status === DONE) break;
  }
  assert.is(c.pull(), false);
  assert.is(c.unpull(), false);
  assert.is(c.state, "complete");
  assert.is(yield* c.advance(true), DONE);
  assert.equal(receipts.all, expected(pattern, rank, size, count, seed), "items by sender");
  while (tally !== null && !tally.over) yield* tally.advance(true);
  return receipts.count;
}

function checkState(status: Status, done: boolean, state: ConveyorState): void {
  if (!done) assert.equal([status, state], [OK, "working"]);
  else if (status === DONE) assert.is(state, "complete");
  else assert.is(state, status === NEAR ? "cleanup" : "endgame");
}

/** The conveyor that a session is yoked to. */
export const tallyOf = (pe: Seat, options: ConveyorOptions): SimulatedConveyor<typeof u32> =>
  pe.conveyor(u32, {
    steady: true,
    bufferBytes: 64,
    ...(options.timeout ? { timeout: options.timeout } : {}),
  });
