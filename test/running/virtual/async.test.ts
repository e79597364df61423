/** Async programs on virtual PEs: virtual time, the same run again, what goes wrong, what would block. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appendBufferAsync, appendRecordsAsync } from "../../../src/append.ts";
import { biconveyor, conveyor, elasticConveyor, selector, valueConveyor } from "../../../src/conveyor.ts";
import { exchange } from "../../../src/exchange.ts";
import type { Conveyor } from "../../../src/facilities/conveyor/front/conveyor.ts";
import type { ElasticConveyor } from "../../../src/facilities/conveyor/front/elastic-conveyor.ts";
import {
  AbortedError,
  HeapError,
  MismatchError,
  NoPEError,
  RankLostError,
  StateError,
  TimeoutError,
  UsageError,
  WorldClosedError,
} from "../../../src/ground/base/errors.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { readMachine } from "../../../src/machine/model/model.ts";
import { allreduceAsync, barrier, barrierAsync, diagnose, gatherAsync, scanAsync } from "../../../src/pe/functions.ts";
import type { PE } from "../../../src/pe/pe.ts";
import { spmd } from "../../../src/pe/spmd.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { fixture } from "../../support/paths.ts";
import oneSource from "./programs/one-source.program.ts";

type Program = (pe: PE) => unknown;

const run = <T>(options: Partial<SimulationOptions>, program: (pe: PE) => T) =>
  simulateAsync({ pes: 4, memoryBytes: 2 ** 25, timeout: 100, ...options }, program);

/** What the run is rejected with. */
async function failure(options: Partial<SimulationOptions>, program: Program): Promise<Error> {
  try {
    await run(options, program);
  } catch (error) {
    return error as Error;
  }
  return assert.unreachable("nothing was thrown") as never;
}

const async = suite("simulateAsync");

async("the same seed gives the same run, event by event; another seed another", async () => {
  for (const nodes of [1, 2]) {
    const options = { pes: 4, nodes, jitter: 3, memoryBytes: 2 ** 25 };
    const first = await simulateAsync({ ...options, seed: 5 }, oneSource);
    assert.equal(await simulateAsync({ ...options, seed: 5 }, oneSource), first);
    assert.is.not((await simulateAsync({ ...options, seed: 6 }, oneSource)).time, first.time);
  }
});

async("the first advance of a session waits for nothing, as pushes come after it", async () => {
  for (const sessions of [1, 3]) {
    const { time } = await run({ pes: 2 }, async (pe) => {
      const c = conveyor(pe, u32);
      let got = 0;
      for (let session = 0; session < sessions; session++) {
        await c.beginAsync();
        for (let i = 0; (await c.advanceAsync(i === 10)) !== 0; ) {
          for (; i < 10 && c.push(1 - pe.rank, i); i++);
          for (; c.pull(); got++);
        }
        c.reset();
      }
      assert.is(got, 10 * sessions);
    });
    // ns: an advance without progress takes up to a millisecond
    assert.ok(time < 500_000, `${sessions} sessions took ${time} ns`);
  }
});

async("an advance ends when there is room for a push that found none", async () => {
  const ITEMS = 40;
  const kinds: readonly ((pe: PE) => {
    c: Conveyor | ElasticConveyor;
    push(i: number): boolean;
    item(): unknown;
  })[] = [
    (pe) => {
      const c = conveyor(pe, u32, { type: "trivial" });
      return { c, push: (i) => c.push(1, i), item: () => c.item };
    },
    (pe) => {
      const c = elasticConveyor(pe, { bufferBytes: 1, buffersPerLink: 1 });
      return { c, push: (i) => c.push(1, Uint8Array.of(i, 0)), item: () => c.bytes[0] };
    },
  ];
  for (const kind of kinds) {
    const { time, results } = await run({ pes: 2, nodes: 2 }, async (pe) => {
      const { c, push, item } = kind(pe);
      const got: unknown[] = [];
      await c.beginAsync();
      let i = pe.rank === 0 ? 0 : ITEMS;
      do {
        for (; i < ITEMS && push(i); i++);
        while (c.pull()) got.push(item());
      } while (await c.advanceAsync(i === ITEMS));
      c.reset();
      return got;
    });
    assert.equal(results, [[], Array.from({ length: ITEMS }, (_, i) => i)]);
    // one that ended after its millisecond only would take that for each item, or for each few
    assert.ok(time < 1e6, `${time} ns`);
  }
});

