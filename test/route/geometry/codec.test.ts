/** Compression: lossless or not at all. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { bytes, u64 } from "../../../src/ground/item/item-type.ts";
import { viewsOf } from "../../../src/ground/item/views.ts";
import { type Codec, constantBits, Squeezer } from "../../../src/route/geometry/codec.ts";
import { rigidWares, stream } from "../../facilities/conveyor/support/client.ts";
import { kindOf, mix } from "../../facilities/conveyor/support/payloads.ts";
import { playVirtually } from "../../facilities/conveyor/support/seats.ts";
import { rounds } from "../../support/long.ts";

/** What comes back, and in how many bytes it went; 0 when it was declined. */
function roundTrip(items: Uint8Array, itemBytes: number): number {
  const target = new Uint8Array(items.length + 64).fill(0xaa);
  const before = items.slice();
  const squeezed = constantBits.compress(items, itemBytes, target);
  assert.equal(items, before, "compress changes nothing");
  if (squeezed === 0) return 0;
  assert.ok(squeezed < items.length, `${squeezed} of ${items.length} bytes`);
  const back = new Uint8Array(items.length).fill(0x55);
  constantBits.decompress(target.slice(0, squeezed), itemBytes, back);
  assert.equal(back, before);
  return squeezed;
}

const codecs = suite("compression");

const shape = fc.record({
  itemBytes: fc.integer({ min: 1, max: 40 }),
  count: fc.integer({ min: 1, max: 60 }),
});

codecs("any data comes back", () => {
  fc.assert(
    fc.property(shape, fc.infiniteStream(fc.integer({ min: 0, max: 255 })), ({ itemBytes, count }, data) => {
      roundTrip(
        Uint8Array.from({ length: itemBytes * count }, () => data.next().value),
        itemBytes,
      );
    }),
    { numRuns: rounds(150, 300) },
  );
});

codecs("data with few bits that vary comes back, smaller", () => {
  fc.assert(
    fc.property(
      shape,
      fc.uint8Array({ minLength: 40, maxLength: 40 }),
      fc.uint8Array({ minLength: 40, maxLength: 40 }),
      fc.integer(),
      ({ itemBytes, count }, constant, mask, seed) => {
        // few ones in the mask
        const few = mask.map((byte, i) => byte & mask[(i + 1) % 40] & mask[(i + 2) % 40]);
        const items = Uint8Array.from({ length: itemBytes * count }, (_, at) => {
          const byte = at % itemBytes;
          return (constant[byte] & ~few[byte]) | (mix(seed, at) & few[byte]);
        });
        const ones = few
          .subarray(0, itemBytes)
          .reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
        const most = 2 * itemBytes + Math.ceil((ones * count) / 8);
        const squeezed = roundTrip(items, itemBytes);
        if (count >= 3 && most < items.length) assert.ok(squeezed > 0 && squeezed <= most);
      },
    ),
    { numRuns: rounds(200, 500) },
  );
});

codecs("constants take no more than their mask and stamp, counters their low bits", () => {
  assert.is(roundTrip(new Uint8Array(8000).fill(7), 8), 16);
  const counter = new Uint8Array(BigUint64Array.from({ length: 1000 }, (_, i) => BigInt(i) + (5n << 40n)).buffer);
  assert.is(roundTrip(counter, 8), 16 + 1250);
});

codecs("what does not become smaller is left alone", () => {
  const random = Uint8Array.from({ length: 8000 }, (_, i) => mix(i));
  assert.is(roundTrip(random, 8), 0);
  assert.is(roundTrip(new Uint8Array(16), 8), 0);
  assert.is(roundTrip(new Uint8Array(0), 8), 0);
});

const KINDS = [1, 3, 8, 24, 128];

codecs("buffers that are compressed and buffers that are not, in 2 and 3 hops", () => {
  for (const [i, hops] of ([2, 3, 2, 3] as const).entries()) {
    let saved = 0;
    for (const size of KINDS) {
      playVirtually({ pes: 12, nodes: 2, seed: i }, function* (pe) {
        const kind = kindOf(size);
        const c = pe.conveyor(kind.item, {
          hops,
          groupSize: hops === 2 ? 4 : 2,
          compress: true,
          bufferBytes: 512,
        });
        assert.ok(c.features.compressed);
        yield* c.begin();
        yield* stream(c, rigidWares(c as never, kind, i < 2), {
          pattern: "ring",
          count: 300,
          seed: 5,
          low: i < 2,
          reject: 0.1,
        });
        yield* c.reset();
        const stats = c.stats();
        saved += stats.saved;
        assert.ok(stats.saved <= stats.bytes * 100);
      });
    }
    assert.ok(i < 2 ? saved > 10_000 : true, `saved ${saved} bytes`);
  }
});

codecs("nothing is compressed in one hop", () => {
  playVirtually({ pes: 3 }, function* (pe) {
    const c = pe.conveyor(u64, { compress: true });
    assert.is(c.features.compressed, false);
    yield* pe.turn();
  });
});

const nothing: Codec = { compress: () => 0, decompress: () => {} };

codecs("a codec that returns nonsense is refused, and touches no memory", () => {
  const views = viewsOf(new ArrayBuffer(4096));
  for (const answer of [-1, Number.NaN, 0.5, 513, 1e9, Number.POSITIVE_INFINITY, "8", undefined, null, 8n]) {
    views.u8.fill(3);
    const squeezer = new Squeezer(views, { ...nothing, compress: () => answer as number }, 1024, 512);
    assert.throws(
      () => squeezer.compress(0, 256, 8),
      (error: unknown) => error instanceof UsageError && /compress: expected the codec/.test(error.message),
      String(answer),
    );
    assert.ok(views.u8.every((byte) => byte === 3));
    assert.is(squeezer.saved, 0);
  }
});

codecs("a codec that throws ends the session with its error", () => {
  for (const compress of [
    () => -7,
    () => {
      throw new RangeError("no");
    },
  ]) {
    assert.throws(
      () =>
        playVirtually({ pes: 4 }, function* (pe) {
          const options = {
            hops: 2,
            groupSize: 2,
            bufferBytes: 128,
            compress: { ...nothing, compress },
          } as const;
          const c = pe.conveyor(bytes(8), options);
          yield* c.begin();
          for (let i = 0; yield* c.advance(i === 200); ) {
            for (; i < 200 && c.push(i % 4, new Uint8Array(8)); i++);
            while (c.pull());
          }
        }),
      (error: Error) => error instanceof UsageError || error instanceof RangeError,
    );
  }
});

codecs("what is no codec is refused when the conveyor is made", () => {
  for (const compress of [1, "yes", {}, { compress() {} }, null, () => {}]) {
    assert.throws(
      () =>
        playVirtually({ pes: 1 }, function* (pe) {
          yield;
          pe.conveyor(u64, { compress: compress as never });
        }),
      /compress: expected true, false, or a codec/,
      String(compress),
    );
  }
});

codecs.run();
