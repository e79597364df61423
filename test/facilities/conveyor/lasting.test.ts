/** What was pulled stays as it is, and so does who sent it, until the next pull: whatever advances bring meanwhile. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { StateError, UsageError } from "../../../src/ground/base/errors.ts";
import { bytes, struct, u32 } from "../../../src/ground/item/item-type.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { type SimulatedPE, simulate } from "../../../src/running/simulate/simulate.ts";
import { rigidOf } from "./support/belts.ts";

const lasting = suite("what was pulled lasts");

const COUNT = 400;
const PES = 4;
const kinds: readonly ConveyorOptions[] = [{}, { type: "simple" }, { type: "trivial" }, { hops: 2, groupSize: 2 }];

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

/** Advances while what was pulled last is looked at. */
const LOOKS = 8;
const WATCHED = 200;

interface Watched {
  readonly c: SimulatedBelt;
  readonly push: (dest: number, i: number) => boolean;
  /** Pulls; gives what reads, again and again, what it has pulled: null if that was nothing. */
  readonly take: () => (() => readonly unknown[]) | null;
}
type SimulatedBelt = Pick<ReturnType<SimulatedPE["conveyor"]>, "begin" | "advance" | "reset">;

const word = (i: number) => new Uint8Array(Uint32Array.of(i).buffer);
const readers: Readonly<Record<string, (pe: SimulatedPE, options: ConveyorOptions) => Watched>> = {
  "the columns of a batch"(pe, options) {
    const c = pe.conveyor(u32, options);
    const take = () => {
      const columns = c.pullAll()?.columns;
      return columns === undefined ? null : () => [...columns];
    };
    return { c, push: (dest, i) => c.push(dest, i), take };
  },
  "a batch whose columns and senders are read later"(pe, options) {
    const c = pe.conveyor(struct({ from: u32, i: u32 }), options);
    const take = () => {
      const batch = c.pullAll();
      if (batch === null) return null;
      // what it shows first, after advances
      return () => {
        const { from, i } = batch.columns;
        assert.equal(batch.from, from);
        for (let k = 1; k < batch.count; k++) assert.ok(from[k] !== from[k - 1] || i[k] > i[k - 1]);
        return [batch.count];
      };
    };
    return { c, push: (dest, i) => c.push(dest, pe.rank, i), take };
  },
  bytes(pe, options) {
    const c = pe.conveyor(bytes(4), options);
    const take = () => {
      if (!c.pull()) return null;
      const { item } = c;
      return () => [...item];
    };
    return { c, push: (dest, i) => c.push(dest, word(i)), take };
  },
  "bytes in a struct"(pe, options) {
    const c = pe.conveyor(struct({ inner: struct({ key: bytes(4) }) }), options);
    const take = () => {
      if (!c.pull()) return null;
      const { key } = c.item.inner;
      return () => [...key];
    };
    return { c, push: (dest, i) => c.push(dest, { key: word(i) }), take };
  },
};

for (const [what, make] of Object.entries(readers)) {
  for (const options of kinds) {
    lasting(`${what}, in the endgame too: ${JSON.stringify(options)}`, () => {
      simulate({ pes: PES, timeout: 100_000 }, function* (pe: SimulatedPE) {
        yield* watch(make(pe, { bufferBytes: 64, buffersPerLink: 1, ...options }), pe.rank);
      });
    });
  }
}

for (const options of [{}, { hops: 2, groupSize: 2 }] as const) {
  lasting(`bytes of any length, in the endgame too: ${JSON.stringify(options)}`, () => {
    simulate({ pes: PES, timeout: 100_000 }, function* (pe: SimulatedPE) {
      const c = pe.elasticConveyor({ bufferBytes: 16, buffersPerLink: 1, ...options });
      const take = () => {
        if (!c.pull()) return null;
        const { bytes } = c;
        return () => [...bytes];
      };
      yield* watch({ c, push: (dest, i) => c.push(dest, word(i)), take }, pe.rank);
    });
  });
}

