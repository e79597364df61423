/** Conveyors and what is not what it seems: answers used again, codecs that throw, lengths that lie, getters. */
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import { sessionOf } from "../../../src/facilities/conveyor/faces/session.ts";
import { MismatchError, RankLostError, type TundishError, UsageError } from "../../../src/ground/base/errors.ts";
import { bytes, i32, struct, u8, u32, u64 } from "../../../src/ground/item/item-type.ts";
import type { Codec } from "../../../src/route/geometry/codec.ts";
import { constantBits } from "../../../src/route/geometry/codec.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";

const hostile: Test = suite("what is not what it seems");

/** The error that a simulation ends with. */
function failure(program: (pe: SimulatedPE) => Generator<void, unknown, void>, pes = 4): TundishError {
  try {
    simulate({ pes, timeout: 1000 }, program);
  } catch (error) {
    return error as TundishError;
  }
  return assert.unreachable("the simulation ended well") as never;
}

hostile("the fields of a pushed object are read once, also when a buffer has to be opened for it", () => {
  const { results } = simulate({ pes: 2 }, function* (pe) {
    const c = pe.conveyor(struct({ inner: struct({ value: u32 }) }), { bufferBytes: 64 });
    let reads = 0;
    const inner = {
      get value() {
        return reads++;
      },
    };
    const got: number[] = [];
    let pushed = 0;
    yield* c.begin();
    while ((yield* c.advance(pushed === 100)) !== 0) {
      while (pushed < 100 && c.push(pe.rank, inner)) pushed++;
      while (c.pull()) got.push(c.item.inner.value);
    }
    yield* c.reset();
    // a push that finds no room has read them, too
    return (
      got.every((value, i) => i === 0 || value > (got[i - 1] as number)) &&
      got[0] === 0 &&
      got.length === 100 &&
      got[5] === 5
    );
  });
  assert.equal(results, [true, true]);
});

hostile("an answer may use its reply object again, also while replies wait for room", () => {
  const { results } = simulate({ pes: 4 }, function* (pe) {
    const scratch = { value: 0, twice: { value: 0 } };
    const answer = (query: number) => {
      scratch.value = query;
      scratch.twice.value = 2 * query;
      return scratch;
    };
    const reply = struct({ value: u32, twice: struct({ value: u32 }) });
    const options = { bufferBytes: 64, buffersPerLink: 1 } as const;
    const both = [0, 1].map(() => pe.biconveyor(u32, reply, answer, options));
    for (const one of both) yield* one.begin();
    const asked = [0, 0];
    const got = [0, 0];
    let wrong = 0;
    for (let going = 2; going > 0; ) {
      going = 0;
      for (const [k, c] of both.entries()) {
        if ((yield* c.advance(asked[k] === 500)) !== 0) going++;
        while (asked[k] < 500 && c.push((asked[k] + k) % pe.size, 1000 * k + asked[k])) asked[k]++;
        while (c.pull()) {
          const want = 1000 * k + got[k]++;
          if (c.item.value !== want || c.item.twice.value !== 2 * want) wrong++;
        }
      }
    }
    for (const one of both) yield* one.reset();
    return [wrong, ...got];
  });
  assert.equal(results, Array(4).fill([0, 500, 500]));
});

const throwing = (name: keyof Codec): Codec => {
  let left = 3;
  const fail = () => {
    if (left-- <= 0) throw new Error("spoilt");
  };
  return {
    compress(items, itemBytes, target) {
      if (name === "compress") fail();
      return constantBits.compress(items, itemBytes, target);
    },
    decompress(compressed, itemBytes, items) {
      if (name === "decompress") fail();
      constantBits.decompress(compressed, itemBytes, items);
    },
  };
};

for (const name of ["compress", "decompress"] as const) {
  hostile(`a codec whose ${name} throws ends the session at all PEs, whoever lets it pass`, () => {
    const codec = throwing(name);
    let seen = 0;
    const error = failure(function* (pe) {
      const c = pe.conveyor(u64, { hops: 2, groupSize: 2, compress: codec, bufferBytes: 256 });
      yield* c.begin();
      let i = 0;
      for (let status = 1; status !== 0; ) {
        try {
          while (i < 200 && c.push(i % pe.size, 7n)) i++;
          while (c.pull());
          status = yield* c.advance(i === 200);
        } catch (cause) {
          seen++;
          if (seen > 20) throw cause;
        }
      }
    });
    assert.instance(error, RankLostError);
    assert.match(error.message, `the codec threw`);
    assert.instance(error.cause, UsageError);
  });
}

hostile("codecs are compared as well as their code tells", () => {
  const other: Codec = { compress: () => 0, decompress() {} };
  const error = failure(function* (pe) {
    const c = pe.conveyor(u32, { hops: 2, groupSize: 2, compress: pe.rank % 2 ? other : true });
    yield* c.begin();
    while (yield* c.advance(true));
  });
  assert.instance(error, MismatchError);
});

