/** Conveyors and selectors of groups of virtual PEs: as on threads; what goes wrong in them. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { biconveyor, conveyor } from "../../../src/conveyor.ts";
import { MismatchError, RankLostError, UsageError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { f64, u32 } from "../../../src/ground/item/item-type.ts";
import { readMachine } from "../../../src/machine/model/model.ts";
import type { PE } from "../../../src/pe/pe.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { fixture } from "../../support/paths.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import program from "./programs/groups.program.ts";

const file = sibling("./programs/groups.program.js", import.meta.url);

const run = <T>(options: Partial<SimulationOptions>, main: (pe: PE) => Promise<T>) =>
  simulateAsync({ pes: 4, memoryBytes: 2 ** 26, timeout: 100, ...options }, main);

async function failure(options: Partial<SimulationOptions>, main: (pe: PE) => Promise<unknown>) {
  try {
    await run(options, main);
  } catch (error) {
    return error as Error;
  }
  return assert.unreachable("nothing was thrown") as never;
}

const groups = suite("conveyors of groups of virtual PEs");

groups("the same results as on threads, on any nodes, with any delays", async () => {
  const expected = await launchPooled(file, { pes: 4, heapBytes: 2 ** 25, waitTimeout: 60_000 });
  for (const [nodes, jitter] of [
    [1, 0],
    [1, 5],
    [2, 0],
    [2, 20],
    [4, 5],
  ] as const) {
    const { results } = await simulateAsync({ pes: 4, nodes, jitter, memoryBytes: 2 ** 26 }, program);
    assert.equal(results, expected, `${nodes} nodes, jitter ${jitter}`);
  }
});

groups("traffic is that of the group: its PEs alone, and between the nodes that they are on", async () => {
  const { conveyors } = await run({ pes: 6, nodes: 3 }, async (pe) => {
    if (pe.rank < 2) return;
    // on nodes 1 and 2
    using group = pe.group([5, 2, 4, 3]);
    for await (const _ of conveyor(group, u32, { hops: 1 }).batches(async (push) => {
      for (let to = 0; to < group.size; to++) await push(to, to);
    }));
  });
  assert.is(conveyors.length, 1);
  const [hop] = conveyors[0]?.hops ?? [];
  assert.equal([hop?.items, hop?.remoteMessages], [16, 8]);
});

groups("the same ranks in another order are refused, on one node and over nodes", async () => {
  for (const nodes of [1, 2, 4]) {
    const error = await failure({ nodes }, async (pe) => {
      const group = pe.group(pe.rank < 2 ? [0, 1, 2, 3] : [0, 1, 3, 2]);
      await group.allreduceAsync(1, "sum");
    });
    assert.instance(error.cause ?? error, MismatchError, String(error));
    assert.match(error.message, /group\(\[0, 1, 3, 2\]\): another PE .* with the same ranks in another order/);
  }
});

groups("a model's domains and its matrix are those of the group's PEs", async () => {
  const machine = await readMachine(fixture("machines", "c2c-dual-intel-xeon-platinum-8358-cpu-2-60ghz.json"));
  const texts = new Map<string, string>();
  const members = [0, 1, 40, 41];
  for (const nodes of [1, 2]) {
    await run({ pes: 64 * nodes, nodes, machine }, async (pe) => {
      if (!members.includes(pe.rank % 64)) return;
      const group = pe.group(Array.from({ length: nodes }, (_, node) => members.map((one) => 64 * node + one)).flat());
      const c = conveyor(group, f64, { load: 100 });
      texts.set(`${nodes}`, c.explain());
    });
  }
  assert.match(texts.get("1") as string, /4 PEs/);
  assert.match(texts.get("2") as string, /8 PEs on 2 nodes/);
});

groups(
  "a PE that does not make the group's conveyor alike, or leaves in its session, by its rank in the world",
  async () => {
    const other = await failure({}, async (pe) => {
      if (pe.rank > 0) conveyor(pe.group([3, 2, 1]), pe.rank === 2 ? f64 : u32);
    });
    assert.ok(other instanceof MismatchError, String(other));
    assert.match(other.message, /Another PE has made a conveyor or an exchange with .*, PE [123] with/);
    for (const nodes of [1, 2]) {
      const left = await failure({ nodes }, async (pe) => {
        if (pe.rank === 0) return;
        const c = conveyor(pe.group([3, 2, 1]), u32);
        await c.beginAsync();
        if (pe.rank === 2) return;
        while (await c.advanceAsync(true));
      });
      assert.ok(left instanceof RankLostError && left.rank === 2, String(left));
      const thrown = await failure({ nodes }, async (pe) => {
        if (pe.rank === 0) return;
        const c = biconveyor(pe.group([3, 2, 1]), u32, u32, () => {
          throw new Error("no answer");
        });
        await c.runAsync(() => (pe.rank === 1 ? c.askAll(Uint32Array.of(1), Uint32Array.of(7)) : undefined));
      });
      assert.ok(thrown instanceof RankLostError && thrown.rank === 2, String(thrown));
      assert.match((thrown.cause as Error).message, /no answer/);
    }
  },
);

groups("a call that would block, and a group that was left, are refused", async () => {
  const { cause: blocking } = await failure({}, async (pe) => conveyor(pe.group([0, 1, 2, 3]), u32).begin());
  assert.ok(blocking instanceof UsageError && /beginAsync/.test(blocking.message), String(blocking));
  const { cause: left } = await failure({}, async (pe) => {
    const group = pe.group([0, 1, 2, 3]);
    group.leave();
    conveyor(group, u32);
  });
  assert.match((left as Error).message, /left/);
});

groups.run();
