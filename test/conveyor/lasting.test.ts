/** What was pulled stays as it is, and so does who sent it, until the next pull: whatever advances bring meanwhile. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { StateError } from "../../src/base/errors.ts";
import type { ConveyorOptions } from "../../src/conveyor/geometry/options.ts";
import { bytes, f64, struct, u32 } from "../../src/item/types.ts";
import { type SimulatedPE, simulate } from "../../src/simulate/simulate.ts";

const lasting = suite("what was pulled lasts");

const COUNT = 400;
const PES = 4;
const kinds: readonly ConveyorOptions[] = [
  {},
  { type: "simple" },
  { type: "trivial" },
  { hops: 2, groupSize: 2 },
];

for (const options of kinds) {
  lasting(`an item and who sent it, over advances: ${JSON.stringify(options)}`, () => {
    simulate({ pes: PES, timeout: 1000 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(struct({ from: u32, i: u32 }), { bufferBytes: 64, ...options });
      yield* c.begin();
      let pulled = 0;
      let shown: readonly [number, number] | null = null;
      for (let i = 0; yield* c.advance(i === COUNT); ) {
        if (shown !== null) assert.equal([c.from, c.item.from, c.item.i], [shown[0], ...shown]);
        for (; i < COUNT; i++) if (!c.push(i % PES, pe.rank, i)) break;
        // up to a pull that says false, which leaves what was pulled before
        for (; c.pull(); pulled++) {
          shown = [c.item.from, c.item.i];
          assert.is(c.from, c.item.from);
        }
      }
      assert.is(pulled, COUNT);
      yield* c.reset();
    });
  });

  lasting(`a batch that was pulled after a pull that said false: ${JSON.stringify(options)}`, () => {
    simulate({ pes: PES, timeout: 1000 }, function* (pe: SimulatedPE) {
      const c = pe.conveyor(u32, { bufferBytes: 64, ...options });
      yield* c.begin();
      let pulled = 0;
      for (let i = 0, batch: ReturnType<typeof c.pullAll> = null; ; ) {
        const before = batch === null ? [] : [...batch.columns];
        const status = yield* c.advance(i === COUNT);
        if (batch !== null) {
          assert.equal([...batch.columns], before);
          assert.equal(
            [...batch.from],
            before.map((item) => Math.floor(item / COUNT)),
          );
        }
        if (status === 0) break;
        for (; i < COUNT; i++) if (!c.push(i % PES, pe.rank * COUNT + i)) break;
        for (; c.pull(); pulled++);
        batch = c.pullAll();
        pulled += batch?.count ?? 0;
      }
      assert.is(pulled, COUNT);
      yield* c.reset();
    });
  });
}

for (const window of [2, 3, 50]) {
  lasting(`a reply, over pushes and advances: window ${window}`, () => {
    simulate({ pes: PES, timeout: 1000 }, function* (pe: SimulatedPE) {
      const c = pe.biconveyor(u32, u32, (x) => x, { window });
      yield* c.begin();
      let pulled = 0;
      for (let i = 0; yield* c.advance(i === COUNT); ) {
        if (pulled > 0) assert.is(c.item, pulled - 1);
        for (; i < COUNT; i++) if (!c.push(i % PES, i)) break;
        if (c.pull()) assert.is(c.item, pulled++);
      }
      assert.is(pulled, COUNT);
      yield* c.reset();
    });
  });
}

lasting("an answer that is one Buffer, which is used again while the reply waits for room", () => {
  simulate({ pes: PES, timeout: 1000 }, function* (pe: SimulatedPE) {
    const answer = Buffer.alloc(40);
    const rigid = pe.biconveyor(u32, bytes(40), (x) => answer.fill(x & 127), { bufferBytes: 64 });
    const elastic = pe.elasticBiconveyor((x) => answer.fill(x[0]), { bufferBytes: 128 });
    for (const [c, push, show] of [
      [rigid, (i: number) => rigid.push(i % PES, i), () => rigid.item],
      [elastic, (i: number) => elastic.push(i % PES, Uint8Array.of(i & 127)), () => elastic.bytes],
    ] as const) {
      yield* c.begin();
      let pulled = 0;
      for (let i = 0; yield* c.advance(i === COUNT); ) {
        answer.fill(255);
        for (; i < COUNT; i++) if (!push(i)) break;
        for (; c.pull(); pulled++) assert.ok(show().every((byte) => byte === (pulled & 127)));
      }
      assert.is(pulled, COUNT);
      yield* c.reset();
    }
  });
});

lasting("functions that were taken off before begin changed the items are refused", () => {
  simulate({ pes: 1, timeout: 1000 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(f64);
    yield* c.begin();
    const { push, pull } = c;
    while (yield* c.advance(true));
    yield* c.reset();
    yield* c.begin(u32);
    for (const value of [7, 8]) c.push(0, value as never);
    while (yield* c.advance(true)) {
      assert.throws(pull, (e: unknown) => e instanceof StateError && /taken before begin/.test(e.message));
      assert.throws(
        () => push(0, 1),
        (e: unknown) => e instanceof StateError,
      );
      while (c.pull());
    }
    assert.is(c.stats().pulls, 2);
    yield* c.reset();
  });
});

for (const [wrong, words] of [
  [undefined, "u32; sending it: push: expected a rank and u32, got (0, undefined)"],
  ["1", 'u32; sending it: push: expected a rank and u32, got (0, "1")'],
] as const) {
  lasting(`an answer that is no reply: ${words}`, () => {
    simulate({ pes: 1, timeout: 1000 }, function* (pe: SimulatedPE) {
      let answers = 0;
      const c = pe.biconveyor(u32, u32, () => (++answers === 1 ? (wrong as never) : 5));
      yield* c.begin();
      c.push(0, 1);
      let told = "";
      for (let more = true; more; ) {
        try {
          more = Boolean(yield* c.advance(true));
        } catch (error) {
          told = (error as Error).message;
        }
        if (c.pull()) assert.is(c.item, 5);
      }
      // it was asked again
      assert.is(answers, 2);
      assert.match(told, `expected the answer to be ${words}`);
      yield* c.reset();
    });
  });
}

lasting.run();
