/** The option maxDelay: the age of buffers, in virtual time exactly, and on threads by what a PE measures of its own advances. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { u32 } from "../../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";
import { launchPooled } from "../../../support/thread-pool.ts";
import type { Ages, Args } from "../programs/ages.program.ts";
import { watched } from "../support/watched.ts";

const sending = suite("age of buffers");

const US = 1e-3;

sending("no item is older than its share of maxDelay and one advance, in any schedule", () => {
  const shapes = fc.record({
    pes: fc.integer({ min: 1, max: 12 }),
    hops: fc.constantFrom(1, 2, 3) as fc.Arbitrary<1 | 2 | 3>,
    isElastic: fc.boolean(),
    maxDelay: fc.constantFrom(0, 2 * US, 20 * US, 200 * US),
    threshold: fc.constantFrom(undefined, 0.5),
    seed: fc.integer({ min: 1, max: 1e6 }),
    jitter: fc.constantFrom(0, 0.5),
  });
  let byDelay = 0;
  fc.assert(
    fc.property(shapes, ({ pes, hops, isElastic, maxDelay, threshold, seed, jitter }) => {
      /** By PE: the times of its advances, ms. */
      const advances: number[][] = Array.from({ length: pes }, () => []);
      // of few PEs there are fewer hops
      let route = 1;
      const options: ConveyorOptions = { hops, bufferBytes: 256, maxDelay, threshold };
      const sent = watched(() => {
        simulate({ pes, seed, jitter, timeout: 60_000 }, function* (pe: SimulatedPE) {
          const c = isElastic ? pe.elasticConveyor(options) : pe.conveyor(u32, options);
          const push = (dest: number, i: number): boolean =>
            "push" in c && isElastic
              ? (c as ReturnType<SimulatedPE["elasticConveyor"]>).push(dest, new Uint8Array(i % 40))
              : (c as ReturnType<typeof pe.conveyor<typeof u32>>).push(dest, i);
          route = sessionOf(c).machinery.choice.route.hops;
          yield* c.begin();
          advances[pe.rank].push(pe.now / 1e6);
          for (let i = 0; i < 60; ) {
            pe.work(pe.random() * 5000);
            yield* pe.turn();
            for (let k = pe.random() * 4; k > 0 && i < 60; k--, i++) {
              if (!push(Math.floor(pe.random() * pe.size), i)) break;
            }
            advances[pe.rank].push(pe.now / 1e6);
            yield* c.advance();
            while (c.pull());
          }
          for (let isOpen = true; isOpen; ) {
            advances[pe.rank].push(pe.now / 1e6);
            isOpen = (yield* c.advance(true)) !== 0;
            while (c.pull());
          }
          const { sentFor } = c.stats();
          byDelay += sentFor.delay;
          yield* c.reset();
        });
      });
      for (const { rank, opened, sent: at } of sent) {
        // the look before this one was in the advance before
        const before = advances[rank].filter((time) => time <= at).at(-2) ?? 0;
        const most = maxDelay / route + at - before + 1e-9;
        assert.ok(at - opened <= most, `seed ${seed}: ${at - opened} ms, at most ${most}`);
      }
    }),
    { numRuns: 40, endOnFailure: true },
  );
  assert.ok(byDelay > 500, `${byDelay} buffers were sent by their age`);
});

sending("where buffers fill before that, none is sent by its age", () => {
  const { results } = simulate({ pes: 4 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32, { bufferBytes: 64, maxDelay: 50 * US });
    yield* c.begin();
    for (let i = 0; i < 4000; ) {
      pe.work(200);
      for (let k = 0; k < 16 && c.push(i % pe.size, i); k++) i++;
      yield* c.advance();
      while (c.pull());
    }
    while (yield* c.advance(true)) while (c.pull());
    yield* c.reset();
    return c.stats().sentFor;
  });
  for (const { delay, full } of results) assert.ok(delay === 0 && full > 200, `${delay}, ${full}`);
});

for (const options of [
  { hops: 1 },
  { hops: 2 },
  { hops: 3 },
  { type: "simple" },
  { type: "simple", hops: 2 },
] as const) {
  sending(`what is old arrives though nobody is done: ${JSON.stringify(options)}`, () => {
    const { results } = simulate({ pes: 8, timeout: 1000 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(u32, { ...options, maxDelay: 0.03 });
      yield* c.begin();
      for (let dest = 0; dest < pe.size; dest++) assert.ok(c.push(dest, pe.rank));
      let got = 0;
      while (got < pe.size) {
        yield* c.advance();
        while (c.pull()) got++;
      }
      const took = pe.now;
      while (yield* c.advance(true)) while (c.pull());
      yield* c.reset();
      return took;
    });
    // not before it is old, as nothing else sends it
    for (const ns of results) assert.ok(ns >= 30_000 / 3 && ns < 200_000, `${ns} ns`);
  });
}

const SLOW = { items: 400, pause: 0.3 } as const;
/** Kinds of streams on threads. */
const STREAMS: readonly Args[] = [
  { ...SLOW, options: { maxDelay: 2 }, isElastic: false },
  { ...SLOW, options: { maxDelay: 2, hops: 2, groupSize: 2 }, isElastic: false },
  { ...SLOW, options: { maxDelay: 2, mesh: [2, 2], threshold: 0.5 }, isElastic: true },
  // buffers fill up
  { items: 5000, pause: 0, options: { maxDelay: 20 }, isElastic: false },
];

sending("on threads no item is older than its share of maxDelay and the time of two advances", async () => {
  const program = sibling("../programs/ages.program.js", import.meta.url);
  const results = await launchPooled<Ages[]>(program, { pes: 4, args: STREAMS, waitTimeout: 60_000 });
  for (const [which, { options, pause }] of STREAMS.entries()) {
    for (const { [which]: found } of results) {
      const { age, buffers, delay, hops, longest, late, most } = found;
      const said = JSON.stringify({ options, ...found });
      const share = (options.maxDelay as number) / hops;
      // times since 1970 have some tenths of a us
      assert.ok(most <= share + 0.002, `a buffer is ${most} ms old without its advances: ${said}`);
      const oldest = age.findLastIndex((count) => count > 0);
      assert.ok(2 ** oldest / 1000 <= share + longest, `from ${2 ** oldest} us on, ${said}`);
      assert.is(
        age.reduce((sum, count) => sum + count, 0),
        buffers,
      );
      if (pause > 0) assert.ok(delay > 0, said);
      // where traffic flows a buffer is full before the next advance: only one that comes late finds an old one
      else assert.ok(delay <= late && buffers > 20, said);
    }
  }
});

sending.run();
