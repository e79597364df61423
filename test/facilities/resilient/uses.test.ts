/** Resilient groups: whose trees are repaired, what is refused, and what ends the world as ever. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { resilient } from "../../../src/facilities/resilient/resilient.ts";
import { MismatchError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { createWorld, join, launch, type PE, RankLostError } from "../../../src/index.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../../src/machine/model/select.ts";
import type { SimulatedFault } from "../../../src/running/simulate/options.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { CollectivePlan } from "../../../trees/model/tree.ts";
import { repairTrees } from "../../../trees/repair/repair-trees.ts";
import { loadMachine } from "../../trees/support/reference.ts";

const test = suite("uses of resilient groups");
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
async function told(call: () => unknown): Promise<string> {
  try {
    await call();
    return "nothing";
  } catch (error) {
    return (error as Error).message;
  }
}
const crash = (pe: number, at: number): SimulatedFault => ({ pe, at, kind: "crash" });

test("the trees are repaired, one loss after the other, the same at all PEs", async () => {
  const pes = 5;
  const machine = selectPEs(loadMachine("c2c-amd-epyc-74f3-24-core-processor"), [0, 1, 9, 17, 20]);
  const trees = generateTrees(machine);
  const module = sibling("./programs/trees.program.js", import.meta.url);
  const options = { pes, trees, args: 3, onLoss: "continue", timeout: 60_000 } as const;
  type Told = { readonly plans: readonly CollectivePlan[]; readonly model: MachineModel };
  const all = (await launch<unknown>(module, options)) as Told[];
  let before: CollectivePlan = trees;
  for (const [loss, last] of [4, 3, 2].entries()) {
    const now = repairTrees(before, selectPEs(all[0].model, range(last + 1)), last);
    for (const { plans } of all.slice(0, 2)) {
      const { broadcast, reduce, barrier } = plans[loss];
      assert.equal([broadcast, reduce, barrier], [now.broadcast, now.reduce, now.barrier]);
    }
    before = now;
  }
});

test("several calls at once: each counts at all that are left, in order", async () => {
  for (let at = 5000; at < 60_000; at += 1009) {
    const { results } = await simulateAsync(
      { pes: 4, seed: at, jitter: 2, faults: [crash(at % 4, at)], onLoss: "continue" },
      async (pe) => {
        const all = resilient(pe);
        const calls = range(12).map((k) => all.allgatherAsync({ k }, { timeout: 1000 }));
        return (await Promise.all(calls)).map((list) => list.map((one) => one?.k));
      },
    );
    const [first, ...others] = results.filter((one: unknown) => !(one instanceof RankLostError)) as number[][][];
    for (const one of others) assert.equal(one, first, String(at));
    for (const [k, list] of (first as number[][]).entries())
      assert.ok(list.filter((one) => one === k).length >= 3 && list.every((one) => one === k || one === undefined));
  }
});

test("what is refused changes nothing", async () => {
  const { results } = await simulateAsync({ pes: 2 }, async (pe) => {
    const all = resilient(pe);
    const messages = [
      await told(() => all.barrier()),
      await told(() => all.broadcastAsync(1, 2)),
      await told(() => all.alltoallAsync([1, 2, 3])),
      await told(() => all.scatterAsync([1, 2, 3], pe.rank)),
      await told(() => all.reduceScatterAsync([1], "sum")),
      await told(() => all.alltoallvAsync([new Float64Array(1)])),
      await told(() => all.barrierAsync({ into: 1 } as object)),
    ];
    const pending = all.allreduceAsync(pe.rank + 1, "sum");
    messages.push(await told(() => all.leave()), String(await pending));
    all.leave();
    all.leave();
    return [...messages, await told(() => all.barrierAsync())];
  });
  const expected = [
    /^barrier: expected a call that does not block/,
    /^root: expected a rank from 0 to 1, got 2/,
    /^alltoall: expected a typed array whose length is a multiple of 2, or a list of 2 values/,
    /^scatter: expected at the root/,
    /^reduceScatter: expected/,
    /^alltoallv: expected a list of 2 typed arrays/,
    /unknown option 'into'/,
    /^leave: a call of this resilient group is still under way/,
    /^3$/,
    /^barrier: this PE has left the resilient group/,
  ];
  for (const messages of results as string[][])
    for (const [i, message] of messages.entries()) assert.match(message, expected[i] as RegExp);
});

test("a blocking call waits for no pending one", async () => {
  using host = await createWorld({ pes: 2, pin: false });
  const [own, other] = await Promise.all([join(host.ticket(0)), join(host.ticket(1))]);
  const all = resilient(own);
  const pending = all.barrierAsync();
  assert.match(await told(() => all.barrier()), /still under way/);
  await Promise.all([pending, resilient(other).barrierAsync()]);
  own.leave();
  other.leave();
});

test("a plain call of the group does not match one of the resilient group", async () => {
  for (const call of ["barrier", "allreduce"] as const) {
    const seen = await simulateAsync({ pes: 3 }, async (pe) => {
      const all = resilient(pe);
      const one = pe.rank === 1 ? pe : all;
      await (call === "barrier" ? one.barrierAsync() : one.allreduceAsync(1, "sum"));
    }).catch((error: unknown) => error);
    assert.instance(seen, MismatchError, String(seen));
    assert.match(String(seen), /of a resilient group/);
  }
});

test("groups of the PEs of one node, and over nodes, in one world", async () => {
  const { results } = await simulateAsync(
    { pes: 4, nodes: 2, onLoss: "continue", faults: [crash(1, 30_000)] },
    async (pe) => {
      const all = resilient(pe);
      const own = resilient((await pe.splitAsync(pe.node)) as PE);
      for (let k = 0; k < 10 || all.lost.length === 0; k++) await all.barrierAsync();
      return [await own.allreduceAsync(pe.rank, "sum"), await all.allreduceAsync(pe.rank, "sum"), all.explain()];
    },
  );
  for (const [rank, result] of (results as [number, number, string][]).entries()) {
    if (rank === 1) continue;
    assert.equal(result.slice(0, 2), [rank < 2 ? 0 : 5, 5]);
    assert.match(result[2], /^between 2 nodes/);
  }
});

test("over nodes: a PE that returns without a call is lost, and one that has made its last one is not", async () => {
  for (let at = 5000; at < 40_000; at += 997) {
    const { results } = await simulateAsync(
      { pes: 6, nodes: 3, seed: at, jitter: 2, onLoss: "continue", faults: [crash(5, at)] },
      async (pe) => {
        const all = resilient(pe);
        for (let k = 0; k < (pe.rank === 2 ? 3 : 6); k++) await all.allreduceAsync(1, "sum");
        return all.lost;
      },
    );
    const [zero, one, , three, four] = results as (readonly number[])[];
    assert.equal([one, three, four], [zero, zero, zero], String(at));
    assert.ok((zero as number[]).includes(2), String(at));
  }
});

const worlds: readonly [what: string, run: (pe: PE) => unknown, options: object, told: RegExp][] = [
  [
    'a loss in a world that ends with it (onLoss: "end")',
    async (pe) => {
      const all = resilient(pe);
      for (;;) await all.barrierAsync();
    },
    { faults: [crash(1, 20_000)] },
    /^PE 1 .*crashed/,
  ],
  [
    "a PE that does not come, after a timeout",
    async (pe) => {
      const all = resilient(pe);
      for (;;) await all.barrierAsync({ timeout: 5 });
    },
    { onLoss: "continue", faults: [{ pe: 1, at: 20_000, kind: "stall", lasting: 1e9 }] },
    /^PE 0 waited for .* longer than it was given.*barrier of a resilient group/,
  ],
  [
    "calls that do not match",
    async (pe) => {
      const all = resilient(pe);
      await (pe.rank === 0 ? all.barrierAsync() : all.allreduceAsync(1, "sum"));
    },
    { onLoss: "continue" },
    /PE 0 called barrier of a resilient group; PE 1 called allreduce/,
  ],
  [
    "over nodes: a PE that does not come, after a timeout",
    async (pe) => {
      const all = resilient(pe);
      for (;;) await all.barrierAsync({ timeout: 5 });
    },
    { nodes: 2, onLoss: "continue", faults: [{ pe: 1, at: 20_000, kind: "stall", lasting: 1e9 }] },
    /^PE 0 waited for .* longer than it was given.*barrier of a resilient group/,
  ],
  [
    "over nodes: calls that do not match",
    async (pe) => {
      const all = resilient(pe);
      await (pe.rank === 0 ? all.barrierAsync() : all.allreduceAsync(1, "sum"));
    },
    { nodes: 2, onLoss: "continue" },
    /PE 0 called barrier of a resilient group.*; PE 1 called allreduce/,
  ],
];
for (const [what, run, options, message] of worlds) {
  test(`the world ends: ${what}`, async () => {
    assert.match(await told(() => simulateAsync({ pes: 2, ...options }, run)), message);
  });
}

test("an op that throws loses its PE, and the others go on", async () => {
  const { results } = await simulateAsync({ pes: 3, onLoss: "continue" }, async (pe) => {
    const all = resilient(pe);
    const op = (a: number, b: number) => {
      if (pe.rank === 1) throw new RangeError("out of luck");
      return a + b;
    };
    const sum = await all.scanAsync(2 ** pe.rank, op);
    return [sum, all.lost, await all.alltoallAsync(Int32Array.of(1, 2, 3)), all.explain().includes("barrier")];
  });
  assert.equal(results[0], [1, [1], Int32Array.of(1, 0, 1), true]);
  assert.equal(results[2], [5, [1], Int32Array.of(3, 0, 3), true]);
});

test.run();