async("an advance ends when a buffer comes that a pull before it has asked for", async () => {
  const ITEMS = 60;
  const { time, results } = await run({ pes: 4, nodes: 4 }, async (pe) => {
    const rigid = conveyor(pe, u32, { type: "trivial" });
    const elastic = elasticConveyor(pe, { bufferBytes: 64, buffersPerLink: 1 });
    const got = [0, 0];
    for (const [which, c] of [rigid, elastic].entries()) {
      const push = (i: number, dest: number) =>
        c === rigid ? rigid.push(dest, i) : elastic.push(dest, new Uint8Array(64));
      await c.beginAsync();
      let i = 0;
      do {
        for (; i < ITEMS && push(i, (pe.rank + 1 + (i % 3)) % 4); i++);
        while (c.pull()) got[which]++;
      } while (await c.advanceAsync(i === ITEMS));
      c.reset();
    }
    return got;
  });
  assert.equal(results, Array(4).fill([ITEMS, ITEMS]));
  assert.ok(time < 1e6, `${time} ns`);
});

async("time is that of the model and of declared work; none passes in the program itself", async () => {
  const { results, time } = await run({ pes: 2 }, async (pe) => {
    const began = pe.now;
    await Promise.resolve();
    assert.is(pe.now, began);
    pe.work(1000);
    const worked = pe.now;
    await pe.broadcastAsync(1);
    return [worked - began, pe.now - worked];
  });
  // 50 ns to send, and then 50 to receive
  assert.equal(results, [
    [1000, 50],
    [1000, 100],
  ]);
  assert.ok(time >= 1100);
});

async("spmd() or a function, which need not wait; its argument", async () => {
  const options = { pes: 2, args: 7 };
  const program = (pe: PE, args: number) => pe.rank + args;
  assert.equal((await simulateAsync(options, program)).results, [7, 8]);
  assert.equal((await simulateAsync<number, number>(options, spmd(program))).results, [7, 8]);
});

async("what is awaited beside its calls: virtual time stands still", async () => {
  const { results } = await run({ pes: 3 }, async (pe) => {
    const before = pe.now;
    const text = await readFile(fileURLToPath(import.meta.url), "utf8");
    if (pe.rank === 1) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.is(pe.now, before);
    return pe.allreduceAsync(text.length, "max");
  });
  assert.is(new Set(results).size, 1);
});

async("several calls at once", async () => {
  const { results } = await run({ pes: 3 }, async (pe) => {
    const group = pe.group([0, 1, 2]);
    const both = await Promise.all([pe.allreduceAsync(1, "sum"), group.allreduceAsync(2, "sum"), pe.barrierAsync()]);
    group.leave();
    return both;
  });
  assert.equal(results, Array(3).fill([3, 6, undefined]));
});

async("a crash ends collectives, a stall delays them", async () => {
  const barriers: Program = async (pe) => {
    for (let i = 0; i < 10; i++) await pe.barrierAsync();
  };
  const { time } = await run({}, barriers);
  const stall = { pe: 2, at: 100, kind: "stall", lasting: 5e5 } as const;
  const { time: later } = await run({ faults: [stall] }, barriers);
  assert.ok(later > time + 4e5 && later < time + 6e5, `${later} ns instead of ${time}`);
  const error = await failure({ faults: [{ pe: 2, at: 100, kind: "crash" }] }, barriers);
  assert.ok(error instanceof RankLostError && error.rank === 2 && /crashed/.test(error.message));
});

