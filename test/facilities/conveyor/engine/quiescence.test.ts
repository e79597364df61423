/** Sessions that end by quiescence: on virtual PEs, over many schedules, never early and never stuck. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Pushing } from "../../../../src/facilities/conveyor/codegen/parts.ts";
import type { Machinery } from "../../../../src/facilities/conveyor/engine/assembly.ts";
import { Quiescence } from "../../../../src/facilities/conveyor/engine/quiescence.ts";
import type { Session } from "../../../../src/facilities/conveyor/engine/session.ts";
import { sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import { QuietSession } from "../../../../src/facilities/conveyor/front/quiet-session.ts";
import { MismatchError } from "../../../../src/ground/base/errors.ts";
import { u32 } from "../../../../src/ground/item/item-type.ts";
import type { SimulatedPE } from "../../../../src/running/simulate/simulate.ts";
import { rounds } from "../../../support/long.ts";
import { type Causing, causingOf, playCausing } from "../support/causing.ts";
import { type Play, playVirtually } from "../support/seats.ts";

/** Programs of one or two sessions, and small ones of 25. */
const LARGE = rounds(40, 10_000);
const SMALL = rounds(40, 10_000);

const quiescence = suite("quiescence");

for (const isSmall of [false, true]) {
  const programs = isSmall ? SMALL : LARGE;
  const size = isSmall ? "small" : "large";
  quiescence(`random ${size} programs: every item is handled once before any PE ends, and all PEs end`, () => {
    // a failure names its seed, and what it is a seed of
    const first = Math.floor(Math.random() * 2 ** 31);
    let items = 0;
    for (let seed = first; seed < first + programs; seed++) {
      items += playCausing(causingOf(seed, isSmall)).items;
    }
    assert.ok(items > programs, `${items} items in ${programs} programs`);
  });
}

const quiet: Causing = { ...causingOf(1), roots: 0, sessions: 1, nodes: 1, pes: 4, stalls: [] };

quiescence("nobody sends: one vote of each PE, whatever carries the items", () => {
  for (const front of ["selector", "rigid", "elastic"] as const) {
    assert.equal(playCausing({ ...quiet, front }), { items: 0, waves: 4 });
  }
});

quiescence("one item: at most three votes of each PE", () => {
  for (let seed = 1; seed < 40; seed++) {
    const one = { ...quiet, seed, pes: 1, front: "rigid", roots: 1, generations: 0 } as const;
    assert.equal(playCausing(one), { items: 1, waves: 2 });
  }
  for (let seed = 1; seed < 40; seed++) {
    const { items, waves } = playCausing({ ...quiet, seed, jitter: 4, roots: 1, generations: 0 });
    if (items > 0) assert.ok(waves === 8 || waves === 12, `${waves} votes, seed ${seed}`);
  }
});

for (const [quietRank, options] of [
  [0, {}],
  [1, {}],
  // with a vote before the session
  [0, { hops: 2 }],
] as const) {
  const by = `${options.hops ?? 1} hops`;
  quiescence(`PEs that end a session in different ways are told so; PE ${quietRank} by quiescence, ${by}`, () => {
    function* play(pe: SimulatedPE): Play {
      const c = pe.conveyor(u32, { steady: true, name: "edges", ...options });
      const isQuiet = pe.rank === quietRank;
      const quiet = new QuietSession(sessionOf(c) as Session & Pushing, u32);
      yield* isQuiet ? quiet.beginning() : c.begin();
      c.push((pe.rank + 1) % pe.size, 1);
      for (;;) {
        if (isQuiet) quiet.proceed(true);
        else yield* c.advance(true);
        yield* pe.turn();
      }
    }
    assert.throws(
      () => playVirtually({ pes: options.hops === undefined ? 2 : 4 }, play),
      (error: Error) =>
        error instanceof MismatchError &&
        /this conveyor of edges \(.*\); at PE \d it ends (by quiescence, at others it ends when all PEs are done|when all PEs are done, at others it ends by quiescence)\. /.test(
          error.message,
        ),
    );
  });
}

quiescence("no vote while an item is in an open buffer", () => {
  const cast: number[] = [];
  const outbox = {
    pending: 0,
    buffers: 0,
    flush() {
      this.pending = 0;
      this.buffers++;
    },
  };
  const vote = { poll: () => -1, cast: (bits: number) => cast.push(bits) };
  const inbox = { next: 0, limit: 0, pulled: 0 };
  const machinery = { inbox, movers: [], outboxes: [outbox], site: { vote, porters: [{ settled: () => true }] } };
  const quiet = new Quiescence([{ machinery: machinery as unknown as Machinery, countVote: () => {} }]);
  quiet.begin();
  // a handler got an item and has sent another one
  inbox.pulled = 1;
  outbox.pending = 1;
  assert.is(quiet.turn(false), false);
  assert.equal(cast, []);
  // nothing was handed out since: the buffer is sent, and the vote says so
  assert.is(quiet.turn(false), true);
  assert.equal([cast, outbox.buffers], [[1], 1]);
});

quiescence.run();
