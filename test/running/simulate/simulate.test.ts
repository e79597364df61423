/** The virtual machine: the same seed gives the same run; what goes wrong ends it with the right error. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  AbortedError,
  HeapError,
  MismatchError,
  RankLostError,
  TimeoutError,
  UsageError,
} from "../../../src/ground/base/errors.ts";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import { bytes, type ItemType, u32, u64 } from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import type { SimulatedConveyor, SimulatedElasticConveyor } from "../../../src/running/simulate/conveyors.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { type SimulatedPE, type SimulationResult, simulate } from "../../../src/running/simulate/simulate.ts";
import { eventQueue } from "../../../src/running/simulate/time/queue.ts";
import { rounds } from "../../support/long.ts";

/** Every PE sends to all; gives when and from whom items came. */
function* mingle(pe: SimulatedPE, options: ConveyorOptions = {}, count = 100): Generator<void, string, void> {
  const c = pe.conveyor(u32, { bufferBytes: 64, ...options });
  const log: string[] = [];
  yield* c.begin();
  for (let i = 0; (yield* c.advance(i === count)) !== DONE; ) {
    for (; i < count && c.push(Math.floor(pe.random() * pe.size), i); i++);
    while (c.pull()) log.push(`${pe.now}: ${c.item} from ${c.from}`);
  }
  yield* c.reset();
  c.free();
  return log.join("\n");
}

/** A session without items. */
function* empty(c: SimulatedConveyor | SimulatedElasticConveyor, item?: ItemType): Generator<void, void, void> {
  yield* c.begin(item);
  while ((yield* c.advance(true)) !== DONE);
  yield* c.reset();
}

const run = (options: Partial<SimulationOptions>, more?: ConveyorOptions): SimulationResult<string> =>
  simulate({ pes: 8, ...options }, (pe) => mingle(pe, more));

function failure(body: () => unknown): Error & { rank?: number } {
  try {
    body();
  } catch (error) {
    return error as Error;
  }
  return assert.unreachable("nothing was thrown") as never;
}

const simulation = suite("simulate");

simulation("the same seed gives the same run, event by event; another seed another", () => {
  for (const options of [
    {},
    { jitter: 3, nodes: 2 },
    { jitter: 1, faults: [{ pe: 3, at: 500, kind: "stall" }] },
  ] as const) {
    for (const more of [{}, { hops: 2, steady: true }, { hops: 3 }, { type: "simple" }] as const) {
      const first = run({ ...options, seed: 5 }, more);
      assert.equal(run({ ...options, seed: 5 }, more), first);
      assert.not.equal(run({ ...options, seed: 6 }, more).results, first.results);
    }
  }
});

simulation("what it reports adds up", () => {
  const { results, conveyors, time, events, schema, seed, peakBytes } = run({ nodes: 2, seed: 3 });
  assert.is(results.join("\n").split("\n").length, 800);
  assert.equal([schema, seed], ["tundish/simulation@1", 3]);
  const [{ hops }] = conveyors;
  assert.is(hops[0].items, 800);
  assert.ok(hops[0].bytes === 3200 && hops[0].messages >= 50 && hops[0].remoteMessages > 0);
  assert.ok(hops[0].remoteBytes < hops[0].bytes && peakBytes > 0 && time > 0 && events > 0);
  assert.is(run({}).conveyors[0].hops[0].remoteMessages, 0);
});

simulation("costs cost: slower networks, nearer PEs, work", () => {
  const slow = run({ nodes: 2, network: { alpha: 100_000 } });
  assert.ok(slow.time > run({ nodes: 2 }).time + 90_000);
  const { time } = simulate({ pes: 2 }, function* (pe) {
    pe.work(5e6);
    yield* pe.turn();
  });
  assert.ok(time >= 5e6 && time < 6e6);
});

