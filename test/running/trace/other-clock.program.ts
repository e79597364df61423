/**
 * Preloaded by a node: the wall clock of node n is n hours fast. With TUNDISH_TEST_HOSTS each node finds itself on a
 * machine of its own.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const node = Number(process.env.OMPI_COMM_WORLD_RANK ?? process.env.PMI_RANK ?? 0);
const ahead = 3_600_000 * node;

const { now } = Date;
Date.now = () => now() + ahead;
Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + ahead });

if (process.env.TUNDISH_TEST_HOSTS) {
  const { readFileSync } = fs;
  fs.readFileSync = ((path: string, ...options: [BufferEncoding]) =>
    path === "/proc/sys/kernel/random/boot_id"
      ? `machine ${node}`
      : readFileSync(path, ...options)) as typeof readFileSync;
  syncBuiltinESMExports();
}
