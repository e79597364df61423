/** What is wrong with values, and with functions that make bytes of them: typed errors, and nothing lost or changed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import {
  MismatchError,
  OverflowError,
  StateError,
  type TundishError,
  UsageError,
} from "../../../../src/ground/base/errors.ts";
import { u32 } from "../../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { type SimulatedPE, simulate } from "../../../../src/running/simulate/simulate.ts";
import { type Play, playVirtually } from "../support/seats.ts";
import { arrayStates, valueStates } from "../support/value-states.ts";

const wrong = suite("values that are wrong");

const refused = (act: () => unknown, text: RegExp, cause?: unknown): void =>
  assert.throws(act, (e: unknown) => {
    assert.instance(e, UsageError);
    assert.match((e as Error).message, text);
    if (cause !== undefined) assert.is((e as Error).cause, cause);
    return true;
  });

const alone = (play: (pe: SimulatedPE) => Play) => simulate({ pes: 1, memoryBytes: 2 ** 21 }, play);

const small = { bufferBytes: 256 } as const;
const types: readonly ConveyorOptions[] = [
  { type: "simple", ...small },
  { hops: 1, ...small, buffersPerLink: 1 },
  { hops: 2, ...small, compress: true },
  { hops: 3, ...small, steady: true },
];
for (const options of types) {
  for (const pes of [1, 3, 6]) {
    wrong(`illegal calls, ${pes} virtual PEs, ${JSON.stringify(options)}`, () => {
      playVirtually({ pes, seed: pes }, function* (pe) {
        yield* valueStates(pe, options);
        yield* arrayStates(pe, options);
      });
    });
  }
}

wrong("too many or too few arguments, and errors have the name of the call", () => {
  alone(function* (pe) {
    const bytes = new Uint8Array(2);
    const of = (c: object) => c as Record<"push" | "pushUrgent", (...given: unknown[]) => boolean>;
    const all = [pe.elasticConveyor(), pe.valueConveyor(), pe.valueConveyor({ of: Uint8Array })];
    for (const one of all) {
      yield* one.begin();
      const c = of(one);
      for (const call of ["push", "pushUrgent"] as const) {
        const count = (text: string) => new RegExp(`^${call}: expected a rank and one item, got ${text}`);
        refused(() => c[call](0, bytes, 1), count("3 arguments"));
        refused(() => c[call](0), count("1 argument "));
        refused(() => c[call](), count("0 arguments"));
        assert.throws(() => c[call](1, bytes), new RegExp(`^${call}: expected a rank from 0 to 0, got 1`));
      }
      while (yield* one.advance(true));
    }
    const rigid = pe.conveyor(u32);
    yield* rigid.begin();
    refused(() => of(rigid).pushUrgent(0, 1, 2), /^pushUrgent: expected a rank and u32, got \(0, 1, 2\)/);
    while (yield* rigid.advance(true));
  });
});

wrong("what a getter throws is told as that, and not as a value that cannot be cloned", () => {
  alone(function* (pe) {
    const c = pe.valueConveyor();
    yield* c.begin();
    const mine = new RangeError("mine");
    const value = {
      get field() {
        throw mine;
      },
    };
    refused(() => c.push(0, value), /^push: serialization of .* threw RangeError: mine/, mine);
    refused(() => c.push(0, { call: () => 1 }), /^push: expected a value that v8\.serialize accepts/);
    while (yield* c.advance(true));
  });
});

wrong("options that say no kind of values", () => {
  alone(function* (pe) {
    const make = (options: unknown) => () => pe.valueConveyor(options as never);
    const serialize = () => new Uint8Array(1);
    const deserialize = () => 1;
    const array = /^of: expected the constructor of a typed array \(Int8Array, .*\), got /;
    for (const of of [Object, Buffer, "Float64Array", null, DataView, Array, Float64Array.of(1)]) {
      refused(make({ of }), array);
    }
    refused(make({ serialize }), /serialize and deserialize together, got no deserialize\. Give both/);
    refused(make({ deserialize }), /together, got no serialize\./);
    refused(make({ of: Uint8Array, serialize, deserialize }), /got both/);
    refused(make({ of: Uint8Array, deserialize }), /got both/);
    refused(make({ serialize: async () => {}, deserialize }), /^serialize: expected a function .* not async/);
    refused(make({ serialize, deserialize: "x" }), /^deserialize: expected a function/);
    refused(make({ off: Uint8Array }), /unknown option 'off'; did you mean 'of'\?/);
    refused(make({ type: "trivial" }), /^type: an elastic conveyor is/);
    refused(make(null), /^valueConveyor: expected an object/);
    // undefined is as if left out
    const c = pe.valueConveyor({ of: undefined, serialize: undefined, deserialize: undefined });
    assert.equal([c.state, c.features.elastic], ["dormant", true]);
    assert.match(sessionOf(c).title, /^conveyor of values$/);
    const rows = pe.valueConveyor({ of: Int16Array, name: "rows" });
    assert.match(sessionOf(rows).title, /^conveyor of rows \(Int16Arrays\)$/);
    yield* [];
  });
});

wrong("what v8 does not clone: the error has its cause, and the session goes on", () => {
  alone(function* (pe) {
    const c = pe.valueConveyor<unknown>();
    yield* c.begin();
    assert.is(c.value, undefined, "before the first pull");
    assert.is(c.push(0, "before"), true);
    refused(
      () => c.push(0, { f() {} }),
      /got { f: \[Function: f\] }: .*could not be cloned\. Functions, .* serialize and a des/s,
    );
    for (const value of [Symbol("a"), [Symbol("a")], new SharedArrayBuffer(8), Promise.resolve(), new WeakMap()]) {
      refused(() => c.push(0, value), /^push: expected a value that v8\.serialize accepts, got .*could not be cloned/s);
    }
    const own = new TypeError("own");
    const throwing = {
      get a() {
        throw own;
      },
    };
    refused(() => c.push(0, throwing), /TypeError: own/, own);
    assert.is(c.push(0, undefined), true);
    assert.is(c.stats().pushes, 2);
    const got: unknown[] = [];
    while (yield* c.advance(true)) while (c.pull()) got.push(c.value);
    assert.equal(got, ["before", undefined]);
    yield* c.reset();
  });
});

wrong("what serialize throws or returns: nothing is pushed", () => {
  alone(function* (pe) {
    const own = new RangeError("own");
    const gone = new Uint8Array(4);
    structuredClone(gone, { transfer: [gone.buffer] });
    let calls = 0;
    const c = pe.valueConveyor({
      bufferBytes: 16,
      buffersPerLink: 1,
      lossy: true,
      serialize(value: unknown) {
        calls++;
        if (value === "throw") throw own;
        return value as Uint8Array;
      },
      deserialize: (bytes) => bytes.length as unknown,
    });
    assert.throws(
      () => c.push(0, "throw"),
      (e: unknown) => e instanceof StateError,
    );
    yield* c.begin();
    assert.throws(
      () => c.push(1, "throw"),
      (e: unknown) => (e as TundishError).code === "ERR_TUNDISH_RANGE",
    );
    assert.is(calls, 0, "serialized before the call was found legal");
    assert.throws(
      () => c.push(0, "throw"),
      (e: unknown) => e === own,
    );
    refused(() => c.push(0, "text"), /expected serialize to return a Uint8Array .*, got "text"/);
    refused(() => c.push(0, Float64Array.of(1)), /got Float64Array.* new Uint8Array\(array\.buffer/);
    refused(() => c.push(0, new ArrayBuffer(3)), /got ArrayBuffer/);
    refused(() => c.push(0, Promise.resolve(gone)), /A promise is not awaited: serialize must return/);
    refused(() => c.push(0, gone), /that is not detached/);
    assert.throws(
      () => c.push(0, new Uint8Array(2 ** 22)),
      (e: unknown) => e instanceof OverflowError && /no room for an item of 4194304 bytes/.test(e.message),
    );
    calls = 0;
    let pushed = 0;
    while (c.push(0, new Uint8Array(13))) pushed++;
    // the rest of the buffer may have had no room for the last one; then there is no buffer, which is found before
    const made = calls;
    assert.ok(made === pushed || made === pushed + 1, `${made} made, ${pushed} pushed`);
    for (let i = 0; i < 3; i++) assert.is(c.push(0, "throw"), false);
    assert.is(calls, made);
    const got: unknown[] = [];
    while (yield* c.advance(true)) while (c.pull()) got.push(c.value);
    assert.equal(got, new Array(pushed).fill(13));
    assert.is(c.stats().pushes, pushed);
    yield* c.reset();
  });
});

wrong("what deserialize throws: the item was pulled, and can be put back", () => {
  alone(function* (pe) {
    const own = new RangeError("own");
    let isBroken = true;
    const c = pe.valueConveyor({
      serialize: (x: number) => Uint8Array.of(x),
      deserialize([x]) {
        if (isBroken && x === 2) throw own;
        return x as number;
      },
    });
    yield* c.begin();
    for (const x of [1, 2, 3]) c.push(0, x);
    const got: number[] = [];
    while (yield* c.advance(true)) {
      while (c.pull()) {
        if (c.bytes[0] === 2 && isBroken) {
          for (let i = 0; i < 2; i++)
            assert.throws(
              () => c.value,
              (e: unknown) => e === own,
            );
          assert.equal([[...c.bytes], c.from], [[2], 0]);
          assert.is(c.unpull(), true);
          isBroken = false;
        } else got.push(c.value);
      }
    }
    assert.equal(got, [1, 2, 3]);
    const { pulls, unpulls } = c.stats();
    assert.equal([pulls, unpulls], [4, 1]);
    yield* c.reset();
  });
});

wrong("a value that was not read in time says so; one that was read stays", () => {
  alone(function* (pe) {
    const c = pe.valueConveyor<string>({ bufferBytes: 64 });
    const gone = () =>
      assert.throws(
        () => c.value,
        (e: unknown) => e instanceof StateError && /^value: .*Read value right/.test(e.message),
      );
    const large = "x".repeat(500);
    /** One session of two items. @param isRead whether the last one is read in time */
    const session = function* (isRead: boolean): Play {
      yield* c.begin();
      const values = ["small", large];
      let come = 0;
      for (let i = 0; yield* c.advance(i === 2); ) {
        while (i < 2 && c.push(0, values[i])) i++;
        while (c.pull()) {
          come++;
          if (come === 1) {
            c.unpull();
            gone();
            assert.is(c.pull(), true);
            assert.is(c.value, "small");
          }
          if (come === 2 && isRead) assert.is(c.value, large);
        }
        if (come > 0 && (come === 1 || isRead)) assert.is(c.value, values[come - 1]);
        if (come === 2 && !isRead) gone();
      }
      assert.is(come, 2);
      yield* c.reset();
    };
    yield* session(true);
    assert.is(c.value, large);
    yield* session(false);
    gone();
    // a reset comes before the value is read
    yield* c.begin();
    c.push(0, "last");
    while (!c.pull()) yield* c.advance(true);
    while (yield* c.advance(true));
    c.free();
    gone();
  });
});