simulation("a crash ends the run at every PE with the rank that was lost", () => {
  for (const options of [{}, { type: "simple" }, { hops: 3 }] as const) {
    let told = 0;
    const error = failure(() =>
      simulate({ pes: 8, faults: [{ pe: 5, at: 2000, kind: "crash" }] }, function* (pe) {
        try {
          yield* mingle(pe, options, 1e6);
        } catch (error) {
          assert.instance(error, RankLostError);
          assert.is((error as RankLostError).rank, 5);
          told++;
          throw error;
        }
      }),
    );
    assert.instance(error, RankLostError);
    assert.is(error.rank, 5);
    assert.match(error.message, /PE 5 crashed/);
    assert.is(told, 7);
  }
});

simulation("a PE that throws, and one that returns in the middle, are named", () => {
  const thrown = failure(() =>
    simulate({ pes: 4 }, function* (pe) {
      if (pe.rank === 2) throw new TypeError("something broke");
      yield* mingle(pe);
    }),
  );
  assert.instance(thrown, RankLostError);
  assert.is(thrown.rank, 2);
  assert.instance(thrown.cause, TypeError);
  const left = failure(() =>
    simulate({ pes: 4 }, function* (pe) {
      const c = pe.conveyor(u32);
      yield* c.begin();
      if (pe.rank === 1) return;
      while ((yield* c.advance(true)) !== DONE);
    }),
  );
  assert.instance(left, RankLostError);
  assert.is(left.rank, 1);
  assert.match(left.message, /in the middle of a conveyor's session/);
});

simulation("a stall is waited for; one that is too long ends at the session's timeout, or the run's", () => {
  // before it has sent its last buffers: nobody waits for it after that
  const stall = [{ pe: 1, at: 20, kind: "stall", lasting: 50e6 }] as const;
  assert.ok(run({ faults: stall }).time > 50e6);
  assert.instance(
    failure(() => run({ faults: stall }, { timeout: 10 })),
    TimeoutError,
  );
  const late = failure(() => run({ faults: stall, timeout: 10 }));
  assert.instance(late, TimeoutError);
  assert.match(late.message, /virtual time \(timeout\); not finished: PE /);
});

simulation("an abort at one PE ends it for all", () => {
  const error = failure(() =>
    simulate({ pes: 4 }, function* (pe) {
      const signal = pe.rank === 2 ? AbortSignal.abort(new Error("enough")) : undefined;
      yield* mingle(pe, { signal });
    }),
  );
  assert.instance(error, AbortedError);
  assert.match(error.message, /PE 2 aborted/);
});

simulation("PEs that do not agree are told so", () => {
  const differing: ((pe: SimulatedPE) => Generator<void, unknown, void>)[] = [
    (pe) => mingle(pe, { bufferBytes: pe.rank === 1 ? 128 : 64 }),
    (pe) => mingle(pe, pe.rank === 1 ? { type: "simple" } : {}),
    (pe) => empty(pe.conveyor<ItemType>(pe.rank === 1 ? u64 : u32)),
    (pe) => empty(pe.conveyor<ItemType>(u64), pe.rank === 1 ? bytes(8) : u64),
    (pe) => empty(pe.rank === 1 ? pe.elasticConveyor() : pe.conveyor<ItemType>(bytes(1))),
  ];
  for (const program of differing)
    assert.instance(
      failure(() => simulate({ pes: 3 }, program)),
      MismatchError,
    );
});

simulation("memory that is full is said to be", () => {
  const error = failure(() => simulate({ pes: 4, memoryBytes: 65536 }, (pe) => mingle(pe, { bufferBytes: 16_384 })));
  assert.ok(error instanceof HeapError || error.cause instanceof HeapError, String(error));
});

simulation("a conveyor that has no room is refused to all PEs, and another one is made", () => {
  const { results, conveyors } = simulate({ pes: 3, memoryBytes: 65536 }, function* (pe) {
    // there is room for the scratch of one PE
    for (let i = 0; i < 2; i++) {
      assert.instance(
        failure(() => pe.conveyor(u32, { bufferBytes: 32_768 })),
        HeapError,
      );
    }
    const c = pe.conveyor(u32, { bufferBytes: 64 });
    yield* c.begin();
    let sum = 0;
    for (let i = 0; (yield* c.advance(i === 3)) !== DONE; ) {
      for (; i < 3 && c.push(i, pe.rank + 1); i++);
      while (c.pull()) sum += c.item;
    }
    yield* c.reset();
    return sum;
  });
  assert.equal([results, conveyors.length], [[6, 6, 6], 1]);
});

const SIDE = rounds(8, 16);
simulation(`${SIDE ** 3} PEs, three hops, with the buffers that three hops take`, () => {
  const { results, conveyors } = simulate({ pes: SIDE ** 3, nodes: SIDE ** 2, seed: 2 }, function* (pe) {
    const c = pe.conveyor(u32, { hops: 3, groupSize: SIDE, bufferBytes: 256, buffersPerLink: 1 });
    yield* c.begin();
    let sum = 0;
    for (let i = 0; (yield* c.advance(i === 8)) !== DONE; ) {
      for (; i < 8 && c.push((pe.rank * 7 + i * 513) % pe.size, i); i++);
      while (c.pull()) sum += c.item;
    }
    return sum;
  });
  assert.is(
    results.reduce((total, sum) => total + sum, 0),
    SIDE ** 3 * 28,
  );
  for (const { peakBuffers } of conveyors[0].hops) assert.ok(peakBuffers <= SIDE);
});

simulation("options that cannot be are refused", () => {
  const program = function* (): Generator<void, void, void> {};
  for (const options of [
    {},
    { pes: 0 },
    { pes: 1.5 },
    { pes: 4, nodes: 3 },
    { pes: 4, jitter: -1 },
    { pes: 4, seed: 0.5 },
    { pes: 4, timeout: Number.NaN },
    { pes: 4, memoryBytes: 1 },
    { pes: 4, faults: [{ pe: 4, at: 0, kind: "crash" }] },
    { pes: 4, faults: [{ pe: 0, at: 0, kind: "explode" }] },
    { pes: 4, network: { alfa: 1 } },
    { pes: 4, costs: { push: -1 } },
    { pes: 4, speed: 2 },
    { pes: 4, faults: {} },
    { pes: 4, faults: null },
    { pes: 4, faults: [null] },
    { pes: 4, faults: "stall" },
    { pes: 4, memoryBytes: null },
    { pes: 4, machine: null },
    { pes: 4, machine: { pes: [1, 2, 3, 4] } },
    [],
    null,
  ]) {
    assert.instance(
      failure(() => simulate(options as never, program)),
      UsageError,
      JSON.stringify(options),
    );
  }
  for (const other of [null, () => {}, 5]) {
    assert.instance(
      failure(() => simulate({ pes: 1 }, other as never)),
      UsageError,
      String(other),
    );
  }
});

simulation("an async generator function is no program", () => {
  const error = failure(() => simulate({ pes: 2 }, async function* () {} as never));
  assert.instance(error, UsageError);
  assert.match(error.message, /got an async one/);
});

simulation("work takes numbers only, and leaves the clock as it was otherwise", () => {
  for (const ns of ["5", null, undefined, 5n, Symbol("ns"), Object.create(null), Number.NaN, -1]) {
    const { results } = simulate({ pes: 1 }, function* (pe) {
      const before = pe.now;
      assert.instance(
        failure(() => pe.work(ns as never)),
        UsageError,
      );
      yield;
      return [before, pe.now];
    });
    const [before, after] = results[0];
    assert.type(after, "number");
    assert.ok(after >= before && after < before + 1000);
  }
});

simulation("events come in order of time, those of the same time in the order that was drawn", () => {
  const random = randomNumbers(1);
  const queue = eventQueue();
  const all = Array.from({ length: 2000 }, () => ({
    time: Math.floor(random() * 50),
    tie: random(),
    run() {},
  }));
  for (const [i, event] of all.entries()) {
    queue.push(event);
    if (i % 3 === 2) queue.push(queue.pop() as (typeof all)[0]);
  }
  assert.is(queue.length, 2000);
  all.sort((a, b) => a.time - b.time || a.tie - b.tie);
  for (const event of all) assert.is(queue.pop(), event);
  assert.is(queue.pop(), undefined);
});

simulation.run();
