/** The MPIs that there are, and processes that their launchers start on this machine. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "uvu";
import { findMpi, type Mpi } from "../../../packages/tundish-bench/src/peers/tools.ts";
import { LONG } from "../../support/long.ts";
import { testUnless } from "../../support/skip.ts";

export const KINDS = ["Open MPI", "MPICH"] as const;
export type Kind = (typeof KINDS)[number];
/** What CI calls each when it requires it (TUNDISH_TEST_REQUIRE). */
export const WORDS: Readonly<Record<Kind, string>> = { "Open MPI": "openmpi", MPICH: "mpich" };

const found = new Map<Kind, Mpi>();
// all of them before any suite: one would run, and end the list of suites, while the next is looked for
for (const kind of KINDS) {
  const mpi = await findMpi(kind, process.env);
  if (mpi !== null) found.set(kind, mpi);
}

/** The compiler and the launcher of an MPI that is there. */
export const mpiOf = (kind: Kind): Mpi => found.get(kind) as Mpi;

/** Why tests that need all of `kinds` are skipped; null when they are not. */
export function whyNoMpi(...kinds: Kind[]): string | null {
  const missing = kinds.filter((kind) => !found.has(kind));
  return missing.length === 0 ? null : `${missing.map((kind) => WORDS[kind]).join(", ")} not installed`;
}

/** Declares a test for each MPI. */
export function eachMpi(
  suite: Test,
  name: string,
  body: (kind: Kind) => Promise<void>,
  kinds: readonly Kind[] = KINDS,
): void {
  for (const kind of kinds) testUnless(suite, whyNoMpi(kind), `${name} (${WORDS[kind]})`, () => body(kind));
}

/** More ranks than cores, and all of them free to run on any; what Open MPI takes without a network, and so looks for no other. */
const OPTIONS: Readonly<Record<Kind, readonly string[]>> = {
  "Open MPI": ["--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1"],
  MPICH: [],
};

/** How a launcher is called for so many ranks; the program and its arguments come after it. */
export const mpirun = (kind: Kind, ranks: number, options: readonly string[] = OPTIONS[kind]): string[] => [
  mpiOf(kind).launcher,
  ...options,
  "-n",
  String(ranks),
];

/** What Open MPI wants of root. */
export const ROOT: NodeJS.ProcessEnv = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};

/** Jobs run beside other tests: who waits lets them have the CPUs. In the long run they wait as users' do. */
const WAITING = LONG ? {} : { TUNDISH_WAIT_POLICY: "passive" };

/** How a program, or all ranks of it, ended. */
export interface Ended<Line = Record<string, unknown>> {
  /** Exit code; -1 when it took too long. */
  readonly code: number;
  /** The lines of JSON that it wrote. */
  readonly said: readonly Line[];
  /** All that it wrote. */
  readonly text: string;
  readonly ms: number;
}

/** Runs a command line to its end, to its deadline, or until it is told to end. */
export function runLine<Line = Record<string, unknown>>(
  line: readonly string[],
  more: NodeJS.ProcessEnv = {},
  deadlineMs = 60_000,
  signal?: AbortSignal,
): Promise<Ended<Line>> {
  const [file, ...args] = line;
  // Open MPI's launchers share a folder there otherwise, and fail where one makes it or removes it beside another
  const folder = mkdtempSync(join(tmpdir(), "tundish-mpi-"));
  // and its daemons share the topology at an address that they find free, and now and then it is not: they crash there
  const settings = { OMPI_MCA_orte_tmpdir_base: folder, OMPI_MCA_rtc_hwloc_vmhole: "none" };
  const env = { ...process.env, ...ROOT, ...settings, ...WAITING, ...more };
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const options = { env, timeout: deadlineMs, maxBuffer: 2 ** 26, signal };
    const child = execFile(file as string, args, options, (_error, stdout, stderr) => {
      rmSync(folder, { recursive: true, force: true });
      try {
        const lines = stdout.split("\n").filter((one) => one.startsWith("{"));
        const said = lines.map((one) => JSON.parse(one) as Line);
        const ms = performance.now() - started;
        resolve({ code: child.exitCode ?? -1, said, text: stdout + stderr, ms });
      } catch (error) {
        reject(error);
      }
    });
  });
}
