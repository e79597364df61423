/** When buffers are sent early: threshold, cutoff, maxDelay, maxBufferedBytes, flush, urgent items; in virtual time, exactly. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankRangeError, StateError, UsageError } from "../../../src/base/errors.ts";
import { sibling } from "../../../src/base/package-file.ts";
import type { BufferSent } from "../../../src/conveyor/engine/observe.ts";
import type { ConveyorOptions } from "../../../src/conveyor/geometry/options.ts";
import { bytes, u32 } from "../../../src/item/types.ts";
import { launch } from "../../../src/launch/launch.ts";
import { type SimulatedPE, simulate } from "../../../src/simulate/simulate.ts";

const sending = suite("when buffers are sent");

/** Runs something, and gives the buffers that were sent meanwhile. */
function watched(run: () => void): BufferSent[] {
  const sent: BufferSent[] = [];
  const listener = (event: unknown) => sent.push(event as BufferSent);
  subscribe("tundish:conveyor:sent", listener);
  try {
    run();
  } finally {
    unsubscribe("tundish:conveyor:sent", listener);
  }
  return sent;
}

const routeOf = (c: object): number =>
  (c as { machinery: { choice: { route: { hops: number } } } }).machinery.choice.route.hops;

/** Bytes in the open buffers of the first hop. */
function waiting(c: object): number {
  const { outboxes } = (c as { machinery: { outboxes: { used(link: number): number; links: number }[] } })
    .machinery;
  let sum = 0;
  for (let link = 0; link < outboxes[0].links; link++) sum += outboxes[0].used(link);
  return sum;
}

// --- maxDelay ---------------------------------------------------------------

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
          route = routeOf(c);
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

const itemOf = (c: object): Uint8Array =>
  (c as { bytes?: Uint8Array; item?: Uint8Array }).bytes ?? ((c as { item?: Uint8Array }).item as Uint8Array);

// --- flush and urgent items -----------------------------------------------------

const ROUTES = [
  { hops: 1 },
  { hops: 2 },
  { hops: 3 },
  { hops: 3, maxBufferedBytes: 300 },
  { hops: 2, discipline: "token" },
  { type: "simple" },
  { type: "simple", hops: 2 },
] as const;

for (const options of ROUTES) {
  for (const how of ["flush", "flush of each", "urgent"] as const) {
    sending(`${how} delivers without the end of the session: ${JSON.stringify(options)}`, () => {
      simulate({ pes: 8, nodes: 2, timeout: 1000 }, function* (pe: SimulatedPE) {
        for (const isElastic of [false, true]) {
          const c = isElastic ? pe.elasticConveyor(options) : pe.conveyor(bytes(4), options);
          yield* c.begin();
          const rounds = new Uint8Array(pe.size);
          const pull = (): void => {
            while (c.pull()) {
              const [round, from, to] = itemOf(c);
              assert.equal([round, from, to], [rounds[c.from]++, c.from, pe.rank]);
            }
          };
          for (let round = 0; round < 3; round++) {
            for (let dest = 0; dest < pe.size; dest++) {
              const item = Uint8Array.of(round, pe.rank, dest, 0);
              while (!(how === "urgent" ? c.pushUrgent(dest, item) : c.push(dest, item))) {
                yield* c.advance();
                pull();
              }
            }
            if (how === "flush") c.flush();
            if (how === "flush of each") for (let dest = 0; dest < pe.size; dest++) c.flush(dest);
            // nobody is done, and nobody goes on before it has everything
            while (rounds.some((count) => count <= round)) {
              yield* c.advance();
              pull();
            }
          }
          while (yield* c.advance(true)) while (c.pull());
          yield* c.reset();
          const { sentFor } = c.stats();
          if (!("type" in options)) assert.ok(sentFor.flush > 0);
          c.free();
        }
      });
    });
  }
}

sending("flush of one PE sends its buffer alone; of an empty one nothing", () => {
  simulate({ pes: 4 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32);
    assert.throws(
      () => c.flush(),
      (error: unknown) => error instanceof StateError && /flush/.test(error.message),
    );
    yield* c.begin();
    c.flush();
    for (let dest = 0; dest < 4; dest++) c.push(dest, 1);
    c.flush(2);
    c.flush(2);
    assert.equal([c.stats().buffers, c.stats().sentFor.flush], [1, 1]);
    assert.throws(
      () => c.flush(4),
      (error: unknown) => error instanceof RankRangeError && /^flush: /.test(error.message),
    );
    assert.throws(
      () => c.flush("1" as never),
      (error: unknown) => error instanceof RankRangeError,
    );
    while (yield* c.advance(true)) while (c.pull());
    c.flush(); // nothing waits
    yield* c.reset();
    assert.throws(
      () => c.flush(),
      (error: unknown) => error instanceof StateError,
    );
  });
});

// --- threshold and cutoff ---------------------------------------------------------

