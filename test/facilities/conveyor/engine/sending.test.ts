/** When buffers are sent early: threshold, cutoff, maxBufferedBytes; what options may be together, and what is said of them. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type SessionFace, sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import { UsageError } from "../../../../src/ground/base/errors.ts";
import { bytes, u32 } from "../../../../src/ground/item/item-type.ts";
import { storedBytes } from "../../../../src/route/geometry/conveyor-choice.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { SendingOptions } from "../../../../src/route/geometry/sending.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";
import { watched } from "../support/watched.ts";

const sending = suite("when buffers are sent");

/** Bytes in the open buffers of the first hop. */
function waiting(c: SessionFace): number {
  const { outboxes } = sessionOf(c).machinery;
  let sum = 0;
  for (let link = 0; link < outboxes[0].links; link++) sum += outboxes[0].used(link);
  return sum;
}

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
        // a long item leaves with what is before it, if there is room for both; with padding, heads, and references of 16 bytes
        const limit = Math.max(threshold * b + 8 + most + 16, long > 0 ? storedBytes(b) : b + 16);
        for (const { bytes: size } of sent) assert.ok(size <= limit, `${size}`);
      }),
      {
        numRuns: 25,
        examples: [[{ threshold: 0.28125000000000006, share: 0.371, lengths: [273, 745], byColumns: false, hops: 1 }]],
      },
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

for (const isElastic of [false, true]) {
  sending(`no more than maxBufferedBytes wait, and the fullest leaves: ${isElastic ? "elastic" : "rigid"}`, () => {
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
          const lengths = Array.from({ length: count }, () => (isElastic ? Math.floor(pe.random() * 90) : 24));
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
                assert.ok(waiting(belt) <= Math.max(most, largest), `${waiting(belt)} bytes wait, at most ${most}`);
              }
            }
            assert.ok(waiting(belt) <= Math.max(most, largest), `${waiting(belt)} bytes wait, at most ${most}`);
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
  });
}

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

sending("PEs may differ in when they send: everything comes", () => {
  const ways: readonly ConveyorOptions[] = [{ threshold: 0.25 }, { cutoff: 0 }, { maxDelay: 0.001 }, {}];
  for (const options of [{ hops: 1 }, { hops: 2, groupSize: 2 }, { type: "simple" }] as const) {
    const { results } = simulate({ pes: 4 }, function* (pe) {
      const adapts = pe.rank === 3 && !("type" in options);
      const own = { ...options, ...ways[pe.rank], ...(adapts && { adapt: true }), bufferBytes: 64 };
      const c = pe.conveyor(u32, own);
      yield* c.begin();
      let sum = 0;
      let i = 0;
      do {
        while (i < 1000 && c.push(i % pe.size, i)) i++;
        while (c.pull()) sum += c.item;
      } while (yield* c.advance(i === 1000));
      while (c.pull()) sum += c.item;
      return sum;
    });
    // PE r gets 4 k + r, for k from 0 to 249, from each
    assert.equal(
      results,
      [0, 1, 2, 3].map((rank) => 4 * (4 * ((249 * 250) / 2) + 250 * rank)),
    );
  }
});

sending("explain says when buffers are sent early; plans have it, and options come before them", () => {
  simulate({ pes: 4 }, function* (pe: SimulatedPE) {
    const text = (options: ConveyorOptions) => pe.conveyor(u32, options).explain();
    assert.not.match(text({}), /a buffer is sent/);
    assert.match(
      text({ threshold: 0.5, maxDelay: 1, maxBufferedBytes: 4096, hops: 2 }),
      /a buffer is sent 50 % full, after 1 ms in all 2 hops, if it is the fullest when more than 4 KiB in all 2 hops would wait/,
    );
    assert.match(text({ cutoff: 0 }), /a buffer is sent at once with each item$/m);
    assert.match(text({ cutoff: 1e-6 }), /a buffer is sent at once with each item$/m);
    assert.match(text({ threshold: 1e-5 }), /a buffer is sent at once with each item$/m);
    const elastic = pe.elasticConveyor({ cutoff: 1e-6 });
    // of items of any length the other one follows
    assert.match(elastic.explain(), /a buffer is sent 99\.9999 % full, with an item longer than 0\.0001 % of it$/m);
    const half = (options: SendingOptions) => pe.elasticConveyor(options).explain();
    assert.match(half({ threshold: 0.9 }), /is sent 90 % full, with an item longer than 10 % of it$/m);
    assert.match(half({ threshold: 0.9999 }), /is sent 99\.99 % full, with an item longer than 0\.01 % of it$/m);
    assert.match(half({ cutoff: 0.999 }), /is sent 0\.1 % full, with an item longer than 99\.9 % of it$/m);
    for (const none of [{ threshold: 1 }, { cutoff: 1 }, {}]) assert.not.match(half(none), /a buffer is sent/);
    assert.match(
      text({ maxBufferedBytes: 1 }),
      /a buffer is sent if it is the fullest when more than 1 B would wait$/m,
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

sending.run();
