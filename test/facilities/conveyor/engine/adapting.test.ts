/** The option adapt: what it comes to for rates, links without room and pauses; that all items arrive, within the memory. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Adapting } from "../../../../src/facilities/conveyor/engine/adapting.ts";
import type { Outbox } from "../../../../src/facilities/conveyor/engine/outbox.ts";
import { sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import { bytes, u32 } from "../../../../src/ground/item/item-type.ts";
import { storedBytes } from "../../../../src/route/geometry/conveyor-choice.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";
import { watched } from "../support/watched.ts";

const adapting = suite("adapt");

const ROOM = 2 ** 20;
const ALPHA = 500;
/** Of four links: links alpha / 0.005, ms. */
const D = 0.4;

/** A message of 4 to 28 bytes that says a number. */
function message(i: number): Uint8Array {
  const words = new Uint32Array(1 + (i % 7));
  words[0] = i;
  return new Uint8Array(words.buffer);
}

/** An outbox of four links that only counts. */
function hop(most = Number.POSITIVE_INFINITY) {
  const outbox = { links: 4, whole: ROOM, filled: -1, bytes: 0 };
  const seen = {
    ...outbox,
    pushed: () => seen.bytes,
    fillTo: (most: number) => {
      seen.filled = Math.min(ROOM, most);
    },
  };
  return { outbox: seen, adapting: new Adapting([seen as unknown as Outbox], [ALPHA], most, false) };
}

adapting("the size follows the rate; before an estimate, and with more than there is room for, all is filled", () => {
  const { outbox, adapting: it } = hop();
  it.begin(0);
  assert.is(outbox.filled, ROOM);
  assert.equal(it.read(), [{ bytes: ROOM, delay: 2 * D, rate: 0, changed: 0 }]);
  assert.is(hop(D / 2).adapting.read()[0]?.delay, D / 2);
  // bytes per ms: a gigabyte a second is 100 KB for each link, as in the head of adapting.ts
  let now = 0;
  for (const [rate, expected] of [
    [1e6, 100_000],
    [1e4, 1000],
    [10, 1],
    [1e9, ROOM],
  ]) {
    for (let i = 0; i < 60; i++) {
      now += D;
      outbox.bytes += rate * D;
      it.look(now);
    }
    assert.ok(Math.abs(outbox.filled - expected) <= expected / 8, `${rate}: ${outbox.filled}, ${expected}`);
    const [{ rate: told }] = it.read();
    assert.ok(Math.abs(told / (rate * 1000) - 1) < 0.01, `${told}`);
  }
});

adapting("a pause is no rate, and looks that come too early change nothing", () => {
  const { outbox, adapting: it } = hop();
  it.begin(0);
  outbox.bytes = 1e6 * D;
  it.look(D / 2);
  assert.is(it.read()[0].rate, 0);
  it.look(D);
  const [before] = it.read();
  assert.ok(Math.abs(before.rate - 1e9) < 1);
  for (let i = 2; i < 100; i++) it.look(i * D);
  assert.equal(it.read(), [before]);
});

adapting("hops that items enter at any of have the same size", () => {
  const [first, second] = [hop().outbox, hop().outbox];
  const it = new Adapting([first, second] as unknown as Outbox[], [ALPHA, ALPHA], Number.POSITIVE_INFINITY, true);
  it.begin(0);
  first.bytes = 1e6 * D;
  second.bytes = 1e5 * D;
  it.look(D);
  assert.equal([first.filled, second.filled], [100_000, 100_000]);
});

adapting("all items arrive in order, in buffers that hold no more than they were made for, in any schedule", () => {
  let early = 0;
  let whole = 0;
  const runs = fc.record({
    pes: fc.integer({ min: 1, max: 9 }),
    way: fc.constantFrom<ConveyorOptions>(
      { hops: 1 },
      { hops: 2 },
      { hops: 3, steady: true },
      { hops: 1, buffersPerLink: 1 },
      { hops: 2, maxBufferedBytes: 300 },
      { hops: 1, threshold: 0.5 },
      { hops: 1, discipline: "token" },
      { hops: 2, compress: true },
    ),
    form: fc.constantFrom("rigid", "elastic", "columns"),
    bufferBytes: fc.constantFrom(64, 256, 1024),
    gap: fc.constantFrom(0, 3000, 30_000),
    seed: fc.integer({ min: 1, max: 1e6 }),
  });
  fc.assert(
    fc.property(runs, ({ pes, way, form, bufferBytes, gap, seed }) => {
      const options = { ...way, bufferBytes, adapt: true };
      const sent = watched(() => {
        simulate({ pes, seed, timeout: 60_000 }, function* (pe: SimulatedPE) {
          const last = new Int32Array(pe.size).fill(-1);
          const items = 240;
          const rigid = form === "elastic" ? null : pe.conveyor(u32, options);
          const elastic = form === "elastic" ? pe.elasticConveyor(options) : null;
          const c = (rigid ?? elastic) as NonNullable<typeof rigid> | NonNullable<typeof elastic>;
          const took = (from: number, i: number) => {
            assert.ok(i > last[from], `seed ${seed}: ${i} after ${last[from]}`);
            last[from] = i;
          };
          const push = (dest: number, i: number): number => {
            if (elastic !== null) return elastic.push(dest, message(i)) ? 1 : 0;
            if (form === "rigid" || rigid === null) return rigid?.push(dest, i) ? 1 : 0;
            const two = Uint32Array.of(i, i + 1).subarray(0, items - i);
            return rigid.pushAll(new Uint32Array(two.length).fill(dest), two);
          };
          let pulled = 0;
          for (let session = 0; session < 3; session++) {
            yield* c.begin();
            last.fill(-1);
            let i = 0;
            while (yield* c.advance(i >= items)) {
              // fast, then slow
              pe.work(i > items / 2 ? gap : gap / 50);
              for (let k = 0; k < 8 && i < items; k++) {
                const done = push((i >> 1) % pe.size, i);
                if (done === 0) break;
                i += done;
              }
              for (; rigid?.pull(); pulled++) took(rigid.from, rigid.item as number);
              for (; elastic?.pull(); pulled++)
                took(elastic.from, new DataView(elastic.bytes.slice().buffer).getUint32(0, true));
            }
            yield* c.reset();
          }
          const { adapted, cumulative } = c.stats();
          assert.is(cumulative.pushes, 3 * items);
          assert.is(cumulative.pulls, pulled);
          assert.is(adapted?.length, sessionOf(c).machinery.choice.route.hops);
          for (const { bytes: most, delay, rate } of adapted ?? []) {
            assert.ok(most >= 0 && most <= storedBytes(bufferBytes) && delay > 0 && rate >= 0);
            if (most < storedBytes(bufferBytes) / 4) early++;
            else whole++;
          }
          c.free();
        });
      });
      for (const { bytes: used, fill } of sent) assert.ok(fill <= 1 && used <= storedBytes(bufferBytes));
    }),
    { numRuns: 60, endOnFailure: true },
  );
  assert.ok(early > 30 && whole > 30, `${early} hops with small buffers, ${whole} with whole ones`);
});

