/** Ways in which conveyors are used together, and again and again. Written once, for both back ends. */
import * as assert from "uvu/assert";
import { bytes, struct, u32 } from "../../../../src/ground/item/item-type.ts";
import { DONE, type Status } from "../../../../src/links/status/state.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { rounds } from "../../../support/long.ts";
import { ask, elasticAsking, rigidAsking } from "./asking.ts";
import { elasticWares, rigidWares, type Session, stream } from "./client.ts";
import { kindOf, mix, PATTERNS } from "./payloads.ts";
import type { Play, Seat } from "./seats.ts";

type Options = Omit<ConveyorOptions, "signal">;

const small = { bufferBytes: 256 } as const;

const SESSIONS = rounds(10, 100);

/** One conveyor, many sessions, with items of another size each. */
function* again(pe: Seat, options: Options): Play {
  const c = pe.conveyor(bytes(128), { ...small, ...options });
  const sizes = [1, 2, 3, 7, 8, 24, 128];
  let total = 0;
  for (let k = 0; k < SESSIONS; k++) {
    const kind = kindOf(sizes[k % sizes.length]);
    yield* c.begin(kind.item);
    const session: Session = {
      pattern: PATTERNS[k % PATTERNS.length],
      count: k % 10 === 0 ? 0 : 40,
      seed: mix(k),
      reject: 0.1,
    };
    total += yield* stream(c, rigidWares(c as never, kind, false), session);
    yield* c.reset();
  }
  const { begins, pulls, unpulls } = c.stats().cumulative;
  assert.equal([begins, pulls - unpulls], [SESSIONS, total]);
  c.free();
}

/** Index gather: questions over one conveyor, answers over another, which ends when the first has. */
function* indexGather(pe: Seat, options: Options): Play {
  const { rank, size } = pe;
  const request = struct({ index: u32, slot: u32 });
  const reply = struct({ value: u32, slot: u32 });
  const q = pe.conveyor(request, { ...small, ...options });
  const r = pe.conveyor(reply, { ...small, ...options });
  const count = 200;
  const table = (index: number) => mix(index, 9);
  const index = (i: number) => mix(rank, i) % (size * 1000);
  const gathered = new Uint32Array(count);
  for (let session = 0; session < 3; session++) {
    gathered.fill(0);
    yield* q.begin();
    yield* r.begin();
    let i = 0;
    let come = 0;
    let asking: Status = 1;
    do {
      asking = yield* q.advance(i === count);
      for (; i < count && q.push(index(i) % size, index(i), i); i++);
      while (q.pull()) {
        const { item, from } = q;
        assert.is(item.index % size, rank);
        if (r.push(from, table(item.index), item.slot)) continue;
        assert.is(q.unpull(), true);
        break;
      }
      for (; r.pull(); come++) gathered[r.item.slot] = r.item.value;
    } while ((yield* r.advance(asking === DONE)) !== DONE);
    assert.is(come, count);
    for (const [slot, value] of gathered.entries()) assert.is(value, table(index(slot)));
    yield* q.reset();
    yield* r.reset();
  }
  q.free();
  r.free();
}

/** Two biconveyors whose replies are taken in lock step: a pair of conveyors would stand still. */
function* meld(pe: Seat, options: Options): Play {
  for (const window of [3, 1000]) {
    const all = [
      rigidAsking(pe, { ...small, ...options, window }),
      elasticAsking(pe, 400, { ...small, ...options, window }),
      rigidAsking(pe, { ...small, ...options, window }, true),
    ];
    for (let k = 0; k < rounds(2, 3); k++) {
      for (const one of all) yield* one.begin();
      const pattern = PATTERNS[(k * 3) % PATTERNS.length];
      yield* ask(all, { pattern, count: rounds(15, 60), seed: k, lazy: 0.2 });
      for (const one of all) yield* one.reset();
    }
    for (const one of all) one.free();
  }
}

/** Many conveyors in one loop, with sessions that end at different times. */
function* many(pe: Seat, options: Options): Play {
  const kind = kindOf(8);
  const plays: Play<number>[] = [];
  const conveyors: { reset(): Play; free(): void }[] = [];
  for (let k = 0; k < 8; k++) {
    const session: Session = {
      pattern: PATTERNS[k % PATTERNS.length],
      count: 20 + 10 * k,
      seed: mix(k, 1),
      lazy: 0.3,
    };
    const each = { ...small, ...options, buffersPerLink: ([1, 2, 4] as const)[k % 3] };
    if (k % 2 === 0) {
      const c = pe.conveyor(kind.item, each);
      yield* c.begin();
      plays.push(stream(c, rigidWares(c as never, kind, false), session));
      conveyors.push(c);
    } else {
      const c = pe.elasticConveyor(each);
      yield* c.begin();
      plays.push(stream(c, elasticWares(c, 256, false), session));
      conveyors.push(c);
    }
  }
  // a turn of each; a thread's seat has a turn before each call as well
  const left = new Set(plays);
  while (left.size > 0) {
    for (const play of left) if (play.next().done) left.delete(play);
    yield* pe.turn();
  }
  for (const c of conveyors) {
    yield* c.reset();
    c.free();
  }
}

/** More oversized items than may be under way at once, and nobody is done before all have been pushed. */
function* oversized(pe: Seat, options: Options): Play {
  const c = pe.elasticConveyor({ ...small, ...options });
  const next = (pe.rank + 1) % pe.size;
  for (let k = 0; k < 3; k++) {
    yield* c.begin();
    let sent = 0;
    let come = 0;
    while ((yield* c.advance(sent === 50)) !== DONE) {
      for (; sent < 50 && c.push(next, new Uint8Array(300 + sent).fill(sent)); sent++);
      for (; c.pull(); come++) {
        assert.ok(c.bytes.length === 300 + come && c.bytes.every((byte) => byte === come));
      }
    }
    assert.is(come, 50);
    yield* c.reset();
  }
  c.free();
}

/** Methods that were taken from the conveyor are refused, and write nowhere. */
function* taken(pe: Seat, options: Options): Play {
  const c = pe.conveyor(u32, { ...small, ...options });
  yield* c.begin(bytes(7));
  const { push, pull } = c;
  const word = new Uint8Array(7);
  const other = { push, pull };
  for (const call of [() => push(0, word as never), pull, () => other.push(0, word as never), () => other.pull()]) {
    assert.throws(
      call,
      (error: { code?: string; message: string }) =>
        error.code === "ERR_TUNDISH_USAGE" && /expected to be called on its conveyor/.test(error.message),
    );
  }
  while ((yield* c.advance(true)) !== DONE) c.pull();
  yield* c.reset();
  c.free();
}

/** By name. */
export const uses: Readonly<Record<string, (pe: Seat, options: Options) => Play>> = {
  "many sessions": again,
  "index gather": indexGather,
  meld,
  "many at once": many,
  oversized,
  "methods without their conveyor": taken,
};

/** Conveyors that are used so. */
export const types: readonly Options[] = [
  { type: "simple" },
  { type: "simple", hops: 2 },
  { hops: 1, buffersPerLink: 1 },
  { hops: 2, steady: true },
  { hops: 3 },
];
