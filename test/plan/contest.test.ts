/** Trees that are measured on this machine: who contends, what is kept, and where. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fingerprint } from "../../src/machine/fingerprint.ts";
import { guessModel } from "../../src/machine/guess.ts";
import { readTopology } from "../../src/machine/topology.ts";
import type { MachineModel } from "../../src/machine/types.ts";
import { usableCpus } from "../../src/machine/usable.ts";
import { measuredTrees } from "../../src/plan/contest.ts";
import { sibling } from "../../src/sibling.ts";
import { checkPlan } from "../../src/world/check.ts";
import { type LaunchOptions, launch } from "../../src/world/launch.ts";
import { contendersOn } from "../../trees/contenders.ts";
import type { Trees } from "../../trees/types.ts";
import { loadMachine, machineNames } from "../trees/reference.ts";

const program = sibling("./contest.program.js", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "tundish-choices-"));
process.env.TUNDISH_CACHE = folder;

const topology = await readTopology();
const cpus = usableCpus(topology);
/** This machine as if it had been profiled. */
const here: MachineModel = { ...guessModel(topology, cpus), fingerprint: fingerprint(topology) };
const pes = Math.min(4, here.pes.length);

interface Seen {
  readonly plan: Trees;
  readonly explained: string;
  readonly sum: number;
}

async function run(options: LaunchOptions): Promise<Seen> {
  const [first] = await launch<Seen>(program, { pes, timeout: 60_000, ...options });
  return first as Seen;
}

const test = suite("contest");
test.before.each(() => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test("contenders: the favourite first, each once, four at most, on every machine of up to 64 PEs", () => {
  for (const name of machineNames) {
    const machine = loadMachine(name);
    if (machine.pes.length > 64) continue;
    const { trees, broadcast, reduce, barrier } = contendersOn(machine, { moves: 2000 });
    assert.equal([broadcast[0], reduce[0], barrier[0]], [trees.broadcast, trees.reduce, trees.barrier], name);
    for (const list of [broadcast, reduce, barrier]) {
      assert.ok(list.length >= 1 && list.length <= 4, name);
      assert.is(new Set(list.map((one) => JSON.stringify(one))).size, list.length, name);
    }
    for (const one of broadcast) checkPlan({ ...trees, broadcast: one }, machine.pes.length);
    for (const one of barrier) checkPlan({ ...trees, barrier: one }, machine.pes.length);
    if (machine.pes.length > 8) assert.ok(broadcast.length > 1 && barrier.length > 1, name);
  }
});

test("what was measured is told, the kept ones first", async () => {
  const { contest, ...trees } = await measuredTrees(here);
  checkPlan(trees, here.pes.length);
  for (const operation of ["broadcast", "reduce", "barrier"] as const) {
    const list = contest?.[operation] ?? [];
    assert.ok(list.length > 0, operation);
    const [kept, ...others] = list;
    for (const { name, measured, predicted } of list) {
      assert.ok(measured > 0 && measured < 1e9, `${name}: ${measured}`);
      assert.ok(predicted >= 0);
    }
    // the favourite stays unless another is clearly faster
    for (const other of others) assert.ok((kept?.measured ?? 0) <= other.measured / 0.97 + 1e-9);
  }
});

test("launch holds it once, keeps the choice, and takes it from then on", async () => {
  const first = await run({ machine: here });
  assert.ok(first.plan.contest !== undefined);
  assert.match(first.explained, /^barrier: \S+ [\d.]+ ns measured/m);
  const [file, ...more] = readdirSync(folder);
  assert.is(more.length, 0);
  const path = join(folder, file as string);
  assert.equal(JSON.parse(readFileSync(path, "utf8")), first.plan);
  // a mark, to see that it is read
  const marked = { ...first.plan, machine: "marked" };
  writeFileSync(path, JSON.stringify(marked));
  assert.is((await run({ machine: here })).plan.machine, "marked");
});

test("worlds that start together hold one contest", async () => {
  const seen = await Promise.all([run({ machine: here }), run({ machine: here }), run({ machine: here })]);
  assert.equal(seen[1]?.plan, seen[0]?.plan);
  assert.equal(seen[2]?.plan, seen[0]?.plan);
});

test("a file that is broken, or of another world, is as if it were not there", async () => {
  const { plan } = await run({ machine: here });
  const path = join(folder, readdirSync(folder)[0] as string);
  const wrong = { ...plan, broadcast: { ...plan.broadcast, children: { 0: [0] } } };
  for (const text of ["", "{}", "null", "{", JSON.stringify(wrong)]) {
    writeFileSync(path, text);
    const again = await run({ machine: here });
    assert.is(again.sum, (pes * (pes - 1)) / 2);
    assert.equal(JSON.parse(readFileSync(path, "utf8")), again.plan, "written anew");
  }
});

test("a folder that cannot be written costs nothing but the choice", async () => {
  process.env.TUNDISH_CACHE = "/dev/null/nowhere";
  const { plan } = await run({ machine: here });
  assert.ok(plan.contest !== undefined);
  process.env.TUNDISH_CACHE = folder;
});

test("none is held for a guess, another machine's model, more PEs than cores, a plan, or when told so", async () => {
  const { fingerprint: own, ...guessed } = here;
  assert.ok(own);
  assert.is((await run({})).plan.contest, undefined);
  assert.is((await run({ machine: guessed })).plan.contest, undefined);
  assert.is((await run({ machine: here, pes: here.pes.length + 1 })).plan.contest, undefined);
  const { contest, ...plan } = await measuredTrees(here);
  assert.ok(contest);
  if (pes === here.pes.length) assert.equal((await run({ machine: here, plan })).plan, plan);
  process.env.TUNDISH_CONTEST = "off";
  assert.is((await run({ machine: here })).plan.contest, undefined);
  delete process.env.TUNDISH_CONTEST;
  const warned = new Promise((resolve) => process.once("warning", resolve));
  const foreign = await run({ machine: { ...here, fingerprint: "0123456789abcdef" } });
  assert.is(foreign.plan.contest, undefined);
  assert.match(String(await warned), /was measured on another machine/);
  assert.equal(readdirSync(folder), []);
});

test.run();