sending("rigid: a buffer is sent with the item that reaches the threshold", () => {
  for (const [threshold, items] of [
    [1, 16],
    [0.5, 8],
    [0.45, 8],
    [0.44, 8],
    [0.4, 7],
    [0.01, 1],
  ] as const) {
    const sent = watched(() =>
      simulate({ pes: 2 }, function* (pe: SimulatedPE) {
        const c = pe.conveyor(u32, { bufferBytes: 64, threshold });
        yield* c.begin();
        let i = 0;
        while (yield* c.advance(i === 112)) {
          while (i < 112 && c.push(1 - pe.rank, i)) i++;
          while (c.pull());
        }
        yield* c.reset();
        const { fill, sentFor } = c.stats();
        assert.ok(fill > 0.9 && sentFor.full >= Math.floor(112 / items) - 1);
      }),
    );
    assert.is(Math.max(...sent.map((buffer) => buffer.items)), items, `threshold ${threshold}`);
  }
});

sending(
  "elastic: buffers are between the threshold and the cutoff above it; longer items leave at once, in order",
  () => {
    const b = 1024;
    const runs = fc.record({
      threshold: fc.double({ min: 0.05, max: 1, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      lengths: fc.array(fc.integer({ min: 0, max: 2 * b }), { maxLength: 120 }),
      byColumns: fc.boolean(),
      hops: fc.constantFrom(1, 2) as fc.Arbitrary<1 | 2>,
    });
    fc.assert(
      fc.property(runs, ({ threshold, share, lengths, byColumns, hops }) => {
        const cutoff = (1 - threshold) * share;
        const most = Math.floor(cutoff * b);
        const long = lengths.filter((length) => length > most).length;
        const sent = watched(() =>
          simulate({ pes: 4 }, function* (pe: SimulatedPE) {
            const c = pe.elasticConveyor({ bufferBytes: b, threshold, cutoff, hops });
            const offsets = Uint32Array.from([0, ...lengths]).map(
              (
                (sum) => (length: number) =>
                  (sum += length)
              )(0),
            );
            const data = new Uint8Array(offsets.at(-1) ?? 0);
            const to = new Uint32Array(lengths.length).fill(3 - pe.rank);
            yield* c.begin();
            let i = 0;
            let got = 0;
            while (yield* c.advance(i === lengths.length)) {
              if (byColumns) i = c.pushAll(to, data, offsets, i);
              else {
                while (i < lengths.length && c.push(3 - pe.rank, data.subarray(offsets[i], offsets[i + 1]))) {
                  if (lengths[i++] > most) assert.is(waiting(c), 0, "a long item waits");
                }
              }
              while (c.pull()) assert.is(c.bytes.length, lengths[got++]);
            }
            yield* c.reset();
            assert.is(got, lengths.length);
            const { sentFor } = c.stats();
            assert.ok(sentFor.cutoff + sentFor.full >= long);
          }),
        );
        // with padding, heads, and references of 16 bytes
        for (const { bytes: size } of sent)
          assert.ok(size <= Math.max(threshold * b + 8 + most + 16, b + 16), `${size}`);
      }),
      { numRuns: 25 },
    );
  },
);

sending("with a threshold no full buffer of items below the cutoff has less", () => {
  const sent = watched(() =>
    simulate({ pes: 2 }, function* (pe: SimulatedPE) {
      const c = pe.elasticConveyor({ bufferBytes: 1024, threshold: 0.5 });
      yield* c.begin();
      let i = 0;
      while (yield* c.advance(i === 500)) {
        while (i < 500 && c.push(1 - pe.rank, new Uint8Array((i * 37) % 500))) i++;
        while (c.pull());
      }
      const { sentFor } = c.stats();
      assert.equal([sentFor.cutoff, sentFor.delay, sentFor.capacity], [0, 0, 0]);
      assert.ok(sentFor.end <= 2 && sentFor.full > 100);
      yield* c.reset();
    }),
  );
  assert.ok(sent.filter(({ bytes: size }) => size < 512).length <= 2 * 2, "only last ones");
});

// --- maxBufferedBytes ---------------------------------------------------------------

for (const isElastic of [false, true]) {
  sending(
    `no more than maxBufferedBytes wait, and the fullest leaves: ${isElastic ? "elastic" : "rigid"}`,
    () => {
      const runs = fc.record({
        pes: fc.integer({ min: 1, max: 9 }),
        most: fc.integer({ min: 1, max: 4000 }),
        count: fc.integer({ min: 1, max: 300 }),
        seed: fc.integer({ min: 1, max: 1e6 }),
        byColumns: fc.boolean(),
      });
      let byCapacity = 0;
      fc.assert(
        fc.property(runs, ({ pes, most, count, seed, byColumns }) => {
          simulate({ pes, seed, timeout: 60_000 }, function* (pe: SimulatedPE) {
            const options = { bufferBytes: 512, maxBufferedBytes: most };
            const c = isElastic ? null : pe.conveyor(bytes(24), options);
            const e = isElastic ? pe.elasticConveyor(options) : null;
            const belt = (c ?? e) as NonNullable<typeof c> | NonNullable<typeof e>;
            const lengths = Array.from({ length: count }, () =>
              isElastic ? Math.floor(pe.random() * 90) : 24,
            );
            const dests = Uint32Array.from(lengths, () => Math.floor(pe.random() * pe.size));
            const largest = isElastic ? 104 : 24;
            const offsets = new Uint32Array(count + 1);
            for (const [k, length] of lengths.entries()) offsets[k + 1] = offsets[k] + length;
            const data = new Uint8Array(offsets[count]);
            yield* belt.begin();
            let i = 0;
            let got = 0;
            while (yield* belt.advance(i === count)) {
              if (byColumns) {
                const end = Math.min(count, i + 17);
                i =
                  e !== null
                    ? e.pushAll(dests, data, offsets, i, end)
                    : (c as NonNullable<typeof c>).pushAll(dests, new Uint8Array(24 * count), i, end);
              } else {
                for (let k = 0; k < 17 && i < count; k++, i++) {
                  const item = data.subarray(offsets[i], offsets[i + 1]);
                  if (!belt.push(dests[i], item)) break;
                  assert.ok(
                    waiting(belt) <= Math.max(most, largest),
                    `${waiting(belt)} bytes wait, at most ${most}`,
                  );
                }
              }
              assert.ok(
                waiting(belt) <= Math.max(most, largest),
                `${waiting(belt)} bytes wait, at most ${most}`,
              );
              while (belt.pull()) got++;
            }
            byCapacity += belt.stats().sentFor.capacity;
            yield* belt.reset();
            return got;
          });
        }),
        { numRuns: 25, endOnFailure: true },
      );
      assert.ok(byCapacity > 50, `${byCapacity}`);
    },
  );
}

// --- options, explanations ------------------------------------------------------------

sending("options that are none, or cannot be together", () => {
  const refused = (options: object, message: RegExp) =>
    assert.throws(
      () =>
        simulate({ pes: 2 }, function* (pe: SimulatedPE) {
          pe.conveyor(u32, options);
          yield* pe.turn();
        }),
      (error: Error) => {
        const cause = (error.cause ?? error) as Error;
        return cause instanceof UsageError && message.test(cause.message);
      },
    );
  refused({ threshold: 0 }, /^threshold: expected a fraction of a buffer: above 0, at most 1, got 0/);
  refused({ threshold: "half" }, /^threshold: expected/);
  refused({ cutoff: -0.1 }, /^cutoff: expected a fraction of a buffer: from 0 to 1, got -0\.1/);
  refused(
    { threshold: 0.6, cutoff: 0.5 },
    /^threshold, cutoff: expected a sum of at most 1, got 0\.6 \+ 0\.5\. .*leave one out/,
  );
  refused({ maxDelay: -1 }, /^maxDelay: expected milliseconds >= 0, got -1/);
  refused({ maxDelay: Number.POSITIVE_INFINITY }, /^maxDelay: expected milliseconds >= 0/);
  refused({ maxBufferedBytes: 0 }, /^maxBufferedBytes: expected a number of bytes > 0/);
  refused({ type: "trivial", maxDelay: 1 }, /^maxDelay: a trivial conveyor sends each item by itself/);
});

sending("explain says when buffers are sent early; plans have it, and options come before them", () => {
  simulate({ pes: 4 }, function* (pe: SimulatedPE) {
    const text = (options: ConveyorOptions) => pe.conveyor(u32, options).explain();
    assert.not.match(text({}), /a buffer is sent/);
    assert.match(
      text({ threshold: 0.5, maxDelay: 1, maxBufferedBytes: 4096, hops: 2 }),
      /a buffer is sent 50 % full, after 1 ms in all 2 hops, the fullest one when 4 KiB in all 2 hops wait/,
    );
    assert.match(
      text({ plan: { maxDelay: 2, cutoff: 0.25 } }),
      /a buffer is sent with an item longer than 25 % of it, after 2 ms/,
    );
    assert.match(text({ maxDelay: 3, plan: { maxDelay: 2 } }), /after 3 ms/);
    const open = text({ threshold: 0.9, plan: { cutoff: 0.25 } });
    assert.match(open, /cutoff: open, for a threshold of 0\.9, given at the call, not 0\.25/);
    assert.match(open, /a buffer is sent 90 % full/);
    yield* pe.turn();
  });
});

sending("on threads: a stream with pauses, urgent items, and flushes while the receiver waits", async () => {
  const results = await launch<{ delay: number; flush: number; got: number }>(
    sibling("../programs/sending.program.js", import.meta.url),
    { pes: 3, timeout: 60_000 },
  );
  for (const { delay, flush, got } of results) {
    assert.is(got, 3 * 200);
    assert.ok(delay > 0 && flush > 0, `${delay} ${flush}`);
  }
});

sending.run();