const MISMATCHES: readonly [string, Program][] = [
  ["a barrier, an allreduce", (pe) => (pe.rank === 1 ? pe.allreduceAsync(1, "sum") : pe.barrierAsync())],
  ["other ops", (pe) => pe.allreduceAsync(1, pe.rank === 1 ? "sum" : "max")],
  ["other lengths", (pe) => pe.allreduceAsync(new Float64Array(pe.rank === 1 ? 3 : 4), "sum")],
  ["a group in another order", async (pe) => pe.group(pe.rank === 1 ? [1, 0, 2, 3] : [0, 1, 2, 3]).barrierAsync()],
];
for (const [name, program] of MISMATCHES) {
  for (const nodes of [1, 2]) {
    async(`calls that do not match on ${nodes} nodes: ${name}`, async () => {
      const error = await failure({ nodes }, program);
      assert.ok(error instanceof MismatchError, String(error));
      assert.match(error.message, /PE|same order/);
    });
  }
}

for (const nodes of [1, 2]) {
  async(`calls that do not match when all have returned, on ${nodes} nodes`, async () => {
    const roots = await failure({ nodes }, (pe) => pe.broadcastAsync(1, pe.rank));
    assert.instance(roots, MismatchError);
    assert.match(
      roots.message,
      nodes === 1
        ? /^At the end of the run: PE 0 called broadcast of a number at root 0 \(tree\); PE 1 called/
        : /^At the end of the run: PE 0 has made 1 collective call; PE 1 has made 1 collective call;/,
    );
    const group = await failure({ nodes }, async (pe) => {
      if (pe.rank < 3) pe.group([0, 1, 2]);
      if (pe.rank === 2) pe.group([0, 1, 2]);
    });
    assert.instance(group, MismatchError);
    assert.match(group.message, /among PE 0, 1, 2, Each of PE 0, 1 has made 1; PE 2 has made 2\./);
  });
}

async("a PE that returns without the call of the others", async () => {
  for (const nodes of [1, 2]) {
    const error = await failure({ nodes }, async (pe) => pe.rank === 3 || pe.barrierAsync());
    assert.ok(error instanceof RankLostError && error.rank === 3, String(error));
  }
});

async("PEs that wait for each other in two groups", async () => {
  const error = await failure({ pes: 2 }, async (pe) => {
    const groups = [pe.group([0, 1]), pe.group([0, 1])];
    if (pe.rank === 1) groups.reverse();
    for (const group of groups) await group.barrierAsync();
  });
  assert.ok(error instanceof TimeoutError || error instanceof MismatchError, String(error));
});

async("a call's own limit, and its signal", async () => {
  const late = await failure({ pes: 2 }, async (pe) => {
    if (pe.rank === 1) pe.work(5e6);
    await pe.barrierAsync({ timeout: 1 });
  });
  assert.ok(late instanceof TimeoutError, String(late));
  const control = new AbortController();
  const aborted = await failure({ pes: 2 }, async (pe) => {
    if (pe.rank === 0) return pe.barrierAsync({ signal: control.signal });
    const c = elasticConveyor(pe);
    await c.beginAsync();
    control.abort("enough");
    while (await c.advanceAsync(true));
  });
  assert.ok(aborted instanceof AbortedError, String(aborted));
});

async("what a PE throws is the cause", async () => {
  const mine = new Error("mine");
  const error = await failure({}, async (pe) => {
    await pe.barrierAsync();
    if (pe.rank === 2) throw mine;
    await pe.barrierAsync();
  });
  assert.ok(error instanceof RankLostError && error.rank === 2);
  assert.is(error.cause, mine);
});

const BLOCKING: readonly [string, Program][] = [
  ["barrierAsync", (pe) => pe.barrier()],
  ["broadcastAsync", (pe) => pe.broadcast(1)],
  ["allocAsync", (pe) => pe.alloc(Float64Array, 1)],
  ["beginAsync", (pe) => conveyor(pe, u32).begin()],
  ["advanceAsync", (pe) => elasticConveyor(pe).advance()],
  ["advanceAsync", (pe) => valueConveyor(pe).send(0, 1)],
  [
    "batches",
    (pe) =>
      conveyor(pe, u32).run(
        () => {},
        () => {},
      ),
  ],
  ["runAsync", (pe) => biconveyor(pe, u32, u32, (x) => x).take()],
  ["runAsync", (pe) => selector(pe, { one: u32 }).run(() => {}, { one: () => {} })],
];
for (const [instead, program] of BLOCKING) {
  async(`a call that would block is refused and names ${instead}`, async () => {
    const { cause } = await failure({}, async (pe) => program(pe));
    assert.ok(cause instanceof UsageError, String(cause));
    assert.match(cause.message, new RegExp(`use (await |for await \\(… of c\\.)${instead}\\(`));
  });
}

