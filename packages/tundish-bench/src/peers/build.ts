/** Compiles the C programs of this folder when they are to be measured. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "../../../../microbench/launch/child.ts";
import { cleanEnvironment, findMpi, which } from "./tools.ts";

/** A program that can be run, or the reason why it cannot. */
export interface Built {
  readonly program: string;
  /** The MPI's launcher; empty for a program that needs none. */
  readonly launcher: string;
  /** Version of the compiler, or of the MPI. */
  readonly version: string;
  /** The missing parts and the packages to install; null if nothing is. */
  readonly missing: string | null;
}

/** Options that every program is compiled with. */
export const COMPILE: readonly string[] = ["-std=c11", "-O3", "-march=native", "-Wall", "-Wextra"];

const DEADLINE_MS = 60_000;

/** The file of a C program: beside this module, or beside its source when it runs built or bundled. */
export function sourceOf(name: string): string {
  const places = ["./c/", "../src/peers/c/", "../../../../../packages/tundish-bench/src/peers/c/"].map((place) =>
    fileURLToPath(new URL(place + name, import.meta.url)),
  );
  return places.find(existsSync) ?? places[0];
}

/**
 * A program that gcc alone compiles, e.g. `flags.c` with `-pthread`, into the folder. @param option several are parted
 * by blanks @param compiler another one than gcc
 */
export async function buildPlain(
  source: string,
  option: string,
  packages: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  compiler: "gcc" | "clang" = "gcc",
): Promise<Built> {
  const found = which(compiler, env);
  if (!found) return absent(`${compiler} is not in PATH; apt-get install ${packages}`);
  const built = { launcher: "", version: await versionOf(found, env), packages };
  const suffix = compiler === "gcc" ? "" : `-${compiler}`;
  return compile(found, option.split(" "), source, join(folder, `${basename(source, ".c")}${suffix}`), built, env);
}

/** Debian's packages of each MPI, and the suffix of its compiler. */
export const MPI_PACKAGES = {
  "Open MPI": "gcc libopenmpi-dev openmpi-bin",
  MPICH: "gcc libmpich-dev mpich",
} as const;

/** A program, `mpi.c`, compiled with the MPI of that name. */
export async function buildMpi(
  name: keyof typeof MPI_PACKAGES,
  source: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<Built> {
  const packages = MPI_PACKAGES[name];
  const suffix = name === "MPICH" ? "mpich" : "openmpi";
  const found = await findMpi(name, env);
  if (!found) {
    const sought = `mpicc.${suffix} with mpirun.${suffix}, or an mpicc with mpirun that is ${name}'s,`;
    return absent(`${sought} is not in PATH; apt-get install ${packages}`);
  }
  const { compiler, launcher, version } = found;
  const built = { launcher, version, packages };
  return compile(compiler, [], source, join(folder, `${basename(source, ".c")}-${suffix}`), built, env);
}

async function compile(
  compiler: string,
  options: readonly string[],
  source: string,
  program: string,
  { launcher, version, packages }: { launcher: string; version: string; packages: string },
  env: NodeJS.ProcessEnv,
): Promise<Built> {
  const args = [...COMPILE, sourceOf(source), ...options, "-o", program];
  try {
    await runChild(compiler, args, { env: cleanEnvironment(env), deadlineMs: DEADLINE_MS });
  } catch (error) {
    const reason = (error as Error).message;
    return absent(`${source} does not compile here (${reason}); apt-get install ${packages}`);
  }
  return { program, launcher, version, missing: null };
}

async function versionOf(compiler: string, env: NodeJS.ProcessEnv): Promise<string> {
  const options = { env: cleanEnvironment(env), deadlineMs: DEADLINE_MS };
  const { stdout } = await runChild(compiler, ["-dumpfullversion", "-dumpversion"], options).catch(() => ({
    stdout: "",
  }));
  return stdout.trim();
}

const absent = (missing: string): Built => ({ program: "", launcher: "", version: "", missing });
