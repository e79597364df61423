/** Items of any length as columns: nothing is lost, doubled or out of order; and what cannot be pushed. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OverflowError, RankRangeError, StateError, UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";
import { rounds } from "../../../support/long.ts";
import { testInTurn } from "../../../support/test-in-turn.ts";
import type { Args } from "../programs/packets.program.ts";
import { packetTrials, passPackets } from "../support/packets.ts";
import { playVirtually } from "../support/seats.ts";

const program = sibling("../programs/packets.program.js", import.meta.url);

const packets = suite("packets by columns");

packets("any items, virtual PEs", () => {
  const make = { bytes: (n: number) => new Uint8Array(n), words: (n: number) => new Uint32Array(n) };
  fc.assert(
    fc.property(packetTrials, fc.constantFrom(1, 2, 3, 4, 6), (trial, pes) => {
      playVirtually({ pes, seed: trial.seed, timeout: 1000 }, (pe) => passPackets(pe, trial, make));
    }),
    { numRuns: rounds(75, 30_000) },
  );
});

for (const pes of [1, 3, 4]) {
  testInTurn<Args>(packets, program, pes, [
    ["arrays in the heap and elsewhere", { part: "pass", trials: rounds(6, 40) }, 0],
  ]);
}

packets("in a state that does not admit it", () => {
  simulate({ pes: 1 }, function* (pe: SimulatedPE) {
    const c = pe.elasticConveyor();
    const one = [Uint32Array.of(0), Uint8Array.of(7), Uint32Array.of(0, 1)] as const;
    const illegal = (act: () => unknown) => assert.throws(act, (e: unknown) => e instanceof StateError);
    illegal(() => c.pushAll(...one));
    illegal(() => c.pullAll());
    yield* c.begin();
    assert.is(c.pullAll(), null);
    assert.is(c.pushAll(...one), 1);
    let come = 0;
    for (let isOn = true; isOn; ) {
      isOn = (yield* c.advance(true)) !== 0;
      illegal(() => c.pushAll(...one));
      // a loop that goes on has nothing to push
      assert.is(c.pushAll(...one, 1), 1);
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) come += batch.bytes[0];
    }
    assert.is(come, 7);
    assert.is(c.pullAll(), null);
    yield* c.reset();
  });
});

packets("what is no column is refused, and what cannot be pushed stops the others before it does so itself", () => {
  simulate({ pes: 2, memoryBytes: 2 ** 21 }, function* (pe: SimulatedPE) {
    const c = pe.elasticConveyor({ bufferBytes: 64 });
    const dests = Uint32Array.of(1, 0, 2, 1);
    const bytes = new Uint8Array(20);
    const offsets = Uint32Array.of(0, 5, 9, 12, 20);
    yield* c.begin();
    const refused = (act: () => unknown, text: RegExp): void =>
      assert.throws(act, (e: unknown) => e instanceof UsageError && text.test(e.message));
    refused(() => c.pushAll([1] as never, bytes, offsets), /dests: expected a Uint32Array of ranks, got Array/);
    refused(() => c.pushAll(dests, "text" as never, offsets), /bytes: expected a Uint8Array .*, got "text"/);
    const gone = new Uint8Array(8);
    structuredClone(gone, { transfer: [gone.buffer] });
    refused(() => c.pushAll(Uint32Array.of(0), gone, new Uint32Array(2)), /that is not detached/);
    refused(
      () => c.pushAll(dests, bytes, dests),
      /offsets: expected a Uint32Array of at least 5 offsets, got Uint32Array of length 4/,
    );
    refused(() => c.pushAll(dests, bytes, offsets, 3, 2), /0 <= first <= end <= 4, got 3 and 2/);
    refused(() => c.pushAll(dests, bytes, offsets, 0, 5), /0 <= first <= end <= 4, got 0 and 5/);
    // the third has no rank
    assert.is(c.pushAll(dests, bytes, offsets), 2);
    assert.throws(
      () => c.pushAll(dests, bytes, offsets, 2),
      (e: unknown) => e instanceof RankRangeError,
    );
    // of these the second and the third have no bytes
    const wrong = Uint32Array.of(0, 5, 2, 30, 20);
    const to0 = new Uint32Array(4);
    assert.is(c.pushAll(to0, bytes, wrong), 1);
    refused(() => c.pushAll(to0, bytes, wrong, 1), /item 1 within the 20 bytes, got it from 5 to 2/);
    refused(() => c.pushAll(to0, bytes, wrong, 2), /item 2 within the 20 bytes, got it from 2 to 30/);
    refused(() => c.pushAll(to0, bytes, wrong, 3), /got it from 30 to 20/);
    // of these the second one ends behind them
    assert.is(c.pushAll(to0, bytes, Uint32Array.of(0, 5, 30, 30, 30)), 1);
    // larger than the memory: the one before it goes
    const large = new Uint8Array(2 ** 22);
    const two = Uint32Array.of(0, 3, 2 ** 22);
    assert.is(c.pushAll(to0.subarray(2), large, two), 1);
    assert.throws(
      () => c.pushAll(to0.subarray(2), large, two, 1),
      (e: unknown) => e instanceof OverflowError,
    );
    const lengths: number[] = [];
    while (yield* c.advance(true)) {
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
        for (let i = 0; i < batch.count; i++) lengths.push(batch.offsets[i + 1] - batch.offsets[i]);
      }
    }
    yield* c.reset();
    assert.is(c.stats().pushes, 5);
    assert.equal(lengths.toSorted(), pe.rank === 0 ? [3, 3, 4, 4, 5, 5, 5, 5] : [5, 5]);
  });
});

packets.run();
