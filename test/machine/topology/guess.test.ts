import { rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fingerprint, fitWarning } from "../../../src/machine/model/fingerprint.ts";
import type { Topology } from "../../../src/machine/model/machine-model.ts";
import { parseMachine } from "../../../src/machine/model/model.ts";
import { guessModel } from "../../../src/machine/topology/guess.ts";
import { hostFacts } from "../../../src/machine/topology/host.ts";
import { readSysfs } from "../../../src/machine/topology/sysfs.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { writeTwoSockets } from "../two-sockets.ts";

const test = suite("guess, fingerprint, host");

const twoSockets: Topology = (() => {
  const root = writeTwoSockets();
  try {
    return readSysfs(join(root, "sys"));
  } finally {
    rmSync(root, { recursive: true });
  }
})();

test("a guessed model is valid and orders the levels", () => {
  const model = parseMachine(guessModel(twoSockets, twoSockets.cpus));
  assert.is(model.measured, "guessed from the topology");
  assert.is(model.pes.length, 15);
  const cost = (a: number, b: number) => (model.send[a]?.[b] ?? 0) + (model.receive[a]?.[b] ?? 0);
  const levels = [cost(0, 8), cost(0, 1), cost(0, 2), cost(0, 4)];
  assert.equal(levels, [38, 60, 140, 220]);
  assert.equal([cost(3, 11), cost(9, 0), cost(14, 4), cost(13, 2)], levels);
  for (let a = 0; a < 15; a++) for (let b = 0; b < 15; b++) assert.is(cost(a, b), cost(b, a));
});

test("by default the PEs are the usable CPUs", () => {
  const model = guessModel({ ...twoSockets, quota: 3 });
  assert.equal(
    model.pes.map((pe) => pe.cpu),
    [0, 1, 2],
  );
  assert.equal(model.pes[2], { cpu: 2, core: 2, l3: 1, numa: 0, package: 0 });
});

test("what is unknown counts as shared, except caches", () => {
  const cpus = twoSockets.cpus.map((cpu) => ({ ...cpu, l3: null, numa: null, package: null }));
  const { send } = guessModel(twoSockets, cpus);
  assert.is(send[0]?.[1], send[0]?.[4]);
  const byNuma = guessModel(
    twoSockets,
    twoSockets.cpus.map((cpu) => ({ ...cpu, l3: null, package: null })),
  ).send[0];
  assert.ok((byNuma?.[4] ?? 0) > (byNuma?.[1] ?? 0));
});

test("this machine can be planned for without a measurement", async () => {
  const topology = await readTopology();
  const model = parseMachine(guessModel(topology));
  assert.ok(model.pes.length >= 1);
  assert.is(fitWarning(model, topology), null);
});

test("the fingerprint names processor and shape, and nothing else", () => {
  const name = fingerprint(twoSockets);
  // a literal, so that a change which disowns all models in the world is seen
  assert.is(name, "200e89fb934630b0");
  const allowed = twoSockets.cpus.map((cpu) => ({ ...cpu, allowed: false }));
  for (const same of [
    { memoryBytes: 1 },
    { quota: 2 },
    { notes: ["x"] },
    { source: "hwloc" },
    { cpus: allowed },
  ] as const) {
    assert.is(fingerprint({ ...twoSockets, ...same }), name);
  }
  for (const other of [
    { brand: "other" },
    { cpus: twoSockets.cpus.slice(1) },
    { cpus: twoSockets.cpus.map((cpu) => ({ ...cpu, core: cpu.cpu })) },
    { cpus: twoSockets.cpus.map((cpu) => ({ ...cpu, l3: null })) },
  ]) {
    assert.is.not(fingerprint({ ...twoSockets, ...other }), name);
  }
});

test("a model that does not fit: one sentence per fault and what to do", () => {
  const model = guessModel(twoSockets);
  assert.is(fitWarning(model, twoSockets), null);
  const { fingerprint: _, ...unnamed } = model;
  assert.is(fitWarning(unnamed, { ...twoSockets, brand: "other" }), null);

  const elsewhere = fitWarning(model, { ...twoSockets, brand: "other" }) ?? "";
  assert.match(elsewhere, /another machine \(\w{16}\) than this one \(other, \w{16}\).*tundish profile/);

  const cpus = twoSockets.cpus.filter((cpu) => cpu.cpu > 1).map((cpu) => ({ ...cpu, allowed: cpu.cpu !== 6 }));
  const misplaced = fitWarning(unnamed, { ...twoSockets, cpus }) ?? "";
  assert.match(misplaced, /not here \(0-1\).*may not use \(6\)/);
  assert.not.match(misplaced, "another machine");
});

test("the host's facts", async () => {
  const facts = await hostFacts();
  assert.is(facts.node, process.version);
  assert.ok(facts.threads >= 1);
  assert.ok(facts.memoryBytes > 0);
  assert.ok(facts.brand.length > 0);
  assert.equal(JSON.parse(JSON.stringify(facts)), facts);
});

test.run();
