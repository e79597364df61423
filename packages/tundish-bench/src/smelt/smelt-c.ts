/** The C programs of `bench smelt` beside those of `bench collectives`: compiled when they are to be measured. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../../../../microbench/launch/child.ts";
import type { Missing } from "../../../../microbench/pairs/profiled.ts";
import type { Contender, Entry } from "../../../../microbench/turns/turns.ts";
import { type Built, buildMpi, buildPlain } from "../peers/build.ts";
import type { PeerSamples } from "../peers/peer.ts";
import { parseSamples, ROOT } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import { LIMIT_MS, type SmeltPlace } from "./smelt-options.ts";

export type MpiName = "Open MPI" | "MPICH";

/** How a program is compiled: by gcc with an option, or by an MPI's compiler. */
export type Compiled = "-pthread" | "-pthread -lm" | "-fopenmp" | MpiName;

/** A program that takes turns. */
export interface CProgram {
  readonly name: string;
  readonly source: string;
  readonly by: Compiled;
  /** Its arguments before the list of CPUs. */
  readonly args: readonly string[];
  /** Those behind it. @param size number of PEs */
  readonly argsBehind?: (place: SmeltPlace, size: number) => readonly string[];
  /** Variables for it. */
  readonly variables?: NodeJS.ProcessEnv;
}

/** A line of its output as an entry; null for one that is not wanted. @param size number of PEs */
export type ToEntry = (sample: PeerSamples, program: CProgram, size: number) => Entry | null;

/** Compiles programs, each once, into a folder that is removed at the end. */
export class CPrograms implements AsyncDisposable {
  readonly versions: Record<string, string> = {};
  readonly missing: Missing[] = [];
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal | undefined;
  readonly #built = new Map<string, Promise<Built>>();

  private constructor(folder: string, env: NodeJS.ProcessEnv, signal: AbortSignal | undefined) {
    this.#folder = folder;
    this.#env = env;
    this.#signal = signal;
  }

  static async make({
    env = process.env,
    signal,
  }: {
    readonly env?: NodeJS.ProcessEnv | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<CPrograms> {
    return new CPrograms(await mkdtemp(join(tmpdir(), "tundish-smelt-")), env, signal);
  }

  /**
   * The programs that can be measured, for each number of PEs on the first CPUs; the others are listed in `missing`.
   */
  async contenders(programs: readonly CProgram[], place: SmeltPlace, toEntry: ToEntry): Promise<Contender[]> {
    const all: Contender[] = [];
    for (const program of programs) {
      const built = await this.#build(program);
      if (built.missing !== null) {
        // several programs may have one name
        if (!this.missing.some(({ name }) => name === program.name))
          this.missing.push({ name: program.name, reason: built.missing });
        continue;
      }
      this.versions[program.by.startsWith("-") ? "gcc" : program.by] = built.version;
      for (const size of place.pes) {
        const run = async (): Promise<Entry[]> =>
          (await this.#run(program, built, place, size)).flatMap((one) => toEntry(one, program, size) ?? []);
        all.push({ name: `${program.name}, ${size} PEs`, run });
      }
    }
    return all;
  }

  #build({ source, by }: CProgram): Promise<Built> {
    const key = `${source} ${by}`;
    const known = this.#built.get(key);
    if (known !== undefined) return known;
    const packages = by === "-fopenmp" ? "gcc libc6-dev libgomp1" : "gcc libc6-dev";
    const built =
      by === "Open MPI" || by === "MPICH"
        ? buildMpi(by, source, this.#folder, this.#env)
        : buildPlain(source, by, packages, this.#folder, this.#env);
    this.#built.set(key, built);
    return built;
  }

  async #run(
    { name, by, args, argsBehind, variables }: CProgram,
    { program, launcher }: Built,
    place: SmeltPlace,
    size: number,
  ): Promise<PeerSamples[]> {
    const cpus = place.cpus.slice(0, size);
    const own = [...args, cpus.join(), ...(argsBehind?.(place, size) ?? [])];
    const env = { ...cleanEnvironment(this.#env), ...Object.fromEntries(ROOT), ...variables };
    const options = { env, deadlineMs: LIMIT_MS, signal: this.#signal };
    const ranks = ["-n", `${size}`];
    const [file, all] =
      by === "Open MPI"
        ? [launcher, [...ranks, "--bind-to", "none", "--oversubscribe", "--mca", "mpi_yield_when_idle", "0", program]]
        : by === "MPICH"
          ? [launcher, [...ranks, "-bind-to", "none", program]]
          : [program, []];
    const { stdout } = await runChild(file, [...all, ...own], options);
    return parseSamples(stdout, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
