/**
 * Compares `exchange.all` with MPI_Alltoallv in C over hosts of ./hosts.ts, one process on each, by Open MPI, in turns of jobs: to measure
 * by hand.
 *
 *     node dist/test/machine/mpi/alltoallv-over-hosts.js 4 0=400mbit/100mbit 1=400mbit/100mbit -- 2 65536,1048576
 *
 * The number of hosts, and limits of links, as for run-over-hosts; then turns, and bytes of a part.
 */

import { takeTurns } from "../../../microbench/turns/turns.ts";
import { partsText } from "../../../packages/tundish-bench/src/cli/text/bench-mpi-text.ts";
import { FULL, type MpiJob } from "../../../packages/tundish-bench/src/mpi/jobs.ts";
import { rivals } from "../../../packages/tundish-bench/src/mpi/rivals.ts";
import { Starter } from "../../../packages/tundish-bench/src/mpi/starter.ts";
import { readTopology } from "../../../src/machine/topology/topology.ts";
import { usableCpus } from "../../../src/machine/topology/usable.ts";
import { makeHosts } from "./hosts.ts";
import { launchOver } from "./launch-over.ts";

const args = process.argv.slice(2);
const end = args.indexOf("--");
const [count, ...limits] = args.slice(0, end);
const [turns = "2", sizes] = args.slice(end + 1);
const job: MpiJob = {
  kind: "parts",
  parts: sizes?.split(",").map(Number) ?? FULL.partBytes,
  volume: FULL.parts,
};
await using hosts = makeHosts(Number(count), {
  limits: Object.fromEntries(limits.map((limit) => limit.split("="))) as Record<number, string>,
});
const launch = launchOver(hosts, "Open MPI", ...hosts.names.map(() => 1));
// the hosts share the CPUs: ranks that spin would keep others from them
const more = ["--mca", "mpi_yield_when_idle", "1", "-x", "TUNDISH_MAP_NODES=off"];
const cpus = usableCpus(await readTopology()).map(({ cpu }) => cpu);
await using starter = await Starter.make({
  ...{ name: "Open MPI", tcp: true, cpus },
  over: { args: [...launch.args, ...more], env: launch.env },
});
const layout = { nodes: hosts.names.length, pes: 1 };
const contenders = rivals(starter, { layout, title: "parts", job, onUnbound: () => {} });
const { measured, missing } = await takeTurns(contenders, {
  ...{ cpus, turns: Number(turns), maxTurns: Number(turns), budgetMs: 0 },
  // CPUs are not what limits them
  probe: () => Promise.resolve(1),
});
for (const { name, reason } of missing) console.log(`not measured: ${name} (${reason})`);
const theirs = measured.filter(({ name }) => name === starter.name);
const pairs = theirs.flatMap((their) =>
  measured.filter(({ name, what }) => what === their.what && name !== starter.name).map((our) => [our, their] as const),
);
console.log(partsText(pairs));
