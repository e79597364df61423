import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError } from "../../../src/ground/base/errors.ts";
import type { Cpu, Topology } from "../../../src/machine/model/machine-model.ts";
import { readHwloc } from "../../../src/machine/topology/hwloc.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { testUnless } from "../../support/skip.ts";
import { noHwloc } from "../surroundings.ts";

const test = suite("usable");

interface Shape {
  packages: number;
  cores: number;
  threads: number;
}

/** Numbered as Linux does: the first threads of all cores, then the second ones. */
function machine({ packages, cores, threads }: Shape, quota: number | null, allowed = (_: number) => true): Topology {
  const all = packages * cores;
  const cpus: Cpu[] = Array.from({ length: all * threads }, (_, cpu) => {
    const socket = Math.floor((cpu % all) / cores);
    return { cpu, core: cpu % all, l3: socket, numa: socket, package: socket, allowed: allowed(cpu) };
  });
  return {
    source: "sysfs",
    brand: "test",
    isThisMachine: false,
    cpus,
    caches: [],
    numaNodes: [],
    memoryBytes: null,
    quota,
    notes: [],
  };
}

const numbers = (cpus: Cpu[]) => cpus.map((cpu) => cpu.cpu);
const shape = { packages: 2, cores: 2, threads: 2 };

test("one CPU per core, the first allowed sibling", () => {
  assert.equal(numbers(usableCpus(machine(shape, null))), [0, 1, 2, 3]);
  assert.equal(numbers(usableCpus(machine(shape, null, (cpu) => cpu !== 0))), [4, 1, 2, 3]);
  assert.equal(numbers(usableCpus(machine(shape, null, (cpu) => cpu % 4 === 3))), [3]);
});

test("all siblings, side by side, when asked for", () => {
  assert.equal(numbers(usableCpus(machine(shape, null), { smt: true })), [0, 4, 1, 5, 2, 6, 3, 7]);
});

test("the quota caps, at least 1, and prefers cores to siblings", () => {
  assert.equal(numbers(usableCpus(machine(shape, 2.5, (cpu) => cpu !== 0))), [4, 1]);
  assert.equal(numbers(usableCpus(machine(shape, 0.5))), [0]);
  assert.equal(numbers(usableCpus(machine(shape, 64))), [0, 1, 2, 3]);
  assert.equal(numbers(usableCpus(machine(shape, 4), { smt: true })), [0, 1, 2, 3]);
  assert.equal(numbers(usableCpus(machine(shape, 5), { smt: true })), [0, 4, 1, 2, 3]);
});

test("no CPU at all is an error that says where to look", () => {
  assert.throws(
    () => usableCpus(machine(shape, null, () => false)),
    (error: Error) => error instanceof EnvironmentError && error.message.includes("Cpus_allowed_list"),
  );
});

test("for any shape, mask and quota", () => {
  const cases = fc.record({
    shape: fc.record({
      packages: fc.integer({ min: 1, max: 4 }),
      cores: fc.integer({ min: 1, max: 9 }),
      threads: fc.integer({ min: 1, max: 4 }),
    }),
    quota: fc.option(fc.double({ min: 0.01, max: 200, noNaN: true })),
    bits: fc.array(fc.boolean(), { minLength: 1, maxLength: 64 }),
    smt: fc.boolean(),
  });
  fc.assert(
    fc.property(cases, ({ shape: given, quota, bits, smt }) => {
      const topology = machine(given, quota, (cpu) => cpu === 0 || bits[cpu % bits.length] === true);
      const cpus = usableCpus(topology, { smt });
      const allowed = topology.cpus.filter((cpu) => cpu.allowed);
      const most = smt ? allowed.length : new Set(allowed.map((cpu) => cpu.core)).size;
      assert.is(cpus.length, Math.min(most, Math.max(1, Math.floor(quota ?? most))));
      assert.ok(cpus.every((cpu) => cpu.allowed));
      assert.is(new Set(numbers(cpus)).size, cpus.length);
      if (!smt) assert.is(new Set(cpus.map((cpu) => cpu.core)).size, cpus.length);
      const sockets = cpus.map((cpu) => cpu.package as number);
      assert.equal(
        sockets,
        [...sockets].sort((a, b) => a - b),
      );
    }),
  );
});

testUnless(test, noHwloc, "hwloc: 64 cores of pack:2 [numa] l3:4 core:8 pu:2, packages one after the other", () => {
  const cpus = usableCpus(readHwloc({ synthetic: "pack:2 [numa] l3:4 core:8 pu:2" }));
  assert.equal(
    numbers(cpus),
    Array.from({ length: 64 }, (_, core) => 2 * core),
  );
});

testUnless(test, noHwloc, "hwloc: CPUs dealt out to the packages in turn are put together again", () => {
  const cpus = usableCpus(readHwloc({ synthetic: "pack:2 l3:2 core:2 pu:1(indexes=0,4,2,6,1,5,3,7)" }));
  assert.equal(numbers(cpus), [0, 4, 2, 6, 1, 5, 3, 7]);
  assert.equal(
    cpus.map((cpu) => cpu.package),
    [0, 0, 0, 0, 1, 1, 1, 1],
  );
});

test.run();
