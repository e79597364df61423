/** What is found for a reduction is as fast as what is found for a broadcast on the mirrored machine, and the reverse. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MachineModel, Matrix } from "../../../src/machine/model/machine-model.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { TreeOptions } from "../../../trees/generate/options.ts";
import { LONG, rounds } from "../../support/long.ts";
import { loadMachine, machineNames } from "../support/reference.ts";

const test = suite("mirror");

/** Where a published tree is as good, it may be the one that is named, and its sums are others. */
const ROUNDING = 1e-12;

/** The machine run backwards: who sent receives. */
function mirrored(machine: MachineModel): MachineModel {
  const turned = (matrix: Matrix): Matrix => matrix.map((_, from) => matrix.map((row) => row[from] as number));
  const { propagate, ...rest } = machine;
  return {
    ...rest,
    send: turned(machine.receive),
    receive: turned(machine.send),
    ...(propagate && { propagate: turned(propagate) }),
  };
}

function assertDual(machine: MachineModel, options: TreeOptions): void {
  const one = generateTrees(machine, options);
  const other = generateTrees(mirrored(machine), options);
  for (const [a, b] of [
    [one.broadcast, other.reduce],
    [one.reduce, other.broadcast],
  ] as const) {
    const text = `${machine.name}, ${JSON.stringify(options)}: ${a.latency}, ${b.latency}`;
    assert.ok(Math.abs(a.latency - b.latency) <= ROUNDING * a.latency, text);
  }
}

test("machines of at most 128 PEs", () => {
  for (const name of LONG ? machineNames : machineNames.filter((_, i) => i % 10 === 0)) {
    const machine = loadMachine(name);
    if (machine.pes.length <= 128) assertDual(machine, { moves: rounds(1000, 5000) });
  }
});

test("with a root, and of some PEs only", () => {
  const machine = loadMachine("c2c-amd-epyc-7773x");
  const cores = machine.pes.map((_, pe) => pe).filter((pe) => pe % 3 !== 1);
  assertDual(machine, { moves: rounds(5000, 20_000), root: 5 });
  assertDual(machine, { moves: rounds(5000, 20_000), cores, root: 9, seed: 7 });
});

test("as long as a search usually takes", () => assertDual(loadMachine("mctop-maglite"), {}));

test.run();