wrong("a deserialize that pulls by itself: each value belongs to its item", () => {
  alone(function* (pe) {
    const c = pe.valueConveyor({
      serialize: (x: number) => Uint8Array.of(x),
      deserialize([x]): number {
        if (x === 1) assert.is(c.pull(), true);
        return x as number;
      },
    });
    yield* c.begin();
    for (const x of [1, 2]) c.push(0, x);
    const got: number[] = [];
    while (yield* c.advance(true)) while (c.pull()) got.push(c.value, c.value);
    assert.equal(got, [1, 2]);
    yield* c.reset();
  });
});

wrong("PEs that make it for other values are told", () => {
  const serialize = (x: number) => Uint8Array.of(x);
  const deserialize = ([x]: Uint8Array) => x as number;
  const kinds: readonly object[] = [
    {},
    { of: Float64Array },
    { of: Float32Array },
    { of: Uint8Array },
    { of: Uint8ClampedArray },
    { serialize, deserialize },
    { serialize, deserialize: ([x]: Uint8Array) => 2 * (x as number) },
  ];
  for (const one of kinds) {
    for (const other of kinds) {
      const make = () =>
        simulate({ pes: 2 }, function* (pe) {
          const c = pe.valueConveyor((pe.rank === 0 ? one : other) as never);
          yield* c.begin();
          while (yield* c.advance(true));
          c.free();
        });
      if (one === other) make();
      else assert.throws(make, (e: unknown) => e instanceof MismatchError && /values/.test(e.message));
    }
  }
  // and from one of bytes
  assert.throws(
    () =>
      simulate({ pes: 2 }, function* (pe) {
        const c = pe.rank === 0 ? pe.elasticConveyor() : pe.valueConveyor();
        yield* c.begin();
        while (yield* c.advance(true));
      }),
    (e: unknown) => e instanceof MismatchError,
  );
});

wrong.run();
