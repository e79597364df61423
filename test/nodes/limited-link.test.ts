/**
 * Two hosts with a limited link, under mpirun: what `tundish profile` measures there is what plans go by, and they say so. With a
 * slower link the plan is another, and faster there than the one for the faster link: that is printed, and not asserted, as others
 * use the CPUs too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { amountText, durationText } from "../../src/base/units.ts";
import { parseMachine } from "../../src/machine/model.ts";
import { makePlan } from "../../src/plan/make.ts";
import type { Candidate } from "../../src/plan/types.ts";
import { type Hosts, makeHosts, whyNoHosts } from "../mpi/hosts.ts";
import { startJob } from "../mpi/job.ts";
import { launchOver } from "../mpi/launch-over.ts";
import { whyNoMpi } from "../mpi/launchers.ts";
import { root } from "../support/paths.ts";
import { testUnless } from "../support/skip.ts";

const tundish = [process.execPath, join(root, "dist/lib/main.js")];
const program = sibling("./programs/limited.program.js", import.meta.url).pathname;
/** Of each PE, a byte: two hops halve the messages between the nodes, and a tag doubles the bytes. */
const LOAD = 500;
const PES = 2;
const TURNS = 60;
/** Little, as a session sends little; what the timer of tc allows. */
const RATES = { "100mbit": "64kb", "10mbit": "8kb" };

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
  const job = startJob(
    hosts,
    launch,
    ["env", "TUNDISH_MAP_NODES=off", ...variables, ...tundish, ...args],
    120_000,
  );
  const { code, text } = await job.ended;
  assert.ok(codes.includes(code ?? -1), text);
  return job.said as readonly unknown[] as Line[];
}

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;

testUnless(
  test,
  (await whyNoHosts()) ?? whyNoMpi("Open MPI"),
  "with a slower link the plan is another, by what was measured",
  async () => {
    let before: Candidate | null = null;
    for (const [rate, burst] of Object.entries(RATES)) {
      await using hosts = makeHosts(2, { limits: { 1: rate }, burst });
      const file = join(hosts.folder, "cluster.json");
      await run(hosts, ["profile", "--budget", "4000", "-o", file], undefined, [0, 4]);
      const model = parseMachine(JSON.parse(readFileSync(file, "utf8")));
      const { alpha, beta, receiver } = model.internode as NonNullable<typeof model.internode>;
      const args = JSON.stringify({ load: LOAD, turns: TURNS, other: before });
      const said = await run<Said>(hosts, ["run", program, "-n", `${PES}`, "--", args], file);
      assert.is(said.length, 1);
      const { isSame, lines, planned, other } = said[0] as Said;
      assert.ok(isSame);
      const explained = lines.join("\n");
      // the measured numbers with their units and their source
      assert.match(explained, `alpha + beta m = ${durationText(alpha)} + ${amountText(beta)} ns x m`);
      assert.match(explained, `incast: a receiver takes ${durationText(receiver?.sender ?? 0)} for each`);
      assert.match(explained, `${file} at node 0, 1`);
      const { options } = makePlan(model, { nodes: 2, pes: 2 * PES, itemBytes: 1, load: LOAD });
      console.log(`${rate}: ${lines[1]}; sessions of ${median(planned)} us`);
      if (before !== null) {
        assert.not.equal(options, before, explained);
        console.log(`${rate}: the plan for the faster link ${JSON.stringify(before)}: ${median(other)} us`);
      }
      before = options;
    }
  },
);

test.run();
