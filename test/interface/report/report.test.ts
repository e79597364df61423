/** Reports of models: every part is there, or says why not; sizes stay within what a page can hold. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { isAbsent, type ReportPart } from "../../../src/interface/report/document.ts";
import { networkOf } from "../../../src/interface/report/nodes.ts";
import { makeReport } from "../../../src/interface/report/report.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { faultsOf } from "../../schemas/support/schemas.ts";
import { model, reportOf } from "./support/reports.ts";

const test = suite("reports of models");

function there<T extends object>(part: ReportPart<T>): T {
  if (isAbsent(part)) throw new Error(`expected a part, got: ${part.absent}`);
  return part;
}
const reasonOf = (part: ReportPart<object> | undefined): string =>
  part !== undefined && isAbsent(part) ? part.absent : "";

for (const name of ["smelt-hist-brie", "c2c-apple-m1-air", "mctop-lpdpc4", "smelt-hist-gottardo-numa"]) {
  test(`${name}: what follows from the model is there, what is measured is not`, async () => {
    const machine = await model(name);
    const report = await reportOf(machine);
    assert.is(faultsOf("report.json", JSON.parse(JSON.stringify(report))), "");
    assert.is(report.title, machine.name);
    const trees = there(report.trees);
    assert.is(trees.cores.length, machine.pes.length);
    assert.ok(trees.bound.broadcast <= trees.broadcast.latency * (1 + 1e-9));
    const entry = there(report.plan).conveyors["*"];
    assert.equal(entry?.workload, { itemBytes: 16, load: 100_000 });
    assert.ok((entry?.reasons ?? []).length > 0 && (entry?.others ?? []).length > 0);
    for (const part of ["conditions", "predictions", "collectives", "starts", "conveyors"] as const)
      assert.match(reasonOf(report[part]), /^Nothing was measured: /);
    for (const part of ["host", "topology", "nodes"] as const) assert.match(reasonOf(report[part]), /\.$/);
  });
}

test("192 PEs: the document leaves out what no figure shows", async () => {
  const machine = await model("c2c-dual-amd-epyc-9654-96-core-processor");
  const detailed: MachineModel = { ...machine, rtt: machine.send, stream: machine.send };
  const report = await reportOf(detailed);
  assert.ok(JSON.stringify(report).length < 1_000_000);
  assert.is(report.machine.rtt, undefined);
  assert.equal(report.machine.send, machine.send);
});

test("one PE has trees of a point, and a plan", async () => {
  const machine: MachineModel = {
    ...{ schema: "tundish/machine@1", name: "one", source: "a test", unit: "ns", measured: "not" },
    pes: [{ cpu: 0, core: 0, numa: 0, package: 0 }],
    ...{ send: [[0]], receive: [[0]] },
  };
  const report = await reportOf(machine);
  assert.is(faultsOf("report.json", JSON.parse(JSON.stringify(report))), "");
  assert.is(there(report.trees).broadcast.latency, 0);
});

test("a cluster's model: trees and a plan over its nodes, by its costs", async () => {
  const machine = await model("c2c-apple-m1-air");
  const pes = machine.pes.length;
  const cluster = { ...machine, internode: { alpha: 5000, beta: 0.1, nodes: 3 } };
  const report = await reportOf(cluster);
  assert.is(faultsOf("report.json", JSON.parse(JSON.stringify(report))), "");
  const { trees, network, isOfModel } = there(report.nodes);
  assert.equal([trees.nodes, trees.sizes, isOfModel], [3, [pes, pes, pes], true]);
  const { send, propagate = 0, receive } = network;
  assert.is(send + propagate + receive, 5000);
  assert.ok(trees.broadcast.latency > 5000);
  const { world, conveyors } = there(report.plan);
  assert.equal([world.nodes, world.pes], [3, 3 * pes]);
  assert.ok(
    (conveyors["*"]?.reasons ?? []).some((line) => /5000|5 us/.test(line)),
    "the costs of the model",
  );
  const asked = await reportOf(cluster, { nodes: 2 });
  assert.is(there(asked.nodes).trees.nodes, 2);
  const written = await reportOf({ ...machine, internode: { alpha: 5000, beta: 0.1 } });
  assert.is(there(written.nodes).trees.nodes, 4, "as it says no number");
});

test("nodes that are asked for have an assumed network, in the unit of the model", async () => {
  const machine = await model("c2c-apple-m1-air");
  const report = await reportOf(machine, { nodes: 2 });
  assert.is(there(report.nodes).isOfModel, false);
  const inCycles = networkOf({ ...machine, unit: "cycles" });
  const { send } = networkOf({ ...machine, unit: "ns" });
  assert.is(inCycles.send, send / 0.4);
  assert.match(reasonOf((await reportOf(machine, { nodes: 5000 })).nodes), /at most 4096/);
});

test("what cannot be planned is an error before anything is measured", async () => {
  const machine = await model("smelt-hist-brie");
  const asked = { machine, origin: "file", command: "", here: null, unmeasured: null } as const;
  const error = await makeReport({
    ...{ ...asked, itemBytes: 2 ** 40 },
    onProgress: () => assert.unreachable("it has begun"),
  }).catch((thrown: unknown) => thrown);
  assert.instance(error, UsageError);
});

test.run();
