/**
 * `bench append` over hosts of ./hosts.ts, two with a process on each, by Open MPI, in turns of jobs: to measure by hand.
 *
 *     node dist/test/machine/mpi/append-over-hosts.js 0=400mbit 1=400mbit -- 2 8,1024,65536 append.svg
 *
 * Limits of links, as for run-over-hosts; then turns, bytes of a push, and a file for the drawing.
 */
import { writeFileSync } from "node:fs";
import { takeTurns } from "../../../microbench/turns/turns.ts";
import { appendSvg } from "../../../packages/tundish-bench/src/append/figures-svg.ts";
import { FULL, loadsOf, partsOf, SIZES } from "../../../packages/tundish-bench/src/append/jobs.ts";
import type { AppendMeasured } from "../../../packages/tundish-bench/src/append/measured.ts";
import { appendRivals, startAppend, windowsByTcp } from "../../../packages/tundish-bench/src/append/nodes.ts";
import { printAppendPlaces } from "../../../packages/tundish-bench/src/cli/text/bench-append-text.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { Kept } from "../../interface/cli/support/kept.ts";
import { makeHosts } from "./hosts.ts";
import { launchOver } from "./launch-over.ts";

const args = process.argv.slice(2);
const end = args.indexOf("--");
const [turns = "2", sizes, svg] = end < 0 ? [] : args.slice(end + 1);
const limits = end < 0 ? args : args.slice(0, end);
await using hosts = makeHosts(2, {
  limits: Object.fromEntries(limits.map((limit) => limit.split("="))) as Record<number, string>,
});
const launch = launchOver(hosts, "Open MPI", 1, 1);
// the hosts share the CPUs: ranks that spin would keep others from them
const more = ["--mca", "mpi_yield_when_idle", "1", "-x", "TUNDISH_MAP_NODES=off"];
const cpus = usableCpus(await readTopology())
  .slice(0, 2)
  .map(({ cpu }) => cpu);
await using starter = await startAppend({
  ...{ name: "Open MPI", tcp: true, cpus },
  over: { args: [...launch.args, ...more], env: launch.env },
});
const where = limits.length === 0 ? "hosts" : `hosts, ${limits.join(" ")}`;
const contenders = appendRivals(starter, {
  ...{ where, cpus, volume: FULL.mpi },
  loads: loadsOf(sizes?.split(",").map(Number) ?? SIZES, 1, FULL.mpi),
  windows: windowsByTcp("eth0"),
  onUnbound: () => {},
});
const taken = await takeTurns(contenders, {
  ...{ cpus, turns: Number(turns), maxTurns: Number(turns), budgetMs: 0 },
  // CPUs are not what limits them
  probe: () => Promise.resolve(1),
});
for (const { name, reason } of taken.missing) console.log(`not measured: ${name} (${reason})`);
const measured = taken.measured.map((one): AppendMeasured => {
  const what = one.what.slice(where.length + 2);
  return { ...one, where, what, ...partsOf(what) };
});
const output = new Kept({});
printAppendPlaces(measured, output);
console.log(output.text);
if (svg !== undefined) writeFileSync(svg, appendSvg(measured));