hostile("begin compares the types of items, not a few bits of them", () => {
  // types that 12 bits could not tell apart are among these
  for (let length = 1500; length < 4000; length += 61) {
    const error = failure(function* (pe) {
      const c = pe.conveyor(bytes(4000));
      yield* c.begin(pe.rank === 0 ? i32 : bytes(length));
      while (yield* c.advance(true));
    }, 2);
    assert.instance(error, MismatchError, `bytes(${length})`);
  }
});

hostile("null, too, can be thrown", () => {
  const error = failure(function* (pe) {
    yield;
    if (pe.rank === 1) throw null;
  });
  assert.instance(error, RankLostError);
});

class Lying extends Uint8Array {
  override get length(): number {
    return 4;
  }
}

hostile("a length that lies changes nothing: the bytes that are there count", () => {
  const { results } = simulate({ pes: 2 }, function* (pe) {
    const c = pe.elasticConveyor({ bufferBytes: 64 });
    const rigid = pe.conveyor(bytes(4));
    yield* c.begin();
    yield* rigid.begin();
    const codes: unknown[] = [];
    try {
      rigid.push(0, new Lying(9));
    } catch (error) {
      codes.push((error as TundishError).code);
    }
    const items = [Uint8Array.of(1, 2), new Lying(5000).fill(9), new Lying(3).fill(8), Uint8Array.of(3)];
    let i = 0;
    while (yield* c.advance(i === items.length)) {
      while (i < items.length && c.push(1 - pe.rank, items[i])) i++;
      while (c.pull()) codes.push([c.bytes.byteLength, c.bytes[0]]);
    }
    while (yield* rigid.advance(true));
    return codes;
  });
  assert.equal(results, Array(2).fill(["ERR_TUNDISH_RIGID", [2, 1], [5000, 9], [3, 8], [1, 3]]));
});

hostile("bytes without memory, and what only looks like bytes, are refused", () => {
  const detached = new Uint8Array(4);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const fake = Object.create(Uint8Array.prototype) as Uint8Array;
  const [codes] = simulate({ pes: 1 }, function* (pe) {
    const c = pe.elasticConveyor();
    const rigid = pe.conveyor(bytes(4));
    yield* c.begin();
    yield* rigid.begin();
    const codes = [detached, fake].flatMap((x) =>
      [c, rigid].map((one) => {
        try {
          return one.push(0, x);
        } catch (error) {
          return (error as TundishError).code;
        }
      }),
    );
    while (yield* c.advance(true));
    while (yield* rigid.advance(true));
    return codes;
  }).results;
  for (const code of codes as unknown[]) assert.match(String(code), /^ERR_TUNDISH_(USAGE|RIGID)$/);
});

hostile("destinations of every kind are refused with their code", () => {
  simulate({ pes: 2 }, function* (pe) {
    const belts = [pe.conveyor(u8), pe.biconveyor(u8, u8, (x) => x)];
    for (const c of belts) {
      yield* c.begin();
      for (const dest of [0n, "0", Symbol("0"), 1.5, Number.NaN, -1, 2, null, { valueOf: () => 0 }]) {
        const push = () => c.push(dest as number, 1);
        assert.throws(push, (error: TundishError) => error.code === "ERR_TUNDISH_RANGE");
      }
      while (yield* c.advance(true));
    }
  });
});

hostile("a query for no rank is refused also when the window is full", () => {
  simulate({ pes: 2 }, function* (pe) {
    const c = pe.biconveyor(u8, u8, (x) => x, { window: 2, lossy: true });
    yield* c.begin();
    for (let i = 0; i < 3; i++) assert.is(c.push(0, 1), i < 2);
    assert.throws(
      () => c.push(2, 1),
      (error: TundishError) => error.code === "ERR_TUNDISH_RANGE",
    );
    let got = 0;
    while (yield* c.advance(true)) while (c.pull()) got++;
    assert.is(got, 2);
  });
});

hostile("what is checked is what is written, whatever a getter does in between", () => {
  const { results } = simulate({ pes: 1 }, function* (pe) {
    const c = pe.conveyor(struct({ x: u32, inner: struct({ a: u32 }) }));
    yield* c.begin();
    const pushing = {
      get a() {
        c.push(0, 10, { a: 11 });
        return 2;
      },
    };
    let reads = 0;
    const changing = {
      get a() {
        return reads++ === 0 ? 5 : ("zz" as unknown as number);
      },
    };
    c.push(0, 1, pushing);
    c.push(0, 4, changing);
    const ending = {
      get a() {
        sessionOf(c).proceed(true);
        return 9;
      },
    };
    const got: number[][] = [];
    assert.throws(
      () => c.push(0, 8, ending),
      (error: TundishError) => error.code === "ERR_TUNDISH_STATE",
    );
    while (yield* c.advance(true)) while (c.pull()) got.push([c.item.x, c.item.inner.a]);
    return got;
  });
  assert.equal(results[0], [
    [10, 11],
    [1, 2],
    [4, 5],
  ]);
});

hostile.run();
