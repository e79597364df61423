/** Placement: which CPUs the PEs go to, and what the world's model says of the costs between them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { place } from "../../../src/links/world/placement.ts";
import type { Cpu, Topology } from "../../../src/machine/model/machine-model.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { syntheticMachine } from "../../collectives/support/plans.ts";

/** A machine of `n` cores under one cache. */
function topology(n: number, more: Partial<Topology> = {}, allowed: (cpu: number) => boolean = () => true): Topology {
  const cpus = Array.from(
    { length: n },
    (_, cpu): Cpu => ({ cpu, core: cpu, l3: 0, numa: 0, package: 0, allowed: allowed(cpu) }) as Cpu,
  );
  return { brand: "synthetic", source: "sysfs", cpus, quota: null, ...more } as Topology;
}

const placement = suite("placement");

placement("one PE per usable CPU, unless told otherwise; more wrap around", () => {
  const t = topology(4);
  const usable = usableCpus(t);
  assert.equal(place(t, usable, undefined, undefined).cpus.toSorted(), [0, 1, 2, 3]);
  for (const pes of [1, 3, 4, 9]) {
    const { cpus, cores, model } = place(t, usable, pes, undefined);
    assert.is(cpus.length, pes);
    assert.is(cores, Math.min(pes, 4));
    assert.is(new Set(cpus).size, Math.min(pes, 4));
    for (let i = 4; i < pes; i++) assert.is(cpus[i], cpus[i - 4]);
    assert.is(model.pes.length, pes);
    for (const matrix of [model.send, model.receive]) {
      assert.is(matrix.length, pes);
      for (const [i, row] of matrix.entries()) {
        assert.is(row.length, pes);
        for (const [j, cost] of row.entries()) assert.ok(i === j ? cost === 0 : cost > 0, `${i} to ${j}: ${cost}`);
      }
    }
  }
});

placement("CPUs that may not be used get no PE", () => {
  const t = topology(6, {}, (cpu) => cpu % 2 === 1);
  assert.equal(place(t, usableCpus(t), undefined, undefined).cpus.toSorted(), [1, 3, 5]);
  const machine = syntheticMachine(6);
  assert.equal(place(t, usableCpus(t), undefined, machine).cpus.toSorted(), [1, 3, 5]);
});

placement("a measured model gives the costs, by CPU", () => {
  const t = topology(4);
  const machine = { ...syntheticMachine(4), internode: { alpha: 1500, beta: 0.1 } };
  const { cpus, model } = place(t, usableCpus(t), 4, machine);
  assert.is(model.name, machine.name);
  assert.equal(model.internode, machine.internode);
  for (const [i, from] of cpus.entries()) {
    for (const [j, to] of cpus.entries()) assert.is(model.send[i][j], machine.send[from][to]);
  }
});

placement("a model that knows none of the CPUs is not used", () => {
  const t = topology(2);
  const machine = syntheticMachine(2);
  const far = { ...machine, pes: machine.pes.map((pe) => ({ ...pe, cpu: pe.cpu + 100 })) };
  const { cpus, model } = place(t, usableCpus(t), undefined, far);
  assert.equal(cpus.toSorted(), [0, 1]);
  assert.is.not(model.name, machine.name);
});

placement("a quota of CPU time bounds the default, and the cores that PEs can count on", () => {
  const t = topology(8, { quota: 2.5 });
  const { cpus, cores } = place(t, usableCpus(t), undefined, undefined);
  assert.equal([cpus.length, cores], [2, 2]);
  assert.is(place(t, usableCpus(t), 6, undefined).cores, 2);
});
placement.run();
