/** Worlds over nodes for tests: processes of this machine, each of them ./node.ts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended as EndedWith, type Kind, mpirun, runLine } from "../machine/mpi/launchers.ts";
import type { Order } from "./node.ts";
import { type Said, saidIn, saidText } from "./said.ts";

/** Longest time of a job, ms. */
const DEADLINE_MS = 150_000;
/** What a launcher gets to end by itself when all that a test waits for is said, ms. */
const ENDING_MS = 2000;

/** What the command lines of this process's jobs have in them, and of no other's: files run at the same time. */
export const JOBS: string = join(tmpdir(), `tundish-job-${process.pid}-`);

/** How a job ended, and what its nodes said (said.ts), in their order; the text has that too. */
export type Ended = EndedWith<Said>;

/**
 * Runs `order` on as many nodes as it has PEs for. Unless it says how, nodes send by MPI with MPICH, and map each other's
 * heaps with Open MPI, which sends by itself between hosts (hosts.test.ts).
 * @param survivors nodes of whose results the launcher may be ended: it may never miss a process that was killed
 */
export async function job(
  kind: Kind,
  order: Order,
  env: NodeJS.ProcessEnv = {},
  options?: readonly string[],
  survivors: number = Number.POSITIVE_INFINITY,
): Promise<Ended> {
  const folder = mkdtempSync(JOBS);
  const file = join(folder, "order.json");
  writeFileSync(file, JSON.stringify({ byMpi: kind === "MPICH", ...order }));
  const node = fileURLToPath(new URL("./node.js", import.meta.url));
  const line = [...mpirun(kind, order.pes.length, options), process.execPath, node, file];
  const over = new AbortController();
  const watch = setInterval(() => {
    if (saidText(file).split('"results":').length <= survivors) return;
    clearInterval(watch);
    setTimeout(() => over.abort(), ENDING_MS).unref();
  }, 100);
  if (survivors > order.pes.length) clearInterval(watch);
  try {
    const ended = await runLine(line, env, DEADLINE_MS, over.signal);
    return { ...ended, said: saidIn(file), text: ended.text + saidText(file) };
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true });
  }
}
