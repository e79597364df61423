/** Values of every kind, pushed and pulled: all arrive, as they were, in order. Written once, for threads and virtual PEs. */
import { isDeepStrictEqual } from "node:util";
import { deserialize, serialize } from "node:v8";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import type { ValueOptions } from "../../../../src/facilities/conveyor/front/make-values.ts";
import { shortText } from "../../../../src/ground/base/short-text.ts";
import { ARRAY_CONSTRUCTORS, type ArrayType, type TypedArray } from "../../../../src/ground/memory/kernels/elements.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import type { SimulatedValueConveyor } from "../../../../src/running/simulate/conveyors.ts";
import { mix } from "./payloads.ts";
import type { Play, Seat } from "./seats.ts";

export interface ValueTrial {
  readonly type: "tensor" | "simple";
  readonly hops: 1 | 2 | 3;
  readonly bufferBytes: number;
  readonly compress: boolean;
  /** `cloned`, `pair`, or the index of a type of arrays. */
  readonly kind: "cloned" | "pair" | number;
  /** Whether some are larger than a buffer. */
  readonly oversized: boolean;
  readonly count: number;
  readonly seed: number;
}

export const valueTrials: fc.Arbitrary<ValueTrial> = fc.record({
  type: fc.constantFrom("tensor", "tensor", "simple"),
  hops: fc.constantFrom(1, 2, 3),
  bufferBytes: fc.constantFrom(16, 64, 200, 1000),
  compress: fc.boolean(),
  kind: fc.oneof(fc.constantFrom("cloned", "pair"), fc.nat(ARRAY_CONSTRUCTORS.length - 1)),
  oversized: fc.boolean(),
  count: fc.oneof(fc.nat(20), fc.nat(120)),
  seed: fc.nat(),
});

const optionsOf = ({ type, hops, bufferBytes, compress }: ValueTrial): ConveyorOptions =>
  type === "simple" ? { type, bufferBytes } : { hops, bufferBytes, compress };

/** What v8 clones; objects without a prototype come back with one. */
const clonable = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** Values to draw from, what each must come as, and how a conveyor is made for them. */
export interface Wares {
  readonly values: readonly unknown[];
  same(got: unknown, value: unknown): boolean;
  make(pe: Seat): SimulatedValueConveyor<unknown>;
}

const VALUES = 30;

export function waresOf(trial: ValueTrial): Wares {
  const { kind, seed, oversized, bufferBytes } = trial;
  const options = optionsOf(trial);
  const by = (own: ValueOptions<unknown>) => ({
    make: (pe: Seat) => pe.valueConveyor<unknown>({ ...options, ...own } as ValueOptions<unknown>),
  });
  const large = "x".repeat(oversized ? bufferBytes + (seed % 700) : 3);
  if (kind === "cloned") {
    const values = [...fc.sample(clonable, { numRuns: VALUES, seed }), { large, in: [1.5, large] }];
    // by their bytes: isDeepStrictEqual pairs the keys of a Map by chance where two of them are alike, as boxed ones
    const bytes = (value: unknown) => serialize(deserialize(serialize(value)));
    // twice: a number is written as V8 keeps it, and the first that is read may change how it keeps the field in all
    const same = (got: unknown, value: unknown) => bytes(got).equals(bytes(value)) || bytes(got).equals(bytes(value));
    return { values, same, ...by({}) };
  }
  if (kind === "pair") {
    const values = [...fc.sample(fc.jsonValue(), { numRuns: VALUES, seed }), { large }];
    // the same memory every time
    const out = Buffer.alloc(2 ** 16);
    const serialize = (value: unknown) => {
      return out.subarray(0, out.write(JSON.stringify(value)));
    };
    const deserialize = ({ buffer, byteOffset, length }: Uint8Array) =>
      JSON.parse(Buffer.from(buffer, byteOffset, length).toString());
    // what goes through JSON loses the sign of zero
    const same = (got: unknown, value: unknown) => isDeepStrictEqual(got, JSON.parse(JSON.stringify(value)));
    return { values, same, ...by({ serialize, deserialize }) };
  }
  const of = ARRAY_CONSTRUCTORS[kind] as ArrayType;
  const width = of.BYTES_PER_ELEMENT;
  const values = Array.from({ length: VALUES }, (_, i) => {
    const most = oversized && i % 10 === 0 ? bufferBytes * 3 : 90;
    const array = new of(Math.floor((mix(seed, i) % most) / width));
    const bytes = bytesOf(array);
    for (let k = 0; k < bytes.length; k++) bytes[k] = mix(seed, i, k);
    return array;
  });
  const same = (got: unknown, value: unknown) =>
    (got as object).constructor === of &&
    (got as TypedArray).buffer instanceof SharedArrayBuffer &&
    Buffer.compare(bytesOf(got as TypedArray), bytesOf(value as TypedArray)) === 0;
  return { values, same, ...by({ of } as never) };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** What has come, and what was pushed. */
type Shown = readonly [got: unknown, value: unknown];

/** Plays a trial, twice with one conveyor. @param wares of this PE */
export function* passValues(pe: Seat, trial: ValueTrial, wares: Wares = waresOf(trial)): Play {
  const { rank, size } = pe;
  const { count, seed } = trial;
  const { values, same } = wares;
  const destOf = (from: number, i: number) => mix(seed, from, i) % size;
  const valueAt = (from: number, i: number) => values[mix(seed, from, i, 5) % values.length];
  const c = wares.make(pe);
  let turn = 0;
  const luck = (n: number) => mix(seed, rank, 7, ++turn) % n;
  for (let session = 0; session < 2; session++) {
    const next = new Int32Array(size);
    let come = 0;
    /** The last item while no pull has ended it. */
    let shown: Shown | null = null as Shown | null;
    const kept: Shown[] = [];
    /** Of each sender the items that come here, in order. */
    const check = (): void => {
      const { from } = c;
      while (next[from] < count && destOf(from, next[from]) !== rank) next[from]++;
      const i = next[from]++;
      assert.ok(i < count, `one more from ${from}`);
      come++;
      // a value that nobody wants is not made
      if (luck(8) === 0) return;
      const { value } = c;
      assert.ok(same(value, valueAt(from, i)), `item ${i} from ${from}: ${shortText(value)}`);
      assert.ok(Object.is(c.value, value), "made twice");
      shown = [value, valueAt(from, i)];
      if (typeof trial.kind !== "number") kept.push([value, valueAt(from, i)]);
    };
    yield* c.begin();
    for (let i = 0; yield* c.advance(i === count); ) {
      for (let burst = luck(60); burst > 0 && i < count; burst--) {
        if (!c.push(destOf(rank, i), valueAt(rank, i))) break;
        i++;
      }
      // neither advance nor push changes it
      if (shown !== null) assert.ok(same(...shown), "changed before the next pull");
      for (let burst = luck(60); burst > 0; burst--) {
        shown = null;
        if (!c.pull()) break;
        if (luck(6) === 0) {
          if (luck(2) === 0) assert.ok(c.value !== c);
          assert.is(c.unpull(), true);
          assert.throws(() => c.value, /put back/);
        } else check();
      }
    }
    const { pushes, pulls, unpulls } = c.stats();
    assert.equal([pushes, pulls - unpulls], [count, come]);
    yield* c.reset();
    for (const [got, value] of kept) assert.ok(same(got, value), "changed after it was read");
    for (let from = 0; from < size; from++) {
      while (next[from] < count && destOf(from, next[from]) !== rank) next[from]++;
      assert.is(next[from], count, `all items from ${from}`);
    }
  }
  c.free();
}
