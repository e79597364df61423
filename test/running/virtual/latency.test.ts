/** Times of collectives on virtual PEs against the model of trees. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { readMachine } from "../../../src/machine/model/model.ts";
import type { PE } from "../../../src/pe/pe.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { treeLatency } from "../../../trees/model/latency.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import { rounds } from "../../support/long.ts";
import { fixture } from "../../support/paths.ts";

const machineOf = (name: string): Promise<MachineModel> => readMachine(fixture("machines", `${name}.json`));

/** Many machines side by side as one node: between two of them the cost is the largest within one. */
function tiled(machine: MachineModel, size: number): MachineModel {
  const side = machine.pes.length;
  const tile = (matrix: MachineModel["send"]) => {
    const most = Math.max(...matrix.map((row) => Math.max(...row)));
    return Array.from({ length: size }, (_, i) => {
      const row = matrix[i % side] as readonly number[];
      const first = i - (i % side);
      return Array.from({ length: size }, (_, j) =>
        j >= first && j < first + side ? (row[j - first] as number) : most,
      );
    });
  };
  const { propagate: _, ...rest } = machine;
  const pes = Array.from({ length: size }, (_, cpu) => ({ cpu, core: null, numa: null, package: null }));
  return { ...rest, pes, send: tile(machine.send), receive: tile(machine.receive) };
}

/** Times of the calls, from when the first PE calls until the last one is done; and the trees. */
async function timed(pes: number, machine: MachineModel) {
  let trees: Trees | undefined;
  const { results } = await simulateAsync({ pes, machine, memoryBytes: 2 ** 28 }, async (pe: PE) => {
    trees ??= pe.trees;
    const times = [pe.now];
    await pe.broadcastAsync(1, pe.trees.broadcast.root);
    times.push(pe.now);
    await pe.barrierAsync();
    times.push(pe.now);
    await pe.reduceAsync(1, "sum", pe.trees.reduce.root);
    times.push(pe.now);
    return times;
  });
  const last = (i: number) => Math.max(...results.map((times) => times[i] as number));
  const first = (i: number) => Math.min(...results.map((times) => times[i] as number));
  return {
    trees: trees as Trees,
    broadcast: last(1) - first(0),
    barrier: last(2) - last(1),
    reduce: last(3) - last(2),
  };
}

const within = (got: number, expected: number, share: number, what: string) =>
  assert.ok(Math.abs(got - expected) <= share * expected, `${what}: ${got} ns, by the model ${expected}`);

const latency = suite("times of collectives");

for (const name of ["c2c-apple-m2-max", "c2c-dual-intel-xeon-platinum-8358-cpu-2-60ghz"]) {
  latency(`all PEs of ${name}: what treeLatency says`, async () => {
    const machine = await machineOf(name);
    const { trees, broadcast, barrier, reduce } = await timed(machine.pes.length, machine);
    within(broadcast, treeLatency(trees.broadcast, machine), 0.02, "broadcast");
    // children are received in a fixed order, in the model in that of their arrival
    within(reduce, treeLatency(trees.reduce, machine, "reduce"), 0.15, "reduce");
    assert.ok(barrier < 1.5 * trees.barrier.latency, `barrier: ${barrier} ns, by the model ${trees.barrier.latency}`);
  });
}

latency("PEs that forward have their relay", async () => {
  const plain = await machineOf("c2c-apple-m2-max");
  const machine = { ...plain, relay: plain.pes.map((_, pe) => 100 + 10 * pe) };
  const { trees, broadcast } = await timed(machine.pes.length, machine);
  assert.ok(Object.keys(trees.broadcast.children).length > 1, "some forward");
  within(broadcast, treeLatency(trees.broadcast, machine), 0.02, "broadcast");
});

const MANY = rounds(512, 4096);
latency(`${MANY} PEs, machines of 64 CPUs side by side: what treeLatency says`, async () => {
  const machine = tiled(await machineOf("c2c-dual-intel-xeon-platinum-8358-cpu-2-60ghz"), MANY);
  const { trees, broadcast } = await timed(MANY, machine);
  within(broadcast, treeLatency(trees.broadcast, machine), 0.02, "broadcast");
});

latency.run();
