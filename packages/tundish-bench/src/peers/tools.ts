/** The compilers and launchers of this machine. */
import { accessSync, constants } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { runChild } from "../../../../microbench/launch/child.ts";

/** An MPI that programs can be compiled with and started by. */
export interface Mpi {
  /** Its compiler, `mpicc`, and its launcher, `mpirun`: paths. */
  readonly compiler: string;
  readonly launcher: string;
  readonly version: string;
}

const DEADLINE_MS = 10_000;

/**
 * The environment variables that our programs get. OMP_*, OMPI_*, MPIR_* and HWLOC_* are removed: all programs are
 * measured as installed, even if Node itself was started by mpirun or reads a foreign topology.
 */
const KEPT = ["PATH", "HOME", "USER", "TMPDIR", "LD_LIBRARY_PATH", "OPAL_PREFIX", "UCX_NET_DEVICES"];

/** The environment for compilers, launchers and programs; messages in English. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = KEPT.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]);
  return { ...Object.fromEntries(kept), LC_ALL: "C" };
}

/** The path of the first executable of that name in PATH. */
export function which(name: string, env: NodeJS.ProcessEnv): string | null {
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * An MPI by name: Debian's `mpicc.openmpi` or `mpicc.mpich`, or a plain `mpicc` that identifies itself as such, with
 * the launcher in the same folder. Another MPI's launcher would start ranks that do not know each other.
 */
export async function findMpi(name: "Open MPI" | "MPICH", env: NodeJS.ProcessEnv): Promise<Mpi | null> {
  for (const suffix of [name === "MPICH" ? ".mpich" : ".openmpi", ""]) {
    const compiler = which(`mpicc${suffix}`, env);
    if (!compiler) continue;
    const launcher = join(dirname(compiler), `mpirun${suffix}`);
    const version = await versionOf(name, compiler, env);
    if (version && isExecutable(launcher)) return { compiler, launcher, version };
  }
  return null;
}

/** `mpicc: Open MPI 4.1.4 (Language: C)` or `mpicc for MPICH version 4.0.2`, each by its own option. */
async function versionOf(name: "Open MPI" | "MPICH", compiler: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const [option, pattern] =
    name === "MPICH" ? ["-v", /\bMPICH version (\d[\w.]*)/] : ["--showme:version", /\bOpen MPI v?(\d[\w.]*)/];
  const options = { env: cleanEnvironment(env), deadlineMs: DEADLINE_MS };
  try {
    const { stdout, stderr } = await runChild(compiler, [option], options);
    return pattern.exec(stdout + stderr)?.[1] ?? null;
  } catch {
    return null; // another MPI's compiler does not know the option
  }
}
