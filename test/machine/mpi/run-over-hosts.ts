/**
 * Runs a command over hosts of ./hosts.ts, one process on each, by Open MPI: to measure by hand.
 *
 *     node dist/test/machine/mpi/run-over-hosts.js 2 1=100mbit -- node dist/lib/main.js bench plan --measure --pes 1,2
 *
 * The first argument is the number of hosts; the others limit the links of some, both ways, or what a host sends and what it receives:
 * `1=400mbit/100mbit`. `node` is the running Node.js.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { makeHosts } from "./hosts.ts";
import { launchOver } from "./launch-over.ts";

const args = process.argv.slice(2);
const end = args.indexOf("--");
const [count, ...limits] = args.slice(0, end);
const command = args.slice(end + 1).map((word) => (word === "node" ? process.execPath : word));
await using hosts = makeHosts(Number(count), {
  limits: Object.fromEntries(limits.map((limit) => limit.split("="))) as Record<number, string>,
});
const launch = launchOver(hosts, "Open MPI", ...hosts.names.map(() => 1));
// they are on one machine, and would send through memory
const map = ["-x", "TUNDISH_MAP_NODES=off"];
const child = spawn(launch.file, [...launch.args, ...map, ...command], { env: launch.env, stdio: "inherit" });
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