/** A session in which PEs 0 and 1 push and the others are done from the start; all look at what they pull for some time. */
function* watch({ c, push, take }: Watched, rank: number): Generator<void, void, void> {
  yield* c.begin();
  for (let i = rank < 2 ? 0 : WATCHED; yield* c.advance(i === WATCHED); ) {
    for (; i < WATCHED; i++) if (!push(i % PES, i)) break;
    const look = take();
    if (look === null) continue;
    const before = look();
    for (let k = 0; k < LOOKS && (yield* c.advance(i === WATCHED)); k++) assert.equal(look(), before);
  }
  yield* c.reset();
}

lasting("bytes that were put back and pulled again, after a pull that said false", () => {
  simulate({ pes: 2, timeout: 100_000 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(bytes(4), { bufferBytes: 64, buffersPerLink: 1 });
    yield* c.begin();
    for (let i = pe.rank === 0 ? 0 : WATCHED; yield* c.advance(i === WATCHED); ) {
      for (; i < WATCHED; i++) if (!c.push(1, word(i))) break;
      let pulled = 0;
      for (; c.pull(); pulled++);
      if (pulled === 0) continue;
      assert.ok(c.unpull() && c.pull());
      const { item } = c;
      const before = [...item];
      for (let k = 0; k < LOOKS && (yield* c.advance(i === WATCHED)); k++) assert.equal([...item], before);
    }
    yield* c.reset();
  });
});

for (const type of ["tensor", "simple"] as const) {
  lasting(`who pulls what comes for it one by one needs no pull that says false: ${type}`, () => {
    simulate({ pes: 2, timeout: 100_000 }, function* (pe: SimulatedPE) {
      // full buffers, after which the last one is empty
      const c = pe.conveyor(u32, { type, bufferBytes: 64, buffersPerLink: 1 });
      yield* c.begin();
      let [i, left] = pe.rank === 0 ? [0, 0] : [64, 64];
      while (yield* c.advance(i === 64)) {
        for (; i < 64; i++) if (!c.push(1, i)) break;
        if (left > 0 && c.pull()) left--;
      }
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

lasting("methods of a biconveyor that were taken from it are refused", () => {
  simulate({ pes: 1, timeout: 1000 }, function* (pe: SimulatedPE) {
    const c = pe.biconveyor(u32, u32, (x) => x);
    yield* c.begin();
    const { push, pull } = c;
    for (const call of [() => push(0, 1), pull, () => ({ push }).push(0, 1), () => ({ pull }).pull()]) {
      assert.throws(
        call,
        (e: unknown) => e instanceof UsageError && /expected to be called on its conveyor/.test(e.message),
      );
    }
    while (yield* c.advance(true));
    yield* c.reset();
  });
});

lasting("calls for many items, and those of elastic conveyors, are refused without their conveyor", () => {
  simulate({ pes: 1, timeout: 1000 }, function* (pe: SimulatedPE) {
    const rigid = pe.conveyor(u32);
    const elastic = pe.elasticConveyor();
    const bi = pe.biconveyor(u32, u32, (x) => x);
    const elasticBi = pe.elasticBiconveyor((x) => x);
    const calls = [
      ...[rigid.pushAll, rigid.pullAll, bi.pushAll, bi.pullAll],
      ...[elastic.push, elastic.pull, elastic.pushAll, elastic.pullAll, elasticBi.push, elasticBi.pull],
    ] as (() => unknown)[];
    for (const call of calls) {
      assert.throws(
        call,
        (e: unknown) => e instanceof UsageError && /expected to be called on its conveyor/.test(e.message),
      );
    }
    yield;
  });
});

lasting("a send that was read before begin changed the items is refused, and pushes nothing", () => {
  simulate({ pes: 1, timeout: 1000 }, function* (pe: SimulatedPE) {
    const c = pe.conveyor(u32);
    const send = rigidOf(c).sender({ wait: () => assert.unreachable() });
    yield* c.begin(struct({ a: u32, b: u32 }));
    for (const values of [[5], [5, 6]]) {
      assert.throws(
        () => send(0, ...values),
        (e: unknown) => e instanceof StateError && /taken before begin/.test(e.message),
      );
    }
    while (yield* c.advance(true));
    assert.is(c.stats().pushes, 0);
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