async(
  "free functions act on the PE whose program calls, whatever it has awaited before, and in all that it starts",
  async () => {
    const { results } = await run({ nodes: 2, jitter: 5 }, async (pe) => {
      using group = pe.group([0, 1, 2, 3]);
      const meanwhile = async () => {
        for (let i = 0; i < 50; i++) await group.barrierAsync();
      };
      const later = async () => {
        await new Promise((resolve) => setTimeout(resolve, 3 * (3 - pe.rank)));
        return gatherAsync(pe.rank, 1);
      };
      const [, gathered] = await Promise.all([meanwhile(), later()]);
      // a handler, which the machine calls
      let sum: Promise<number> | undefined;
      const actors = selector(pe, { go: u32 });
      await actors.runAsync((send) => send.go(pe.rank, 1), {
        go: () => {
          sum = scanAsync(1, "sum");
        },
      });
      return [gathered, await sum];
    });
    assert.equal(
      results.map(([gathered]) => gathered),
      [undefined, [0, 1, 2, 3], undefined, undefined],
    );
    assert.equal(
      results.map(([, scanned]) => scanned),
      [1, 2, 3, 4],
    );
  },
);

async("free functions of virtual PEs that would block are refused; after the run there is no PE", async () => {
  const { cause } = await failure({}, async () => barrier());
  assert.ok(cause instanceof UsageError && /use await barrierAsync\(/.test(cause.message), String(cause));
  const { cause: diagnosing } = await failure({}, async () => diagnose());
  assert.ok(diagnosing instanceof UsageError, String(diagnosing));
  assert.throws(
    () => barrierAsync(),
    (error: Error) => error instanceof NoPEError,
  );
});

async("a PE that is kept after its run: its calls are rejected", async () => {
  const kept: PE[] = [];
  const held: ReturnType<typeof exchange>[] = [];
  await run({ pes: 2, nodes: 2 }, async (pe) => {
    kept.push(pe);
    held.push(exchange(pe));
    await pe.barrierAsync();
  });
  const [pe] = kept as [PE];
  const calls = [
    () => pe.barrierAsync(),
    () => pe.allreduceAsync(1, "sum"),
    () => appendBufferAsync(pe, 8),
    () => (held[0] as ReturnType<typeof exchange>).finishAsync(() => {}),
  ];
  for (const call of calls) {
    const error = await (async () => call())().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof WorldClosedError || error instanceof StateError, `${call}: ${error}`);
  }
});

async("a mismatch that no PE catches is what the run is rejected with", async () => {
  const error = await failure({ pes: 2 }, (pe) =>
    pe.rank === 0 ? appendBufferAsync(pe, 8) : appendRecordsAsync(pe, u32, 2),
  );
  assert.ok(error instanceof MismatchError, String(error));
  assert.match(error.message, /^appendBuffer: PE \d has made it with .* and PE \d otherwise/);
});

async("runs in one another, and at the same time, each with its PEs", async () => {
  const sum = (pes: number) => simulateAsync({ pes, memoryBytes: 2 ** 22 }, () => allreduceAsync(1, "sum"));
  const { results } = await run({ pes: 2 }, async () => {
    const inner = await sum(3);
    return [inner.results, await allreduceAsync(1, "sum")];
  });
  assert.equal(results, Array(2).fill([[3, 3, 3], 2]));
  const both = await Promise.all([sum(2), sum(4)]);
  assert.equal(
    both.map(({ results: [first] }) => first),
    [2, 4],
  );
});