adapting(
  "a slow stream has little delay, a fast one whole buffers; the memory is that of the conveyor without it",
  () => {
    const run = (gap: number, adapt: boolean) => {
      let age = 0;
      let buffers = 0;
      let peak = 0;
      let time = 0;
      const sent = watched(() => {
        const result = simulate({ pes: 8, nodes: 2, seed: 1 }, function* (pe: SimulatedPE) {
          const c = pe.conveyor(bytes(16), { bufferBytes: 4096, adapt });
          yield* c.begin();
          for (let i = 0; i < 10_000; ) {
            pe.work(gap);
            if (c.push(i % pe.size, new Uint8Array(16))) i++;
            yield* c.advance();
            while (c.pull());
          }
          while (yield* c.advance(true)) while (c.pull());
          yield* c.reset();
        });
        peak = Math.max(...result.conveyors[0].hops.map(({ peakBufferBytes }) => peakBufferBytes));
        time = result.time;
      });
      for (const { opened, sent: at } of sent) age += at - opened;
      buffers = sent.length;
      return { age: age / buffers, buffers, peak, time };
    };
    const [slow, slowFixed] = [run(2000, true), run(2000, false)];
    assert.ok(slow.age < slowFixed.age / 2, `age ${slow.age} and ${slowFixed.age} ms`);
    assert.ok(slow.time < slowFixed.time * 1.05, `${slow.time} and ${slowFixed.time} ns`);
    const [fast, fastFixed] = [run(0, true), run(0, false)];
    assert.ok(fast.time < fastFixed.time * 1.05, `${fast.time} and ${fastFixed.time} ns`);
    // two buffers for each link
    assert.ok(Math.max(slow.peak, fast.peak) <= 8 * 2 * storedBytes(4096));
  },
);

adapting(
  "an item that nothing follows arrives while PEs advance, also where links have one buffer or a discipline",
  () => {
    for (const way of [{}, { buffersPerLink: 1 }, { discipline: "token" }, { hops: 2 }] as ConveyorOptions[]) {
      const { results } = simulate({ pes: 4, timeout: 60_000 }, function* (pe: SimulatedPE) {
        const c = pe.conveyor(u32, { ...way, adapt: true });
        yield* c.begin();
        let got = 0;
        for (let round = 1; round <= 5; round++) {
          for (let dest = 0; dest < pe.size; dest++) while (!c.push(dest, round)) yield* c.advance();
          while (got < round * pe.size) {
            yield* c.advance();
            while (c.pull()) got++;
          }
        }
        while (yield* c.advance(true)) while (c.pull()) got++;
        yield* c.reset();
        return got;
      });
      assert.equal(results, [20, 20, 20, 20]);
    }
  },
);

adapting("types that do not send buffers one by one are refused; it is in explain", () => {
  for (const type of ["simple", "trivial"] as const) {
    assert.throws(
      () =>
        simulate({ pes: 2 }, function* (pe: SimulatedPE) {
          pe.conveyor(u32, { type, adapt: true });
          yield;
        }),
      new RegExp(`adapt: expected type "tensor", whose buffers are sent one by one, got "${type}"`),
    );
  }
  const { results } = simulate({ pes: 2 }, function* (pe: SimulatedPE) {
    const [off, on] = [pe.conveyor(u32), pe.conveyor(u32, { adapt: true })];
    yield;
    return [off.stats().adapted, off.explain(), on.explain()] as const;
  });
  const [adapted, off, on] = results[0];
  assert.is(adapted, null);
  assert.match(on, /when a buffer is sent follows the traffic/);
  assert.not.match(off, /follows the traffic/);
});

adapting.run();
