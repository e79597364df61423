/**
 * Two hosts with a limited link, under mpirun: what `tundish profile` measures there is what plans go by, and they say so. With a
 * slower link the plan is another, and faster there than the one for the faster link: that is printed, and not asserted, as others
 * use the CPUs too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { amountText, durationText } from "../../src/ground/base/units.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { parseMachine, writeMachine } from "../../src/machine/model/model.ts";
import { nodeCosts } from "../../src/machine/model/node-costs.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import { type ConveyorPlan, planConveyor } from "../../src/plan/conveyor/plan.ts";
import type { Candidate } from "../../src/plan/model/cost-model.ts";
import { costModelOver } from "../../src/plan/model/over-nodes.ts";
import { choiceText } from "../../src/plan/text/explain.ts";
import { type Hosts, makeHosts, whyNoHosts } from "../machine/mpi/hosts.ts";
import { startJob } from "../machine/mpi/job.ts";
import { launchOver } from "../machine/mpi/launch-over.ts";
import { whyNoMpi } from "../machine/mpi/launchers.ts";
import { rounds } from "../support/long.ts";
import { root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";

const tundish = [process.execPath, join(root, "dist/lib/main.js")];
const program = sibling("./programs/limited.program.js", import.meta.url).pathname;
/**
 * Items of a byte from each PE. Between the nodes two hops have an eighth of the messages, and a tag doubles the bytes. The most
 * with which the plans differ is taken: what is measured varies, and so does where they do.
 */
const LOADS = Array.from({ length: 36 }, (_, i) => 1000 + 200 * i);
/** Of a node. */
const PES = 8;
const CPUS = usableCpus(await readTopology()).length;
/** Of figures that are printed only. */
const TURNS = rounds(1, 11);
const SESSIONS = rounds(1, 4);
/** What passes at once. The faster link is measured in a second, and for most loads its plan is another one. */
const RATES = { "400mbit": "64kb", "10mbit": "8kb" };
/** ms */
const BUDGET = rounds(1000, 4000);

interface Said {
  /** Whether all PEs have the same plan; its explanation. */
  readonly isSame: boolean;
  readonly lines: readonly string[];
  /** us */
  readonly planned: readonly number[];
  readonly other: readonly number[];
}

const test = suite("plans over a limited link");

/** @param codes exit codes that are right: a profile that is not stable has another */
async function run<Line>(
  hosts: Hosts,
  args: readonly string[],
  machine?: string,
  codes: readonly number[] = [0],
): Promise<Line[]> {
  const launch = launchOver(hosts, "Open MPI", 1, 1);
  const variables = machine === undefined ? [] : [`TUNDISH_MACHINE=${machine}`];
  const job = startJob(hosts, launch, ["env", "TUNDISH_MAP_NODES=off", ...variables, ...tundish, ...args], 120_000);
  const { code, text } = await job.ended;
  assert.ok(codes.includes(code ?? -1), text);
  return job.said as readonly unknown[] as Line[];
}

/** Example: `36105 (33020 to 41870)`: the median, and the quartiles. */
function quartiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(part * sorted.length)]);
  return `${middle} (${low} to ${high})`;
}

/** More PEs on each node than the model has: those of a world. */
function planFor(model: MachineModel, load: number): ConveyorPlan {
  // both nodes have the CPUs of this machine together
  const cpus = Math.min(PES, CPUS / 2);
  const costs = ["node 0", "node 1"].map((source) => ({ ...nodeCosts(model, source), cpus }));
  const nodeOf = Int32Array.from({ length: 2 * PES }, (_, rank) => Math.floor(rank / PES));
  const layout = { nodeOf, sizes: [PES, PES], areMapped: false, levels: [nodeOf], costs };
  const plan = planConveyor(costModelOver(layout, 1), { itemBytes: 1, load });
  assert.ok(plan !== null);
  return plan;
}

testUnless(
  test,
  (await whyNoHosts()) ?? whyNoMpi("Open MPI"),
  "with a slower link the plan is another, by what was measured",
  async () => {
    let before: MachineModel | null = null;
    for (const [rate, burst] of Object.entries(RATES)) {
      await using hosts = makeHosts(2, { limits: { 1: rate }, burst });
      const file = join(hosts.folder, "cluster.json");
      const former = before;
      const measured = async (tries: number): Promise<{ model: MachineModel; load: number }> => {
        await run(hosts, ["profile", "--budget", `${BUDGET}`, "--keep-noisy", "-o", file], undefined, [0, 4]);
        const { internode, ...node } = parseMachine(JSON.parse(readFileSync(file, "utf8")));
        // beside other tests many figures vary: plans are to go by them all the same
        const { noisy, ...costs } = internode as NonNullable<typeof internode>;
        const model: MachineModel = { ...node, internode: costs };
        await writeMachine(file, model);
        const loadBy = (choice: (plan: Candidate) => unknown): number | undefined =>
          LOADS.findLast(
            (one) => former === null || choice(planFor(former, one).expected) !== choice(planFor(model, one).expected),
          );
        const load = loadBy(({ hops }) => hops);
        if (load !== undefined) return { model, load };
        if (tries > 1) return measured(tries - 1);
        // on a busy machine the CPUs may cost more than the link: then the plans differ in less
        const other = loadBy(choiceText);
        assert.ok(other !== undefined, "the plan changes for some loads");
        return { model, load: other };
      };
      const { model, load } = await measured(4);
      const { alpha, beta, receiver } = model.internode as NonNullable<typeof model.internode>;
      const other = former === null ? null : planFor(former, load);
      const args = JSON.stringify({ load, turns: TURNS, sessions: SESSIONS, other: other?.options ?? null });
      const said = await run<Said>(hosts, ["run", program, "-n", `${PES}`, "--", args], file);
      assert.is(said.length, 1);
      const { isSame, lines, planned, other: others } = said[0] as Said;
      assert.ok(isSame);
      const explained = lines.join("\n");
      // the measured numbers with their units and their source
      assert.match(explained, `alpha + beta m = ${durationText(alpha)} + ${amountText(beta)} ns x m`);
      assert.match(explained, `incast: a receiver takes ${durationText(receiver?.sender ?? 0)} for each`);
      assert.match(explained, `${file} at node 0, 1`);
      assert.match(lines[1], choiceText(planFor(model, load).expected));
      console.log(`${rate}, ${load} items: ${lines[1]}; sessions of ${quartiles(planned)} us`);
      if (other !== null)
        console.log(`  by the plan for the faster link, ${choiceText(other.expected)}: ${quartiles(others)} us`);
      before = model;
    }
  },
);

test.run();
