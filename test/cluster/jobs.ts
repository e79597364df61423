/** MPI jobs for tests: started by the launchers that there are, each with a deadline. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "uvu";
import { findMpi, type Mpi } from "../../microbench/peers/tools.ts";
import type { Order, Said } from "./node.ts";

export const KINDS = ["Open MPI", "MPICH"] as const;
export type Kind = (typeof KINDS)[number];

/** What Open MPI wants of root, of more ranks than cores, and of ranks that are bound to one core. */
const ALLOW = { OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };
const OPTIONS: Readonly<Record<Kind, readonly string[]>> = {
  "Open MPI": ["--oversubscribe", "--bind-to", "none"],
  MPICH: [],
};
/** Longest time of a job, ms. */
const DEADLINE_MS = 90_000;

const found = new Map<Kind, Mpi>();
for (const kind of KINDS) {
  const mpi = await findMpi(kind, process.env);
  if (mpi !== null) found.set(kind, mpi);
}

/** The compiler and the launcher of an MPI that is there. */
export const mpiOf = (kind: Kind): Mpi => found.get(kind) as Mpi;

/** How a job ended. */
export interface Ended {
  /** Exit code of the launcher; -1 when it took too long. */
  readonly code: number;
  /** What the processes said, by node. */
  readonly said: readonly Said[];
  readonly text: string;
  readonly ms: number;
}

/** Runs `order` on as many nodes as it has PEs for. */
export async function job(
  kind: Kind,
  order: Order,
  env: NodeJS.ProcessEnv = {},
  options: readonly string[] = OPTIONS[kind],
): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "tundish-job-"));
  const file = join(folder, "order.json");
  writeFileSync(file, JSON.stringify(order));
  const node = fileURLToPath(new URL("./node.js", import.meta.url));
  const nodes = order.pes.length;
  const args = [...options, "-n", String(nodes), process.execPath, node, file];
  const started = performance.now();
  try {
    return await new Promise<Ended>((resolve) => {
      const options = { env: { ...process.env, ...ALLOW, ...env }, timeout: DEADLINE_MS, maxBuffer: 2 ** 26 };
      const child = execFile(mpiOf(kind).launcher, args, options, (_error, stdout, stderr) => {
        const said = stdout
          .split("\n")
          .filter((line) => line.startsWith("{"))
          .map((line) => JSON.parse(line) as Said)
          .sort((a, b) => a.node - b.node);
        const ms = performance.now() - started;
        resolve({ code: child.exitCode ?? -1, said, text: stdout + stderr, ms });
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Declares a test for each MPI; skipped, by a name that says so, where it is not installed. */
export function eachMpi(
  suite: Test,
  name: string,
  body: (kind: Kind) => Promise<void>,
  kinds: readonly Kind[] = KINDS,
): void {
  for (const kind of kinds) {
    const test = found.has(kind) ? suite : suite.skip;
    test(`${name} (${kind === "Open MPI" ? "openmpi" : "mpich"})`, () => body(kind));
  }
}
