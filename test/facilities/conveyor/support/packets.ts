/** Items of any length, pushed and pulled as columns or one by one: all arrive, in order, whatever way. */
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { mix } from "./payloads.ts";
import type { Play, Seat } from "./seats.ts";

export interface PacketTrial {
  readonly type: "tensor" | "simple";
  readonly hops: 1 | 2 | 3;
  readonly bufferBytes: number;
  readonly compress: boolean;
  /** Lengths of most items, and whether some are larger than a buffer. */
  readonly most: number;
  readonly oversized: boolean;
  readonly count: number;
  readonly seed: number;
}

export const packetTrials: fc.Arbitrary<PacketTrial> = fc.record({
  type: fc.constantFrom("tensor", "tensor", "simple"),
  hops: fc.constantFrom(1, 2, 3),
  bufferBytes: fc.constantFrom(16, 64, 200, 1000),
  compress: fc.boolean(),
  most: fc.constantFrom(0, 3, 12, 40, 300),
  oversized: fc.boolean(),
  count: fc.oneof(fc.nat(20), fc.nat(300)),
  seed: fc.nat(),
});

const optionsOf = ({ type, hops, bufferBytes, compress }: PacketTrial): ConveyorOptions =>
  type === "simple" ? { type, bufferBytes } : { hops, bufferBytes, compress };

/** Bytes of item i from a PE. */
function lengthAt({ seed, most, oversized, bufferBytes }: PacketTrial, from: number, i: number): number {
  const h = mix(seed, from, i, 5);
  if (oversized && h % 40 === 0) return bufferBytes + 1 + (h % 700);
  return Math.min(bufferBytes, h % (most + 1));
}

const byteAt = (from: number, i: number, k: number): number => mix(from, i, k) & 0xff;

/** Makes arrays for columns. */
export interface MakeArrays {
  bytes(length: number): Uint8Array;
  words(length: number): Uint32Array;
}

/** Plays a trial, twice with one conveyor. */
export function* passPackets(pe: Seat, trial: PacketTrial, make: MakeArrays): Play {
  const { rank, size } = pe;
  const { count, seed } = trial;
  const destOf = (from: number, i: number) => mix(seed, from, i) % size;
  const dests = make.words(count);
  // what is before the first item belongs to none
  const gap = seed % 5;
  const offsets = make.words(count + 1);
  offsets[0] = gap;
  for (let i = 0; i < count; i++) {
    dests[i] = destOf(rank, i);
    offsets[i + 1] = offsets[i] + lengthAt(trial, rank, i);
  }
  const bytes = make.bytes(offsets[count] + gap);
  for (let i = 0; i < count; i++) {
    for (let at = offsets[i]; at < offsets[i + 1]; at++) bytes[at] = byteAt(rank, i, at - offsets[i]);
  }
  const c = pe.elasticConveyor(optionsOf(trial));
  let turn = 0;
  const luck = (n: number) => mix(seed, rank, 7, ++turn) % n;
  for (let session = 0; session < 2; session++) {
    const next = new Int32Array(size);
    let come = 0;
    /** Of each sender the items that come here, in order. */
    const check = (from: number, item: Uint8Array): void => {
      while (destOf(from, next[from]) !== rank) next[from]++;
      const i = next[from]++;
      assert.ok(i < count, `one more from ${from}`);
      assert.is(item.length, lengthAt(trial, from, i), `length of item ${i} from ${from}`);
      assert.ok(
        item.every((byte, k) => byte === byteAt(from, i, k)),
        `item ${i} from ${from}`,
      );
      come++;
    };
    yield* c.begin();
    for (let i = 0; yield* c.advance(i === count); ) {
      if (luck(4) === 0 && i < count && c.push(dests[i], bytes.subarray(offsets[i], offsets[i + 1]))) i++;
      const end = Math.min(count, i + luck(80));
      const after = c.pushAll(dests, bytes, offsets, i, end);
      assert.ok(after >= i && after <= end);
      i = after;
      if (luck(3) === 0 && c.pull()) {
        if (luck(2) === 0) check(c.from, c.bytes);
        else assert.is(c.unpull(), true);
      }
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
        const { bytes: all, offsets: ends, from } = batch;
        assert.equal([ends[0], ends.length, from.length], [0, batch.count + 1, batch.count]);
        assert.is(all.length, ends[batch.count]);
        for (let k = 0; k < batch.count; k++) check(from[k], all.subarray(ends[k], ends[k + 1]));
        // the last one is shown as after a pull
        assert.is(c.from, from[batch.count - 1]);
        assert.equal(c.bytes, all.subarray(ends[batch.count - 1]));
        assert.is(c.unpull(), false);
        if (luck(3) === 0) break;
      }
    }
    const { pushes, pulls, unpulls } = c.stats();
    assert.equal([pushes, pulls - unpulls], [count, come]);
    yield* c.reset();
    for (let from = 0; from < size; from++) {
      while (next[from] < count && destOf(from, next[from]) !== rank) next[from]++;
      assert.is(next[from], count, `all items from ${from}`);
    }
  }
  c.free();
}
