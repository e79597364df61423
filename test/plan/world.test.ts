/** Plans of worlds on threads: given by options and by the environment, their trees, their number of PEs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PlanError, UsageError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { fingerprint } from "../../src/machine/model/fingerprint.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import type { PE } from "../../src/pe/pe.ts";
import type { PlanDocument } from "../../src/plan/document/document.ts";
import { writePlan } from "../../src/plan/document/file.ts";
import { launch } from "../../src/running/launch/launch.ts";
import { createWorld, join as joinWorld } from "../../src/running/launch/world.ts";
import type { LaunchOptions } from "../../src/running/run/options.ts";
import { simulateAsync } from "../../src/running/virtual/simulate-async.ts";
import { treesOf } from "../collectives/support/plans.ts";
import { choosing, samplePlan } from "./support/sample.ts";

const program = sibling("./planned.program.js", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "tundish-world-plan-"));
const file = join(folder, "plan.json");

const test = suite("plans of worlds");
test.after(() => rmSync(folder, { recursive: true }));
test.after.each(() => {
  delete process.env.TUNDISH_PLAN;
  delete process.env.TUNDISH_TREES;
});

const plan: PlanDocument = {
  ...samplePlan({
    "*": choosing({ hops: 2, groupSize: 2, bufferBytes: 1024 }),
    edges: choosing({ bufferBytes: 512 }),
  }),
  world: { pes: 2, nodes: 1, pesOfNode: [2] },
  trees: treesOf(2, "sequential"),
};
const here = fingerprint(await readTopology());

interface Said {
  readonly conveyor: string;
  readonly before: string;
  readonly after: string;
  readonly refused: string;
  readonly diagnosed: string;
  readonly group: string;
  readonly trees: unknown;
}

const timeout = 30_000;
const said = async (options: LaunchOptions): Promise<Said> => {
  const [first, ...others] = await launch<Said>(program, { timeout, ...options });
  for (const other of others) assert.is(other.conveyor, first?.conveyor);
  return first as Said;
};

test("a document: its PEs, its trees, its choices, and what became of them", async () => {
  const { conveyor, before, after, refused, group, trees } = await said({ plan });
  assert.equal(trees, plan.trees);
  assert.match(before, /^plan: the option plan, made 2026-11-23T12:00:00.000Z for 2 PEs on 1 node$/m);
  assert.match(before, /^plan, trees: used$/m);
  assert.match(before, /^plan, conveyors\.\*: not used so far\nplan, conveyors\.edges: not used so far$/m);
  assert.match(conveyor, /^tensor, 1 hop, 2 x 512 B for each link: conveyors\.edges of the option plan\n/);
  assert.match(after, /^plan, conveyors\.edges: used$/m);
  assert.is(refused, "PlanError created");
  assert.match(
    group,
    /the option plan: not used, as it is for the world and this group has 1 PE on 1 node \(world\.pes: expected 1/,
  );
});

test("by path, by URL, by TUNDISH_PLAN; an option comes before it", async () => {
  await writePlan(file, plan);
  assert.match((await said({ plan: file })).before, `plan: ${file}, made`);
  assert.match((await said({ plan: pathToFileURL(file) })).before, `plan: ${file}, made`);
  process.env.TUNDISH_PLAN = file;
  assert.match((await said({})).before, `plan: ${file} (TUNDISH_PLAN), made`);
  assert.match((await said({ plan })).before, "plan: the option plan, made");
});

test("virtual PEs are as many as those of a plan that must fit", async () => {
  const size = async (pe: PE) => [pe.size, pe.nodes];
  const { trees: _, ...without } = plan;
  const over = { ...without, world: { pes: 2, nodes: 2, pesOfNode: [1, 1] } };
  assert.equal((await simulateAsync({ plan }, size)).results, Array(2).fill([2, 1]));
  assert.equal((await simulateAsync({ plan: over }, size)).results, Array(2).fill([2, 2]));
  assert.equal((await simulateAsync({ plan, pes: 4, fit: "adapt" }, size)).results, Array(4).fill([4, 1]));
  const refused = await simulateAsync({ plan, fit: "adapt" }, size).catch((error: unknown) => error);
  assert.instance(refused, UsageError);
  assert.match((refused as Error).message, /^pes: expected a whole number >= 1, or a plan that must fit/);
});

test("stdin can be read once", async () => {
  const refused = await launch(program, { timeout, plan: "-", machine: "-" }).catch((error: unknown) => error);
  assert.instance(refused, UsageError);
  assert.match(
    (refused as Error).message,
    /^the option machine: expected a file, got - \(stdin\), which the option plan has taken\./,
  );
});

test("trees that are given come before those of a plan", async () => {
  const other = await said({ plan, trees: treesOf(2, "binary") });
  assert.equal(other.trees, treesOf(2, "binary"));
  assert.match(other.before, /^plan, trees: not used: the option trees comes before them$/m);
  process.env.TUNDISH_TREES = "smelt";
  assert.match((await said({ plan })).before, /^plan, trees: used$/m);
  process.env.TUNDISH_PLAN = file;
  assert.match((await said({})).before, /^plan, trees: not used: TUNDISH_TREES comes before them$/m);
});

test("another number of PEs, another machine", async () => {
  const elsewhere = { ...plan, world: { ...plan.world, fingerprint: "feedfeedfeedfeed" } };
  const cases: [LaunchOptions, string, RegExp][] = [
    [{ plan, pes: 3 }, "world.pes", /expected 3, the number of PEs here, got 2/],
    [
      { plan: elsewhere },
      "world.fingerprint",
      /expected [0-9a-f]{16}, this machine, got feedfeedfeedfeed, another machine/,
    ],
  ];
  for (const [options, path, reason] of cases) {
    const error = await launch(program, { timeout, ...options }).catch((error: unknown) => error);
    assert.instance(error, PlanError);
    assert.is((error as PlanError).path, path);
    assert.match((error as PlanError).message, reason);
    const again = await said({ pes: 2, ...options, fit: "adapt" });
    assert.match(again.before, /^plan: .*; planned again for this world, as world\./m);
    assert.match(again.before, /^plan, trees: not used: they are for another world$/m);
    assert.match(again.conveyor, /^ {2}conveyors\.edges of the option plan: planned again .* as world\./m);
  }
  const same = { ...plan, world: { ...plan.world, fingerprint: here } };
  assert.match((await said({ plan: same })).before, /^plan, trees: used$/m);
});

test("what is no plan, and no file", async () => {
  const wrong: [unknown, typeof PlanError | typeof UsageError, RegExp][] = [
    [5, UsageError, /^plan: expected a plan tundish\/plan@1, or the path or URL of one, got 5/],
    [{}, PlanError, /^schema: expected/],
    [{ ...plan, later: 1n }, PlanError, /^later: expected what JSON can have, got 1n/],
    [join(folder, "none.json"), PlanError, /none\.json: expected a plan, but it cannot be read/],
  ];
  for (const [given, Class, message] of wrong) {
    const error = await launch(program, { plan: given as string, timeout }).catch((error: unknown) => error);
    assert.instance(error, Class);
    assert.match((error as Error).message, message);
  }
});

test("worlds for threads of one's own have plans, too", async () => {
  const one = { ...plan, world: { pes: 1, nodes: 1, pesOfNode: [1] }, conveyors: {} };
  using host = await createWorld({ plan: { ...one, trees: treesOf(1, "binary") }, heapBytes: 2 ** 24 });
  assert.is(host.size, 1);
  const pe = await joinWorld(host.ticket(0));
  assert.match(pe.explain(), /^plan: the option plan, .* for 1 PE on 1 node\nplan, trees: used$/m);
  pe.leave();
});

test("the conveyor's name is in diagnoses", async () => {
  const { diagnosed } = await said({ plan });
  assert.match(diagnosed, /edges \(u32\)/);
});

test.run();