async("misuse", async () => {
  const refused = async (call: () => unknown, what: RegExp) => {
    try {
      await call();
    } catch (error) {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, what);
      return;
    }
    assert.unreachable("nothing was thrown");
  };
  await refused(() => simulateAsync({ pes: 2 }, 7 as never), /expected an async function .*got 7/);
  await refused(
    () => simulateAsync({ pes: 2 }, function* () {} as never),
    /got a generator function\. Run it with: simulate/,
  );
  await refused(() => simulateAsync({ pes: 0 }, () => {}), /pes/);
  await refused(() => simulate({ pes: 2 }, (async () => {}) as never), /got an async one\. .*simulateAsync/);
  await refused(() => simulate({ pes: 2 }, spmd(() => {}) as never), /got a program of spmd\(\)/);
  const { cause: work } = await failure({}, async (pe) => pe.work(-1));
  assert.ok(work instanceof UsageError);
  const { cause: group } = await failure({}, async (pe) => pe.group([0, 0]));
  assert.ok(group instanceof UsageError);
});

async("results are copies, as those of threads are: of arrays in the heap, too", async () => {
  const program = async (pe: PE) => (await pe.allocAsync(Float64Array, 2)).fill(pe.rank + 1);
  const { results } = await run({ pes: 2 }, program);
  await run({ pes: 2 }, async (pe) => (await pe.allocAsync(Float64Array, 64)).fill(7).length);
  assert.equal(results, [new Float64Array([1, 1]), new Float64Array([2, 2])]);
});

async("memory: arrays count, are reused in other sizes, and an error names the simulator's option", async () => {
  const { peakBytes } = await run({ pes: 2, memoryBytes: 2 ** 23 }, async (pe) => {
    for (let i = 0; i < 10; i++) {
      const x = await pe.allocAsync(Uint8Array, 2 ** 20 + 2 ** 16 * i);
      await pe.freeAsync(x);
    }
  });
  assert.ok(peakBytes > 3 * 2 ** 20 && peakBytes < 5 * 2 ** 20, String(peakBytes));
  for (const nodes of [1, 2]) {
    const { cause } = await failure({ pes: 2, nodes, memoryBytes: 2 ** 20 }, (pe) =>
      pe.allocAsync(Uint8Array, 2 ** 20),
    );
    assert.ok(cause instanceof HeapError, String(cause));
    assert.match(cause.message, /in the largest piece here\. Make the memory larger \(memoryBytes,/);
  }
});

async("messages of one link keep their order, whatever the delays are", async () => {
  const same = (ns: number) => [
    [0, ns],
    [ns, 0],
  ];
  const real = await readMachine(fixture("machines", "c2c-apple-m1-air.json"));
  const model = { ...real, unit: "ns", send: same(30), receive: same(30), propagate: same(300) } as const;
  for (let seed = 1; seed <= 20; seed++) {
    const { results } = await run({ pes: 2, machine: model, jitter: 10, seed }, async (pe) => {
      let sum = 0;
      for (let i = 0; i < 20; i++) sum += await pe.broadcastAsync(i);
      await pe.barrierAsync();
      return sum;
    });
    assert.equal(results, [190, 190], `seed ${seed}`);
  }
});

async("a program that calls again and again after the end of its world ends with it", async () => {
  const error = await failure({}, async (pe) => {
    if (pe.rank === 1) throw new Error("boom");
    for (;;) {
      try {
        await pe.barrierAsync();
        return;
      } catch {}
    }
  });
  assert.ok(error instanceof RankLostError && /PE 1 threw Error: boom/.test(error.message), error.message);
});

async("an abort in the turn in which the call was made", async () => {
  const error = await failure({ pes: 2 }, async (pe) => {
    if (pe.rank === 1) pe.work(1e6);
    const control = new AbortController();
    const call = pe.barrierAsync({ signal: control.signal });
    if (pe.rank === 0) control.abort("no");
    await call;
  });
  assert.ok(error instanceof AbortedError, error.message);
});

async.run();
