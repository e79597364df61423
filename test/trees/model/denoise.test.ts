/** Noise: outliers go, true differences stay, trees become better; and what is left as it is. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import type { MachineModel, Matrix } from "../../../src/machine/model/machine-model.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { denoise } from "../../../trees/model/denoise.ts";
import { treeLatency } from "../../../trees/model/latency.ts";
import { treeProblem } from "../../../trees/model/problem.ts";
import { rounds } from "../../support/long.ts";
import { loadMachine, machineNames, model, uniform } from "../support/reference.ts";

const test = suite("denoise");

const mapped = (matrix: Matrix, change: (cost: number, i: number, j: number) => number): number[][] =>
  matrix.map((row, i) => row.map((cost, j) => (i === j ? 0 : change(cost, i, j))));

/** The machine with every cost the median of its class. */
function smooth(machine: MachineModel): MachineModel {
  const { domains } = treeProblem(
    machine,
    machine.pes.map((_, pe) => pe),
  );
  const key = (i: number, j: number) => domains.map((domain) => domain[i] === domain[j]).join();
  const flat = (matrix: Matrix) => {
    const classes = new Map<string, number[]>();
    mapped(matrix, (cost, i, j) => classes.set(key(i, j), [...(classes.get(key(i, j)) ?? []), cost]).size);
    for (const list of classes.values()) list.sort((a, b) => a - b);
    return mapped(matrix, (_, i, j) => {
      const list = classes.get(key(i, j)) ?? [];
      return list[list.length >> 1] as number;
    });
  };
  return { ...machine, send: flat(machine.send), receive: flat(machine.receive) };
}

function noisy(machine: MachineModel, sigma: number, seed: number): MachineModel {
  const random = randomNumbers(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const shaken = (matrix: Matrix) => mapped(matrix, (cost) => cost * Math.exp(sigma * normal()));
  return { ...machine, send: shaken(machine.send), receive: shaken(machine.receive) };
}

test("an outlier becomes the median of its class; nothing else moves far", () => {
  const send = mapped(uniform(8, 100), (cost, i, j) => cost + ((3 * i + 5 * j) % 7) - 3);
  const row = send[2] as number[];
  row[5] = 20;
  row[6] = 900;
  const clean = denoise(model(send, uniform(8, 50)));
  const near = (cost: number | undefined) => assert.ok((cost ?? 0) >= 97 && (cost ?? 0) <= 103, `${cost}`);
  for (const [i, costs] of clean.send.entries()) for (const cost of costs.filter((_, j) => i !== j)) near(cost);
  assert.equal(clean.receive, uniform(8, 50));
});

test("the outliers of Smelt's Xeon are removed: sends within a socket are alike", () => {
  const xeon = loadMachine("smelt-intel-xeon-e5-v2-2x10");
  const inside = ({ send }: MachineModel) =>
    send.flatMap((row, i) => row.filter((_, j) => i !== j && xeon.pes[i]?.numa === xeon.pes[j]?.numa));
  assert.ok(Math.max(...inside(xeon)) > 100);
  assert.ok(Math.max(...inside(denoise(xeon))) < 80);
});

test("trees planned on noisy costs are better on the true ones", () => {
  const names = ["smelt-intel-xeon-e5-v2-2x10", "c2c-dual-intel-xeon-platinum-8358-cpu-2-60ghz", "mctop-lpd48core"];
  let [raw, clean] = [0, 0];
  for (const [i, name] of names.entries()) {
    const truth = smooth(loadMachine(name));
    const best = generateTrees(truth, { moves: rounds(10_000, 60_000) }).broadcast.latency;
    for (const sigma of [0.1, 0.2]) {
      const measured = noisy(truth, sigma, 10 * i + sigma * 10);
      raw += treeLatency(generateTrees(measured, { moves: rounds(10_000, 60_000) }).broadcast, truth) / best - 1;
      const options = { moves: rounds(10_000, 60_000), denoise: true };
      clean += treeLatency(generateTrees(measured, options).broadcast, truth) / best - 1;
    }
  }
  assert.ok(clean < raw / 1.5, `${clean / 6} above the best, ${raw / 6} without`);
});

test("given models are taken as they are unless asked", () => {
  const xeon = loadMachine("smelt-intel-xeon-e5-v2-2x10");
  const moves = 5000;
  const asked = generateTrees(xeon, { moves, denoise: true });
  assert.equal(asked, generateTrees(denoise(xeon), { moves }));
  assert.is.not(asked.broadcast.latency, generateTrees(xeon, { moves }).broadcast.latency);
  assert.equal(generateTrees(xeon, { moves, denoise: false }), generateTrees(xeon, { moves }));
});

test("every machine stays a machine: no cost is lost, small classes and zeros are left alone", () => {
  for (const name of machineNames) {
    const machine = loadMachine(name);
    if (machine.pes.length > 128) continue;
    const clean = denoise(machine);
    mapped(clean.send, (cost, i, j) => {
      assert.ok(Number.isFinite(cost) && cost >= 0, `${name} ${i} ${j}`);
      return cost;
    });
    if (machine.pes.length <= 2) assert.equal(clean.send, machine.send);
  }
  const free = model(uniform(8, 0), uniform(8, 3));
  assert.equal(denoise(free).send, free.send);
  const one = model(uniform(1, 0), uniform(1, 0));
  assert.equal(denoise(one), one);
});

test.run();
